#include <capstan/testing/simulated_runtime.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stop_token>
#include <string>
#include <vector>

namespace capstan::testing {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

TEST(SimulatedRuntime, RunsNothingBeforeTheTestDrivesIt) {
  SimulatedRuntime runtime;
  bool ran = false;
  auto thread = runtime.Start("a", [&] { ran = true; });
  EXPECT_FALSE(ran);
  runtime.RunUntilIdle();
  EXPECT_TRUE(ran);
}

TEST(SimulatedRuntime, WakesSleepersInTheOrderOfTheirDeadlines) {
  SimulatedRuntime runtime;
  std::vector<std::string> order;
  std::stop_token never;
  auto late = runtime.Start("late", [&] {
    EXPECT_TRUE(runtime.SleepFor(seconds(3), never));
    order.emplace_back("late");
  });
  auto early = runtime.Start("early", [&] {
    EXPECT_TRUE(runtime.SleepFor(seconds(1), never));
    order.emplace_back("early");
  });
  const MonotonicTime start = runtime.Now();
  runtime.AdvanceBy(milliseconds(999));
  EXPECT_THAT(order, ElementsAre());
  runtime.AdvanceBy(hours(1));
  EXPECT_THAT(order, ElementsAre("early", "late"));
  EXPECT_EQ(runtime.Now() - start, hours(1) + milliseconds(999));
}

TEST(SimulatedRuntime, ASleeperWakesExactlyAtItsDeadline) {
  SimulatedRuntime runtime;
  const WallTime start = runtime.clock().Now();
  WallTime woken;
  auto thread = runtime.Start("sleeper", [&] {
    (void)runtime.SleepFor(seconds(7), std::stop_token());
    woken = runtime.clock().Now();
  });
  runtime.AdvanceBy(seconds(60));
  EXPECT_EQ(woken - start, seconds(7));
}

TEST(SimulatedRuntime, AStopTokenEndsASleepAtOnce) {
  SimulatedRuntime runtime;
  std::stop_source stop;
  bool slept = true;
  auto thread =
      runtime.Start("sleeper", [&] { slept = runtime.SleepFor(hours(1), stop.get_token()); });
  runtime.RunUntilIdle();
  const MonotonicTime before = runtime.Now();
  stop.request_stop();
  runtime.RunUntilIdle();
  EXPECT_FALSE(slept);
  EXPECT_EQ(runtime.Now(), before);
}

TEST(SimulatedRuntime, JoinRunsOtherThreadsAndAdvancesTheClock) {
  SimulatedRuntime runtime;
  const MonotonicTime start = runtime.Now();
  auto thread =
      runtime.Start("worker", [&] { (void)runtime.SleepFor(seconds(5), std::stop_token()); });
  thread->Join();
  EXPECT_EQ(runtime.Now() - start, seconds(5));
}

std::string Interleaving(uint64_t seed) {
  SimulatedRuntime runtime(seed);
  std::string order;
  std::vector<std::unique_ptr<Thread>> threads;
  for (char name : {'a', 'b', 'c', 'd'}) {
    threads.push_back(runtime.Start(std::string(1, name), [&runtime, &order, name] {
      for (int i = 0; i < 5; ++i) {
        order.push_back(name);
        (void)runtime.SleepFor(seconds(1), std::stop_token());
      }
    }));
  }
  runtime.AdvanceBy(seconds(10));
  return order;
}

TEST(SimulatedRuntime, ASeedDeterminesTheInterleaving) {
  EXPECT_EQ(Interleaving(7), Interleaving(7));
  EXPECT_NE(Interleaving(7), Interleaving(8));
}

TEST(SimulatedRuntime, RunUntilStopsAtTheLimit) {
  SimulatedRuntime runtime;
  const MonotonicTime start = runtime.Now();
  EXPECT_FALSE(runtime.RunUntil([] { return false; }, seconds(30)));
  EXPECT_EQ(runtime.Now() - start, seconds(30));
}

TEST(SimulatedRuntimeDeathTest, ListsWaitingThreadsAtADeadlock) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        SimulatedRuntime runtime;
        Mutex mutex;
        auto condition = runtime.NewCondition();
        MutexLock lock(mutex);
        condition->Wait(mutex);
      },
      "nothing can wake one.*\n.*the test: waiting");
}

}  // namespace
}  // namespace capstan::testing
