#include "client/rest/flow_control.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <capstan/testing/simulated_runtime.h>

namespace capstan {
namespace {

using namespace std::chrono_literals;

TEST(RequestBudget, AllowsABurstAndThenLimitsTheRate) {
  testing::SimulatedRuntime runtime;
  RequestBudget budget(runtime, 10, 3);
  const MonotonicTime begin = runtime.Now();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(budget.Accept("me", {}));
  EXPECT_EQ(runtime.Now(), begin);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(budget.Accept("me", {}));
  EXPECT_GE(runtime.Now() - begin, 500ms);
  EXPECT_LT(runtime.Now() - begin, 501ms);
}

TEST(RequestBudget, AccumulatesAtMostABurst) {
  testing::SimulatedRuntime runtime;
  RequestBudget budget(runtime, 10, 2);
  runtime.AdvanceBy(1h);
  const MonotonicTime begin = runtime.Now();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(budget.Accept("me", {}));
  EXPECT_GE(runtime.Now() - begin, 100ms);
  EXPECT_LT(runtime.Now() - begin, 101ms);
}

TEST(RequestBudget, IsUnlimitedWithoutARate) {
  testing::SimulatedRuntime runtime;
  RequestBudget budget(runtime, 0, 0, 100);
  const MonotonicTime begin = runtime.Now();
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(budget.Accept("me", {}));
  EXPECT_EQ(runtime.Now(), begin);
  EXPECT_FALSE(budget.adapts());
}

TEST(RequestBudget, UsesNoTokenForACallerThatStopsWaiting) {
  testing::SimulatedRuntime runtime;
  RequestBudget budget(runtime, 1, 1);
  EXPECT_TRUE(budget.Accept("me", {}));
  std::stop_source stop;
  bool accepted = true;
  {
    auto waiter =
        runtime.Start("waiter", [&] { accepted = budget.Accept("me", stop.get_token()); });
    runtime.RunUntilIdle();
    stop.request_stop();
  }
  EXPECT_FALSE(accepted);
  const MonotonicTime begin = runtime.Now();
  EXPECT_TRUE(budget.Accept("me", {}));
  EXPECT_LT(runtime.Now() - begin, 1001ms);
}

TEST(RequestBudget, RefusesAStoppedCaller) {
  testing::SimulatedRuntime runtime;
  RequestBudget budget(runtime, 0, 1);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(budget.Accept("me", stop.get_token()));
}

// The waiter that stops may be the one that waits for the next token on behalf of all.
TEST(RequestBudget, KeepsItsRateWhenCallersStopWaiting) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    testing::SimulatedRuntime runtime(seed);
    RequestBudget budget(runtime, 1, 1);
    ASSERT_TRUE(budget.Accept("me", {}));
    const MonotonicTime begin = runtime.Now();
    std::vector<std::stop_source> stops(10);
    std::vector<Duration> times;
    std::vector<std::unique_ptr<Thread>> waiters;
    for (size_t i = 0; i < stops.size(); ++i) {
      waiters.push_back(runtime.Start("waiter", [&, i] {
        if (budget.Accept("me", stops[i].get_token())) times.push_back(runtime.Now() - begin);
      }));
    }
    runtime.AdvanceBy(500ms);
    for (size_t i = 0; i < stops.size(); ++i) {
      if ((seed >> (i % 5) & 1) == 0) stops[i].request_stop();
    }
    waiters.clear();  // joins
    for (size_t i = 0; i < times.size(); ++i) {
      EXPECT_GE(times[i], (static_cast<int>(i) + 1) * 1000ms);
      EXPECT_LT(times[i], (static_cast<int>(i) + 1) * 1000ms + 1ms);
    }
  }
}

// Workers that send requests one after the other, and records which requests were admitted.
class RequestBudgetSharesTest : public ::testing::Test {
 protected:
  void Start(const std::string& flow, int workers) {
    for (int i = 0; i < workers; ++i) {
      threads_.push_back(runtime_.Start("worker", [this, flow] {
        while (budget_.Accept(flow, stop_.get_token())) ++sent_[flow];
      }));
    }
  }
  void RunFor(Duration duration) {
    runtime_.AdvanceBy(duration);
    stop_.request_stop();
    threads_.clear();  // joins
  }

  testing::SimulatedRuntime runtime_;
  RequestBudget budget_{runtime_, 20, 1};
  std::stop_source stop_;
  std::map<std::string, int> sent_;
  std::vector<std::unique_ptr<Thread>> threads_;
};

TEST_F(RequestBudgetSharesTest, AreFairBetweenFlowsWithDifferentBacklogs) {
  Start("many workers", 50);
  Start("one worker", 1);
  RunFor(100s);
  EXPECT_NEAR(sent_["many workers"] + sent_["one worker"], 2000, 2);
  EXPECT_GE(sent_["one worker"], 700) << "each fourth turn is that of the longest waiting";
}

TEST_F(RequestBudgetSharesTest, AreTheWholeRateForASingleFlow) {
  Start("many workers", 50);
  RunFor(100s);
  EXPECT_NEAR(sent_["many workers"], 2000, 2);
}

// Free-threaded, for the race detector.
TEST(RequestBudgetStress, ServesEveryRequestWhenOtherCallersStopWaiting) {
  constexpr size_t kThreads = 8;
  constexpr int kRequests = 300;
  RequestBudget budget(SystemRuntime(), 20'000, 1, 40'000);
  std::atomic<int> accepted = 0;
  std::atomic<int> impatient = 0;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const std::string flow = "flow " + std::to_string(i % 3);
      for (int request = 0; request < kRequests; ++request) {
        std::stop_source stop;
        std::thread stopper;
        if (request % 20 == 0) stopper = std::thread([&] { stop.request_stop(); });
        const MonotonicTime sent = SystemRuntime().Now();
        if (budget.Accept(flow, stop.get_token())) {
          ++accepted;
          const bool refused = request % 50 == 0;
          (void)budget.Answered({sent, SystemRuntime().Now(), AdaptiveRate::Kind::kRead, refused});
        } else {
          ++impatient;
        }
        if (stopper.joinable()) stopper.join();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(accepted + impatient, static_cast<int>(kThreads) * kRequests);
  EXPECT_GE(accepted, static_cast<int>(kThreads) * kRequests * 19 / 20);
  EXPECT_GT(budget.Rate(), 0);
}

}  // namespace
}  // namespace capstan
