#include "client/rest/adaptive_rate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <capstan/client/client.h>
#include <capstan/metrics/metrics.h>
#include <capstan/testing/simulated_runtime.h>

#include "support/model_server.h"

namespace capstan {
namespace {

using namespace std::chrono_literals;
using testing::ModelServer;
using Change = AdaptiveRate::Change;
using Kind = AdaptiveRate::Kind;

// A rate whose responses are simulated by the test.
class AdaptiveRateTest : public ::testing::Test {
 protected:
  Change Answer(Duration latency, Kind kind = Kind::kRead, bool refused = false) {
    const MonotonicTime sent = now_;
    now_ += latency;
    return rate_.Answered({sent, now_, kind, refused});
  }
  // A response every 10 ms to a request that had to wait.
  void AnswersFor(Duration period, Duration latency, Kind kind = Kind::kRead) {
    for (const MonotonicTime end = now_ + period; now_ < end; now_ += 10ms) {
      rate_.Waited();
      (void)Answer(latency, kind);
    }
  }

  MonotonicTime now_{100s};
  AdaptiveRate rate_{20, 400};
};

TEST_F(AdaptiveRateTest, DoesNotChangeWhileNoRequestWaits) {
  for (int i = 0; i < 1000; ++i, now_ += 10ms) EXPECT_EQ(Answer(5ms), Change::kNone);
  EXPECT_EQ(rate_.rate(), 20);
}

TEST_F(AdaptiveRateTest, GrowsToTheMaximumWhileRequestsWaitAndAnswersAreFast) {
  AnswersFor(8s, 5ms);
  EXPECT_EQ(rate_.rate(), 400);
}

TEST_F(AdaptiveRateTest, CountsABurstOfRefusalsOnce) {
  EXPECT_EQ(Answer(1ms, Kind::kWrite, true), Change::kRefused);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Answer(1ms, Kind::kWrite, true), Change::kNone);
  EXPECT_DOUBLE_EQ(rate_.rate(), 14);
}

TEST_F(AdaptiveRateTest, IgnoresRefusalsOfRequestsSentBeforeItShrank) {
  const MonotonicTime sent = now_;
  EXPECT_EQ(Answer(1ms, Kind::kRead, true), Change::kRefused);
  now_ += 10s;
  EXPECT_EQ(rate_.Answered({sent, now_, Kind::kRead, true}), Change::kNone);
  EXPECT_EQ(Answer(1ms, Kind::kRead, true), Change::kRefused);
}

TEST_F(AdaptiveRateTest, DoesNotFallBelowTheMinimum) {
  for (int i = 0; i < 100; ++i, now_ += 1s) (void)Answer(1ms, Kind::kRead, true);
  EXPECT_EQ(rate_.rate(), 5);
  AdaptiveRate low(2, 400);
  for (int i = 0; i < 100; ++i, now_ += 1s) (void)low.Answered({now_, now_, Kind::kRead, true});
  EXPECT_EQ(low.rate(), 2);
}

TEST_F(AdaptiveRateTest, ShrinksWhenMostAnswersAreSlow) {
  AnswersFor(8s, 5ms);
  ASSERT_EQ(rate_.rate(), 400);
  for (int i = 0; i < 1000; ++i, now_ += 10ms) (void)Answer(i % 3 == 0 ? 500ms : 5ms);
  EXPECT_EQ(rate_.rate(), 400);
  AnswersFor(3s, 300ms);
  EXPECT_LT(rate_.rate(), 100);
}

TEST_F(AdaptiveRateTest, ShrinksByNoMoreThanHalfAtATime) {
  AnswersFor(8s, 5ms);
  while (Answer(300ms) == Change::kNone) {
  }
  EXPECT_DOUBLE_EQ(rate_.rate(), 200);
}

TEST_F(AdaptiveRateTest, ComparesWritesAndReadsSeparately) {
  AnswersFor(8s, 2ms, Kind::kRead);
  AnswersFor(8s, 60ms, Kind::kWrite);
  for (int i = 0; i < 1000; ++i, now_ += 10ms) {
    (void)(i % 3 == 0 ? Answer(2ms, Kind::kRead) : Answer(60ms, Kind::kWrite));
  }
  EXPECT_EQ(rate_.rate(), 400);
}

TEST_F(AdaptiveRateTest, IgnoresTheLatencyOfLongAnswers) {
  AnswersFor(8s, 5ms);
  AnswersFor(60s, 3s, Kind::kLong);
  EXPECT_EQ(rate_.rate(), 400);
  AnswersFor(3s, 300ms);
  EXPECT_LT(rate_.rate(), 400) << "5 ms are still what is usual";
}

TEST_F(AdaptiveRateTest, GrowsSlowlyNearTheLastRefusedRate) {
  AnswersFor(8s, 5ms);
  (void)Answer(1ms, Kind::kRead, true);
  EXPECT_DOUBLE_EQ(rate_.rate(), 280);
  now_ += 1s;
  AnswersFor(2s, 5ms);
  EXPECT_GE(rate_.rate(), 320);
  EXPECT_LT(rate_.rate(), 350);
}

// Workers that send requests one after the other, through one client, to a server with limited
// capacity.
class AdaptiveClientTest : public ::testing::Test {
 protected:
  ~AdaptiveClientTest() override {
    stop_.request_stop();
    workers_.clear();  // joins
  }

  void StartWorkers(int count, const std::string& component = "worker") {
    for (int i = 0; i < count; ++i) {
      workers_.push_back(runtime_.Start("worker", [this, component] {
        const Client client = client_.WithUserAgent(component).WithStop(stop_.get_token());
        while (!client.GetPath("/version").status().IsCanceled()) ++answers_[component];
      }));
    }
  }
  // The number of requests answered per second, their mean latency, and the share of refused
  // requests.
  struct Flow {
    double answered;
    double refused;
    Duration latency;
  };
  Flow RunFor(std::chrono::seconds duration) {
    (void)server_->TakeCounts();
    runtime_.AdvanceBy(duration);
    const ModelServer::Counts counts = server_->TakeCounts();
    const auto answered = static_cast<double>(counts.answered);
    const auto refused = static_cast<double>(counts.refused);
    return {answered / static_cast<double>(duration.count()), refused / (answered + refused),
            counts.latency / static_cast<int>(std::max<size_t>(counts.answered, 1))};
  }

  testing::SimulatedRuntime runtime_;
  std::shared_ptr<ModelServer> server_ = std::make_shared<ModelServer>(runtime_);
  const ClientOptions options_ = {.qps = 20, .burst = 30, .max_qps = 400, .host = "adaptive:1"};
  Client client_{server_, runtime_, options_};
  std::stop_source stop_;
  std::map<std::string, int> answers_;  // by component
  std::vector<std::unique_ptr<Thread>> workers_;
};

TEST_F(AdaptiveClientTest, ReachesTheMaximumOnAnIdleServerWithinSeconds) {
  StartWorkers(20);
  RunFor(8s);
  const Flow flow = RunFor(10s);
  EXPECT_NEAR(flow.answered, 400, 4);
  EXPECT_EQ(flow.refused, 0);
}

TEST_F(AdaptiveClientTest, DoesNotChangeAnExplicitRate) {
  client_ = Client(server_, runtime_, {.qps = 20, .burst = 30});
  StartWorkers(20);
  RunFor(60s);
  EXPECT_NEAR(RunFor(60s).answered, 20, 0.1);
}

TEST_F(AdaptiveClientTest, SettlesBelowTheLimitOfAServerThatRefuses) {
  for (const double limit : {12.0, 50.0, 200.0}) {
    SCOPED_TRACE(limit);
    server_->Become({.rate_limit = limit});
    StartWorkers(workers_.empty() ? 50 : 0);
    RunFor(30s);
    const Flow flow = RunFor(120s);
    EXPECT_GE(flow.answered, 0.6 * limit);
    EXPECT_LE(flow.answered, limit + 0.1);
    EXPECT_LE(flow.refused, 0.03);
  }
}

TEST_F(AdaptiveClientTest, KeepsTheQueueOfABusyServerShort) {
  for (const double capacity : {30.0, 100.0, 250.0}) {
    SCOPED_TRACE(capacity);
    server_->Become({.capacity = capacity, .queue_limit = 200});
    StartWorkers(workers_.empty() ? 50 : 0);
    RunFor(30s);
    const Flow flow = RunFor(120s);
    EXPECT_GE(flow.answered, 0.6 * capacity);
    EXPECT_EQ(flow.refused, 0);
    EXPECT_LE(flow.latency, 200ms + 2 * std::chrono::duration<double>(1 / capacity + 0.005));
  }
}

TEST_F(AdaptiveClientTest, SharesTheRateFairlyBetweenUserAgents) {
  server_->Become({.rate_limit = 100});
  StartWorkers(60, "busy");
  StartWorkers(6, "modest");
  RunFor(30s);
  answers_.clear();
  const Flow flow = RunFor(60s);
  EXPECT_LE(flow.refused, 0.03);
  EXPECT_NEAR(answers_["busy"] + answers_["modest"], flow.answered * 60, 70);
  EXPECT_GE(answers_["modest"], flow.answered * 60 / 3);
}

TEST_F(AdaptiveClientTest, DoesNotDelayOtherClients) {
  StartWorkers(50);
  RunFor(10s);
  server_->Become({.rate_limit = 10});
  RunFor(10s);
  server_->Become({});
  const Client leases(server_, runtime_, {.qps = 20, .burst = 30});
  const MonotonicTime begin = runtime_.Now();
  EXPECT_TRUE(leases.GetPath("/version"));
  EXPECT_EQ(runtime_.Now() - begin, 5ms) << "what the server takes";
}

TEST_F(AdaptiveClientTest, ShrinksWhenTheServerSlowsDownAndRecovers) {
  StartWorkers(20);
  RunFor(10s);
  server_->Become({.latency = 400ms});
  RunFor(5s);
  EXPECT_LT(RunFor(2s).answered, 100);
  server_->Become({.latency = 5ms});
  RunFor(20s);
  EXPECT_NEAR(RunFor(10s).answered, 400, 4);
}

TEST_F(AdaptiveClientTest, AdaptsToAPermanentlySlowServer) {
  StartWorkers(150);
  RunFor(10s);
  server_->Become({.latency = 300ms});
  RunFor(20s);
  EXPECT_LT(RunFor(2s).answered, 100);
  RunFor(60s);
  EXPECT_NEAR(RunFor(10s).answered, 400, 4);
}

TEST_F(AdaptiveClientTest, RecoversAfterTemporaryRefusals) {
  StartWorkers(20);
  RunFor(10s);
  server_->Become({.rate_limit = 0.001, .rate_burst = 1});
  RunFor(8s);
  EXPECT_LE(RunFor(10s).answered, 5);
  server_->Become({});
  RunFor(30s);
  EXPECT_NEAR(RunFor(10s).answered, 400, 4);
}

TEST_F(AdaptiveClientTest, ExportsItsRateAndReductionsAsMetrics) {
  const auto throttled = [](const char* reason) {
    return DefaultMetrics()
        .NewCounter("capstan_client_throttled_total", "",
                    {{"host", "adaptive:1"}, {"reason", reason}})
        .Value();
  };
  const double refused = throttled("refused");
  const double slow = throttled("slow");
  const auto shows = [](const std::string& rate) {
    return DefaultMetrics().Serialize().find("capstan_client_rate_limit{host=\"adaptive:1\"} " +
                                             rate + "\n") != std::string::npos;
  };
  EXPECT_TRUE(shows("20"));
  StartWorkers(20);
  RunFor(10s);
  EXPECT_TRUE(shows("400"));
  EXPECT_EQ(throttled("refused"), refused);
  server_->Become({.latency = 400ms});
  RunFor(5s);
  EXPECT_GT(throttled("slow"), slow);
  server_->Become({.rate_limit = 1});
  RunFor(5s);
  EXPECT_GT(throttled("refused"), refused);
}

}  // namespace
}  // namespace capstan
