#include <capstan/testing/fault_injector.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cluster/event_counter.h"
#include "support/scripted_transport.h"

#include <capstan/runtime/format.h>
#include <capstan/testing/simulated_runtime.h>

namespace capstan::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;
using Fault = FaultInjector::Fault;

constexpr char kPods[] = "/api/v1/pods?limit=500";
constexpr char kCachedPods[] = "/api/v1/pods?limit=500&resourceVersion=0";
constexpr char kWatch[] = "/api/v1/pods?watch=true&resourceVersion=7";

HttpRequest NewRequest(std::string method, std::string target, std::string body = {}) {
  HttpRequest request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.body = std::move(body);
  return request;
}

class FaultInjectorTest : public ::testing::Test {
 protected:
  // The result of one request: "200 body", or the reason of the error.
  struct Outcome {
    std::string text;
    std::string retry_after;
    Duration took{};
  };

  Outcome Send(const HttpRequest& request) {
    const MonotonicTime start = runtime_.Now();
    Outcome outcome;
    auto response = faults_.RoundTrip(request, stop_.get_token());
    if (!response) {
      outcome.text = std::string(StatusReasonName(response.status().reason()));
    } else {
      outcome.retry_after = (*response)->Header("retry-after");
      const Result<std::string> body = ReadAll(**response, 1 << 20);
      outcome.text = std::to_string((*response)->status()) + " " +
                     (body ? *body : std::string(StatusReasonName(body.status().reason())));
    }
    outcome.took = runtime_.Now() - start;
    return outcome;
  }
  Outcome Get(std::string target = kPods) { return Send(NewRequest("GET", std::move(target))); }
  Outcome Patch(std::string target = "/a") { return Send(NewRequest("PATCH", std::move(target))); }

  // A client's watch: the data read so far, and how it ended.
  struct Watcher {
    ~Watcher() { stop.request_stop(); }
    std::stop_source stop;
    std::string text;
    std::string end;
    std::unique_ptr<Thread> thread;
  };
  std::unique_ptr<Watcher> Watch(size_t buffer_size = 4096) {
    auto watcher = std::make_unique<Watcher>();
    watcher->thread = runtime_.Start("watcher", [this, buffer_size, &watcher = *watcher] {
      HttpRequest request = NewRequest("GET", kWatch);
      request.timeout.reset();
      auto response = faults_.RoundTrip(request, watcher.stop.get_token());
      if (!response) {
        watcher.end = StatusReasonName(response.status().reason());
        return;
      }
      if ((*response)->status() != 200) {
        watcher.end = std::to_string((*response)->status());
        return;
      }
      std::string buffer(buffer_size, '\0');
      while (true) {
        const Result<size_t> count = (*response)->Read(buffer.data(), buffer.size());
        if (!count) {
          watcher.end = StatusReasonName(count.status().reason());
          return;
        }
        if (*count == 0) {
          watcher.end = "end";
          return;
        }
        watcher.text.append(buffer, 0, *count);
      }
    });
    runtime_.RunUntilIdle();
    return watcher;
  }

  ~FaultInjectorTest() override { stop_.request_stop(); }

  SimulatedRuntime runtime_;
  std::shared_ptr<ScriptedTransport> server_ = std::make_shared<ScriptedTransport>(runtime_);
  FaultInjector faults_{server_, runtime_, 7};
  std::stop_source stop_;
};

TEST_F(FaultInjectorTest, ForwardsRequestsThatMatchNoRule) {
  server_->OnEvery("GET", "*", [](const HttpRequest&) { return JsonAnswer(200, "pods"); });
  faults_.On({.method = "PATCH"}).Refuse();
  EXPECT_EQ(Get().text, "200 pods");
  EXPECT_THAT(faults_.Log(), IsEmpty());
}

TEST_F(FaultInjectorTest, FailsTheNthRequestThatMatches) {
  server_->OnEvery("PATCH", "*", [](const HttpRequest&) { return JsonAnswer(200, "{}"); });
  faults_.On({.method = "PATCH", .target = "*/status"}).Nth(2).Fail(409);
  EXPECT_EQ(Patch("/a/status").text, "200 {}");
  EXPECT_EQ(Patch("/a").text, "200 {}");
  EXPECT_THAT(Patch("/b/status").text, AllOf(HasSubstr("409 {"), HasSubstr("\"Conflict\"")));
  EXPECT_EQ(Patch("/a/status").text, "200 {}");
  EXPECT_EQ(server_->Requests().size(), 3u);
  EXPECT_THAT(faults_.Log(), ElementsAre("PATCH /b/status: 409"));
}

TEST_F(FaultInjectorTest, MatchesBodies) {
  server_->OnEvery("POST", "*", [](const HttpRequest&) { return JsonAnswer(201, "{}"); });
  faults_.On({.body = "*\"name\":\"web\"*"}).Fail(403, "Forbidden", R"(say "no")");
  EXPECT_EQ(Send(NewRequest("POST", "/a", R"({"name":"other"})")).text, "201 {}");
  EXPECT_THAT(Send(NewRequest("POST", "/a", R"({"name":"web"})")).text, HasSubstr(R"(say \"no\")"));
}

TEST_F(FaultInjectorTest, TheFirstMatchingRuleAppliesAndCountsSeparately) {
  server_->OnEvery("GET", "*", [](const HttpRequest&) { return JsonAnswer(200, ""); });
  faults_.On({.method = "GET"}).Between(2, 3).Fail(500);
  faults_.On({}).Between(3, 4).Fail(503);
  EXPECT_EQ(Get().text, "200 ");
  EXPECT_THAT(Get().text, HasSubstr("500 "));
  EXPECT_THAT(Get().text, HasSubstr("500 "));
  EXPECT_THAT(Get().text, HasSubstr("503 "));
  EXPECT_EQ(Get().text, "200 ");
}

TEST_F(FaultInjectorTest, RefusesWithoutCallingTheServer) {
  faults_.On({}).Refuse();
  EXPECT_EQ(Get().text, "Transport");
  EXPECT_THAT(server_->Requests(), IsEmpty());
}

TEST_F(FaultInjectorTest, TooManyRequestsSendsRetryAfter) {
  faults_.On({}).TooManyRequests(1500ms);
  const Outcome outcome = Get();
  EXPECT_EQ(outcome.retry_after, "2");
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("429 "), HasSubstr("\"retryAfterSeconds\":2")));
}

TEST_F(FaultInjectorTest, ADelayedAnswerComesLaterOrTimesOut) {
  server_->OnEvery("GET", "*", [](const HttpRequest&) { return JsonAnswer(200, "pods"); });
  faults_.On({}).Nth(1).Delay(3s);
  faults_.On({}).Nth(2).Delay(31s);
  const Outcome late = Get();
  EXPECT_EQ(late.text, "200 pods");
  EXPECT_EQ(late.took, 3s);
  const Outcome too_late = Get();
  EXPECT_EQ(too_late.text, "DeadlineExceeded");
  EXPECT_EQ(too_late.took, 30s);
  EXPECT_EQ(server_->Requests().size(), 2u);
}

TEST_F(FaultInjectorTest, ALostAnswerReachesTheServer) {
  server_->OnEvery("PATCH", "*", [](const HttpRequest&) { return JsonAnswer(200, "done"); });
  faults_.On({}).Nth(1).FailAfter(504);
  faults_.On({}).Nth(2).TimeOutAfter();
  faults_.On({}).Nth(3).DropAfter();
  EXPECT_THAT(Patch().text, AllOf(HasSubstr("504 "), HasSubstr("\"Timeout\"")));
  const Outcome timed_out = Patch();
  EXPECT_EQ(timed_out.text, "DeadlineExceeded");
  EXPECT_EQ(timed_out.took, 30s);
  EXPECT_EQ(Patch().text, "Transport");
  EXPECT_EQ(server_->Count("PATCH", "/a"), 3u);
  EXPECT_THAT(faults_.Log(), ElementsAre("PATCH /a: 504 after it took effect",
                                         "PATCH /a: timed out after it took effect",
                                         "PATCH /a: connection lost after it took effect"));
}

TEST_F(FaultInjectorTest, AStopEndsADelay) {
  server_->OnEvery("GET", "*", [](const HttpRequest&) { return JsonAnswer(200, "pods"); });
  faults_.On({}).Delay(20s);
  Outcome outcome;
  const auto thread = runtime_.Start("client", [&] { outcome = Get(); });
  runtime_.RunUntilIdle();
  stop_.request_stop();
  runtime_.RunUntilIdle();
  EXPECT_EQ(outcome.text, "Canceled");
  EXPECT_EQ(outcome.took, 0s);
}

TEST_F(FaultInjectorTest, BreaksAWatchInTheMiddleOfAnEvent) {
  for (const size_t buffer_size : {size_t{3}, size_t{4096}}) {
    for (const size_t piece : {size_t{1}, size_t{5}, size_t{100}}) {
      const auto events = server_->OnWatch(kWatch);
      faults_.Clear();
      faults_.OnWatch({.target = "*/pods?*"}).TearAfter(2);
      const auto watcher = Watch(buffer_size);
      const std::string text = "one\ntwo\nthree!\nfour\n";
      for (size_t i = 0; i < text.size(); i += piece) events->Send(text.substr(i, piece));
      runtime_.RunUntilIdle();
      EXPECT_EQ(watcher->text, "one\ntwo\nthr");
      EXPECT_EQ(watcher->end, "Transport");
      EXPECT_FALSE(events->IsOpen());
    }
  }
}

TEST_F(FaultInjectorTest, EndsAWatchAfterCompleteEvents) {
  const auto events = server_->OnWatch(kWatch);
  faults_.OnWatch({}).EndAfter(2);
  const auto watcher = Watch();
  events->Send("one\ntw");
  runtime_.RunUntilIdle();
  EXPECT_EQ(watcher->end, "");
  events->Send("o\nthree\n");
  runtime_.RunUntilIdle();
  EXPECT_EQ(watcher->text, "one\ntwo\n");
  EXPECT_EQ(watcher->end, "end");
}

TEST_F(FaultInjectorTest, AWatchCanEndBeforeItsFirstEvent) {
  (void)server_->OnWatch(kWatch);
  faults_.OnWatch({}).EndAfter(0);
  EXPECT_EQ(Watch()->end, "end");
}

TEST_F(FaultInjectorTest, AnExpiredWatchSendsOneErrorEvent) {
  faults_.OnWatch({}).Expire();
  const auto watcher = Watch();
  EXPECT_THAT(watcher->text, AllOf(HasSubstr(R"({"type":"ERROR","object":{"kind":"Status")"),
                                   HasSubstr(R"("reason":"Expired","code":410}})")));
  EXPECT_EQ(watcher->end, "end");
}

TEST_F(FaultInjectorTest, WatchFaultsDoNotAffectOtherRequests) {
  server_->OnEvery("GET", "*", [](const HttpRequest&) { return JsonAnswer(200, "pods"); });
  faults_.On({}).Expire();
  faults_.OnWatch({}).Fail(500);
  EXPECT_EQ(Get().text, "200 pods");
  EXPECT_EQ(Get("/api/v1/pods?labelSelector=watch%3Dtrue").text, "200 pods");
}

TEST_F(FaultInjectorTest, RunsAnActionBeforeTheRequest) {
  server_->OnEvery("GET", "*", [](const HttpRequest&) { return JsonAnswer(200, "pods"); });
  std::vector<size_t> asked_before;
  faults_.On({}).Nth(2).Do(
      [&](const HttpRequest&) { asked_before.push_back(server_->Requests().size()); });
  faults_.On({}).Nth(2).Fail(500);
  EXPECT_EQ(Get().text, "200 pods");
  EXPECT_THAT(Get().text, HasSubstr("500 "));
  EXPECT_THAT(asked_before, ElementsAre(1u));
}

TEST_F(FaultInjectorTest, AServerThatIsDownBreaksWatchesAndGetsNoRequests) {
  const auto events = server_->OnWatch(kWatch);
  server_->OnEvery("GET", kPods, [](const HttpRequest&) { return JsonAnswer(200, "pods"); });
  const auto watcher = Watch();
  events->Send("one\n");
  runtime_.RunUntilIdle();
  faults_.SetDown(true);
  runtime_.RunUntilIdle();
  EXPECT_EQ(watcher->text, "one\n");
  EXPECT_EQ(watcher->end, "Transport");
  EXPECT_FALSE(events->IsOpen());
  EXPECT_EQ(Get().text, "Transport");
  EXPECT_EQ(server_->Requests().size(), 1u);
  faults_.SetDown(false);
  EXPECT_EQ(Get().text, "200 pods");
}

TEST_F(FaultInjectorTest, APendingRequestFailsWhenTheServerGoesDown) {
  ScriptedAnswer slow = JsonAnswer(200, "pods");
  slow.delay = 10s;
  server_->On("GET", kPods, slow);
  Outcome outcome;
  const auto thread = runtime_.Start("client", [&] { outcome = Get(); });
  runtime_.AdvanceBy(1s);
  faults_.SetDown(true);
  runtime_.RunUntilIdle();
  EXPECT_EQ(outcome.text, "Transport");
  EXPECT_EQ(outcome.took, 1s);
}

TEST_F(FaultInjectorTest, ALaggingWatchIsSilentUntilTheLagEnds) {
  const auto events = server_->OnWatch(kWatch);
  const auto watcher = Watch();
  events->Send("one\n");
  runtime_.RunUntilIdle();
  faults_.SetLagging(true);
  events->Send("two\n");
  runtime_.AdvanceBy(1h);
  events->Send("three\n");
  runtime_.RunUntilIdle();
  EXPECT_EQ(watcher->text, "one\n");
  EXPECT_TRUE(events->IsOpen());
  faults_.SetLagging(false);
  runtime_.RunUntilIdle();
  EXPECT_EQ(watcher->text, "one\ntwo\nthree\n");
}

TEST_F(FaultInjectorTest, ALaggingServerAnswersCachedReadsWithFormerAnswers) {
  int version = 0;
  server_->OnEvery("GET", "*",
                   [&](const HttpRequest&) { return JsonAnswer(200, std::to_string(++version)); });
  EXPECT_EQ(Get(kCachedPods).text, "200 1");
  faults_.SetLagging(true);
  EXPECT_EQ(Get(kCachedPods).text, "200 1");
  EXPECT_EQ(Get(kPods).text, "200 2");
  faults_.SetLagging(false);
  EXPECT_EQ(Get(kCachedPods).text, "200 3");
}

TEST_F(FaultInjectorTest, ACachedReadWithoutAFormerAnswerWaitsForTheEndOfTheLag) {
  server_->OnEvery("GET", "*", [&](const HttpRequest&) { return JsonAnswer(200, "pods"); });
  faults_.SetLagging(true);
  const Outcome in_vain = Get(kCachedPods);
  EXPECT_EQ(in_vain.text, "DeadlineExceeded");
  EXPECT_EQ(in_vain.took, 30s);
  Outcome outcome;
  const auto thread = runtime_.Start("client", [&] { outcome = Get(kCachedPods); });
  runtime_.AdvanceBy(5s);
  faults_.SetLagging(false);
  runtime_.RunUntilIdle();
  EXPECT_EQ(outcome.text, "200 pods");
  EXPECT_EQ(outcome.took, 5s);
}

TEST_F(FaultInjectorTest, ClearRemovesAllRules) {
  server_->OnEvery("GET", "*", [](const HttpRequest&) { return JsonAnswer(200, "pods"); });
  faults_.On({}).Refuse();
  faults_.Randomly({.rate = 1, .faults = {Fault::kRefuse}});
  faults_.Clear();
  EXPECT_EQ(Get().text, "200 pods");
}

// The log of the same requests with a seed.
std::vector<std::string> RandomLog(uint64_t seed, double rate, std::vector<Fault> kinds) {
  SimulatedRuntime runtime;
  const auto server = std::make_shared<ScriptedTransport>(runtime);
  server->OnEvery("GET", "*", [](const HttpRequest&) { return JsonAnswer(200, "a\nb\nc\n"); });
  server->OnEvery("PATCH", "*", [](const HttpRequest&) { return JsonAnswer(200, "{}"); });
  FaultInjector faults(server, runtime, seed);
  faults.Randomly({.rate = rate, .faults = std::move(kinds)});
  for (int i = 0; i < 300; ++i) {
    for (const HttpRequest& request :
         {NewRequest("GET", kWatch), NewRequest("GET", kCachedPods),
          NewRequest("PATCH", Format("/pods/{}", i)), NewRequest("GET", kPods)}) {
      auto response = faults.RoundTrip(request, {});
      if (response) (void)ReadAll(**response, 1000);
    }
  }
  return faults.Log();
}

TEST(RandomFaults, DependOnlyOnTheSeed) {
  const auto log = RandomLog(1, 0.2, FaultInjector::All());
  EXPECT_EQ(log, RandomLog(1, 0.2, FaultInjector::All()));
  EXPECT_NE(log, RandomLog(2, 0.2, FaultInjector::All()));
  EXPECT_GT(log.size(), 1200 * 0.2 / 2);
  EXPECT_LT(log.size(), 1200 * 0.2 * 2);
}

TEST(RandomFaults, ApplyOnlyToMatchingRequests) {
  for (const std::string& line : RandomLog(3, 1, {Fault::kTearWatch, Fault::kExpireWatch})) {
    EXPECT_THAT(line, HasSubstr("watch=true"));
  }
  const auto conflicts =
      RandomLog(3, 1, {Fault::kConflict, Fault::kDropAfter, Fault::kTimeoutAfter});
  EXPECT_EQ(conflicts.size(), 300u);
  for (const std::string& line : conflicts) EXPECT_THAT(line, HasSubstr("PATCH"));
}

TEST(RandomFaults, IncludeEveryFault) {
  std::set<std::string> kinds;
  for (const std::string& line : RandomLog(4, 0.5, FaultInjector::All())) {
    std::string kind = line.substr(line.find(": ") + 2);
    kinds.insert(kind.substr(0, kind.find_first_of("0123456789", 3)));
  }
  EXPECT_THAT(
      kinds, ::testing::IsSupersetOf(
                 {"refused", "500", "500 after it took effect", "timed out after it took effect",
                  "connection lost after it took effect", "429, retry after ", "409", "delayed by ",
                  "watch torn after ", "watch ended after ", "watch expired", "410",
                  "answered with an older state"}));
}

TEST(EventCounter, CountsFramedEventsInAnyPieces) {
  using namespace std::string_literals;
  const std::string events = "\0\0\0\2ab"s + "\0\0\0\0"s + "\0\0\1\1"s + std::string(0x101, 'x');
  for (size_t piece = 1; piece <= events.size(); ++piece) {
    fault::EventCounter counter("application/vnd.kubernetes.protobuf;stream=watch");
    std::vector<size_t> ends;
    for (size_t begin = 0; begin < events.size();) {
      const auto [count, ended] = counter.Take(
          std::string_view(events).substr(begin, std::min(piece, events.size() - begin)));
      ASSERT_GT(count, 0u);
      begin += count;
      if (ended) ends.push_back(begin);
    }
    EXPECT_THAT(ends, ElementsAre(6u, 10u, events.size()));
  }
}

}  // namespace
}  // namespace capstan::testing
