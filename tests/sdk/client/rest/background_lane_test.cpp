#include "client/rest/background_lane.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <capstan/client/client.h>
#include <capstan/testing/simulated_runtime.h>

#include "support/model_server.h"

namespace capstan {
namespace {

using namespace std::chrono_literals;
using testing::ModelServer;

// Counts the requests in progress at a server.
class CountingServer final : public Transport {
 public:
  CountingServer(Runtime& runtime, Duration latency) : server_(runtime, {.latency = latency}) {}

  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override {
    most_at_a_time = std::max(most_at_a_time, ++at_a_time_);
    auto response = server_.RoundTrip(request, std::move(stop));
    --at_a_time_;
    ++requests;
    return response;
  }

  int requests = 0;
  int most_at_a_time = 0;

 private:
  ModelServer server_;
  int at_a_time_ = 0;
};

class BackgroundRequests : public ::testing::Test {
 protected:
  // Threads that send requests one after the other until Finish.
  void Start(const Client& client, int threads) {
    for (int i = 0; i < threads; ++i) {
      threads_.push_back(runtime_.Start("sender", [client, stop = stop_.get_token()] {
        while (client.WithStop(stop).GetPath("/x").ok()) {
        }
      }));
    }
  }
  void Finish() {
    stop_.request_stop();
    threads_.clear();  // joins
    stop_ = {};
  }

  testing::SimulatedRuntime runtime_;
  std::shared_ptr<CountingServer> server_ = std::make_shared<CountingServer>(runtime_, 10ms);
  std::shared_ptr<CountingServer> others_ = std::make_shared<CountingServer>(runtime_, 10ms);
  std::stop_source stop_;
  std::vector<std::unique_ptr<Thread>> threads_;
};

TEST_F(BackgroundRequests, KeepTheRateLimitTogetherWithTheOthers) {
  const Client client(server_, runtime_, {.qps = 100, .burst = 1});
  Start(client, 5);
  runtime_.AdvanceBy(10s);
  const int alone = std::exchange(server_->requests, 0);
  Start(client.InBackground(), 5);
  runtime_.AdvanceBy(10s);
  EXPECT_NEAR(server_->requests, alone, 2);
  Finish();
}

TEST_F(BackgroundRequests, AreATenthOfTheRequestsAtMost) {
  const Client client(server_, runtime_, {.qps = 100, .burst = 1});
  int in_background = 0;
  Start(client, 5);
  const Client background =
      client.WithStop(stop_.get_token()).WithUserAgent("events").InBackground();
  for (int i = 0; i < 5; ++i) {
    threads_.push_back(runtime_.Start("background", [&] {
      while (background.GetPath("/x").ok()) ++in_background;
    }));
  }
  runtime_.AdvanceBy(100s);
  EXPECT_GE(in_background, 700);
  EXPECT_LE(in_background, 1001);
  Finish();
}

TEST_F(BackgroundRequests, PauseForNineTenthsOfTheTimeWithoutARateLimit) {
  const Client client(server_, runtime_, {.qps = 0});
  Start(client, 3);
  runtime_.AdvanceBy(10s);
  const int alone = std::exchange(server_->requests, 0);
  Start(client.InBackground(), 5);
  runtime_.AdvanceBy(10s);
  EXPECT_NEAR(server_->requests - alone, 100, 5);
  EXPECT_EQ(server_->most_at_a_time, 4) << "one besides the three others";
  Finish();
}

TEST_F(BackgroundRequests, HaveTheWholeRateOtherwise) {
  const Client client(server_, runtime_, {.qps = 100, .burst = 1});
  Start(client.InBackground(), 5);
  runtime_.AdvanceBy(10s);
  EXPECT_NEAR(server_->requests, 1000, 5);
  Finish();
}

TEST_F(BackgroundRequests, AreSentSeveralAtATimeAfterASecondWithoutOthers) {
  const Client client(server_, runtime_, {.qps = 0});
  ASSERT_TRUE(client.GetPath("/x").ok());
  Start(client.InBackground(), 9);
  runtime_.AdvanceBy(990ms);
  EXPECT_EQ(server_->most_at_a_time, 1);
  EXPECT_GE(server_->requests, 90);
  runtime_.AdvanceBy(1s);
  EXPECT_EQ(server_->most_at_a_time, 4);
  EXPECT_GE(server_->requests, 450);
  Finish();
}

TEST_F(BackgroundRequests, LeaveHalfOfTheBurstToOthers) {
  const Client client(server_, runtime_, {.qps = 10, .burst = 20});
  Start(client.InBackground(), 4);
  runtime_.AdvanceBy(60s);
  EXPECT_NEAR(server_->requests, 610, 2);
  const MonotonicTime begin = runtime_.Now();
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(client.GetPath("/x").ok());
  EXPECT_EQ(runtime_.Now() - begin, 80ms) << "the latency of eight requests";
  Finish();
}

TEST_F(BackgroundRequests, LetTheRateAdaptToTheServer) {
  const Client client(server_, runtime_, {.qps = 20, .burst = 30, .max_qps = 400});
  Start(client.InBackground(), 8);
  runtime_.AdvanceBy(60s);
  EXPECT_GE(server_->requests, 12'000);
  Finish();
}

TEST_F(BackgroundRequests, ComeAfterThoseOverOtherTransports) {
  const Client client(server_, runtime_, {.qps = 0});
  Start(client.WithTransport(others_), 2);
  runtime_.AdvanceBy(1s);
  Start(client.InBackground(), 4);
  runtime_.AdvanceBy(10s);
  EXPECT_NEAR(server_->requests, 100, 5);
  EXPECT_EQ(server_->most_at_a_time, 1);
  Finish();
}

TEST_F(BackgroundRequests, DoNotWaitForLongerThanASecondAfterASlowOne) {
  auto slow = std::make_shared<CountingServer>(runtime_, 5s);
  const Client client(slow, runtime_, {.qps = 0});
  Start(client.WithTransport(others_), 1);
  Start(client.InBackground(), 1);
  runtime_.AdvanceBy(60s);
  EXPECT_EQ(slow->requests, 10);
  Finish();
}

TEST_F(BackgroundRequests, EndWithTheirStopToken) {
  const Client client(server_, runtime_, {.qps = 0.001, .burst = 1});
  ASSERT_TRUE(client.GetPath("/x").ok());
  std::stop_source stop;
  Status status;
  auto waiter = runtime_.Start("waiter", [&] {
    status = client.InBackground().WithStop(stop.get_token()).GetPath("/x").status();
  });
  runtime_.AdvanceBy(10s);
  const MonotonicTime begin = runtime_.Now();
  stop.request_stop();
  waiter->Join();
  EXPECT_TRUE(status.IsCanceled());
  EXPECT_EQ(runtime_.Now(), begin);
  EXPECT_EQ(server_->requests, 1);
}

TEST(BackgroundLane, EndsAWaitAtTheGivenTime) {
  testing::SimulatedRuntime runtime;
  RequestBudget budget(runtime, 0.001, 1);
  RequestActivity activity;
  BackgroundLane lane(runtime, budget, activity);
  BackgroundLane::Seat first(lane);
  ASSERT_TRUE(first.Enter("me", {}));
  first.Leave();
  const MonotonicTime begin = runtime.Now();
  BackgroundLane::Seat second(lane);
  EXPECT_FALSE(second.Enter("me", {}, begin + 5s));
  EXPECT_EQ(runtime.Now() - begin, 5s);
  const RequestActivity::InProgress other(activity, runtime);
  EXPECT_FALSE(second.Enter("me", {}, begin + 10s));
  EXPECT_EQ(runtime.Now() - begin, 10s);
}

// A waiter that stops may be the one that tries again by the clock.
TEST(BackgroundLane, GoesOnWhenAWaiterStops) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    testing::SimulatedRuntime runtime(seed);
    RequestBudget budget(runtime, 10, 1);
    RequestActivity activity;
    BackgroundLane lane(runtime, budget, activity);
    std::vector<std::stop_source> stops(6);
    int entered = 0;
    std::vector<std::unique_ptr<Thread>> waiters;
    for (std::stop_source& stop : stops) {
      waiters.push_back(runtime.Start("waiter", [&] {
        BackgroundLane::Seat seat(lane);
        if (seat.Enter("me", stop.get_token())) ++entered;
      }));
    }
    runtime.RunUntilIdle();
    EXPECT_EQ(entered, 1);
    for (size_t i = 0; i < stops.size(); ++i) {
      if ((seed + i) % 3 == 0) stops[i].request_stop();
    }
    runtime.AdvanceBy(1s);
    EXPECT_GE(entered, 4);
  }
}

// Free-threaded, for the race detector.
TEST(BackgroundLaneStress, ServesEveryRequest) {
  RequestBudget budget(SystemRuntime(), 20'000, 10, 40'000);
  RequestActivity activity;
  BackgroundLane lane(SystemRuntime(), budget, activity);
  std::atomic<int> entered = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int request = 0; request < 300; ++request) {
        const RequestActivity::InProgress in_progress(activity, SystemRuntime());
        EXPECT_TRUE(budget.Accept("others", {}));
      }
    });
    threads.emplace_back([&] {
      for (int request = 0; request < 50; ++request) {
        BackgroundLane::Seat seat(lane);
        if (seat.Enter("me", {})) ++entered;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(entered, 150);
}

}  // namespace
}  // namespace capstan
