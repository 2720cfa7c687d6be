#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stop_token>

#include <capstan/runtime/runtime.h>

namespace capstan {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(SystemRuntime, AStartedThreadRunsAndIsJoined) {
  std::atomic<bool> ran = false;
  auto thread = SystemRuntime().Start("a-name-longer-than-fifteen-bytes", [&] { ran = true; });
  thread->Join();
  thread->Join();
  EXPECT_TRUE(ran);
}

TEST(SystemRuntime, ASleepEndsWhenItsStopTokenIsTriggered) {
  std::stop_source stop;
  bool slept = true;
  auto thread = SystemRuntime().Start(
      "sleeper", [&] { slept = SystemRuntime().SleepFor(hours(100), stop.get_token()); });
  stop.request_stop();
  thread->Join();
  EXPECT_FALSE(slept);
}

TEST(SystemRuntime, ASleepLastsAtLeastTheGivenTime) {
  const MonotonicTime start = SystemRuntime().Now();
  EXPECT_TRUE(SystemRuntime().SleepFor(milliseconds(2), std::stop_token()));
  EXPECT_GE(SystemRuntime().Now() - start, milliseconds(2));
}

TEST(SystemRuntime, AWaitForAPassedDeadlineTimesOut) {
  Mutex mutex;
  auto condition = SystemRuntime().NewCondition();
  MutexLock lock(mutex);
  EXPECT_FALSE(condition->WaitUntil(mutex, SystemRuntime().Now() - milliseconds(1)));
}

TEST(SystemRuntime, RandomNumbersDifferAndFractionsStayBelowOne) {
  std::set<uint64_t> numbers;
  for (int i = 0; i < 100; ++i) {
    numbers.insert(SystemRuntime().Random());
    const double fraction = SystemRuntime().RandomFraction();
    EXPECT_GE(fraction, 0.0);
    EXPECT_LT(fraction, 1.0);
    const Duration jittered = SystemRuntime().Jitter(milliseconds(100), 0.5);
    EXPECT_GE(jittered, milliseconds(100));
    EXPECT_LE(jittered, milliseconds(150));
  }
  EXPECT_GT(numbers.size(), 95U);
}

}  // namespace
}  // namespace capstan
