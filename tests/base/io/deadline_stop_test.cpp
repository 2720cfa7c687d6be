#include "base/io/deadline_stop.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>

#include <capstan/testing/simulated_runtime.h>

namespace capstan::io {
namespace {

using std::chrono::seconds;

class DeadlineStopTest : public ::testing::Test {
 protected:
  std::stop_token BeginIn(Duration time, const std::stop_token& parent = {}) {
    return deadline_.Begin(runtime_.Now() + time, parent);
  }

  testing::SimulatedRuntime runtime_;
  DeadlineStop deadline_{runtime_};
};

TEST_F(DeadlineStopTest, TheTokenTriggersAtTheDeadline) {
  const std::stop_token token = BeginIn(seconds(5));
  runtime_.AdvanceBy(seconds(4));
  EXPECT_FALSE(token.stop_requested());
  runtime_.AdvanceBy(seconds(1));
  EXPECT_TRUE(token.stop_requested());
}

TEST_F(DeadlineStopTest, TheTokenTriggersWithItsParent) {
  std::stop_source parent;
  const std::stop_token token = BeginIn(seconds(5), parent.get_token());
  parent.request_stop();
  EXPECT_TRUE(token.stop_requested());
  EXPECT_TRUE(BeginIn(seconds(5), parent.get_token()).stop_requested());
}

TEST_F(DeadlineStopTest, AnEndedDeadlineDoesNotTrigger) {
  std::stop_source parent;
  const std::stop_token token = BeginIn(seconds(5), parent.get_token());
  deadline_.End();
  parent.request_stop();
  runtime_.AdvanceBy(seconds(10));
  EXPECT_FALSE(token.stop_requested());
}

TEST_F(DeadlineStopTest, ADeadlineCanBeEarlierOrLaterThanTheOneBefore) {
  const std::stop_token first = BeginIn(seconds(5));
  runtime_.RunUntilIdle();
  const std::stop_token earlier = BeginIn(seconds(1));
  runtime_.AdvanceBy(seconds(1));
  EXPECT_TRUE(earlier.stop_requested());
  const std::stop_token later = BeginIn(seconds(30));
  runtime_.AdvanceBy(seconds(29));
  EXPECT_FALSE(later.stop_requested());
  runtime_.AdvanceBy(seconds(1));
  EXPECT_TRUE(later.stop_requested());
  EXPECT_FALSE(first.stop_requested());
}

TEST_F(DeadlineStopTest, ADeadlineBegunAfterAnotherHasPassedTriggers) {
  EXPECT_FALSE(BeginIn(seconds(1)).stop_requested());
  deadline_.End();
  runtime_.AdvanceBy(seconds(3));
  const std::stop_token token = BeginIn(seconds(2));
  runtime_.AdvanceBy(seconds(2));
  EXPECT_TRUE(token.stop_requested());
}

// The thread is not woken to learn of a later deadline.
TEST_F(DeadlineStopTest, TheThreadSleepsThroughDeadlinesThatAreRepeated) {
  const MonotonicTime start = runtime_.Now();
  std::stop_token token = BeginIn(seconds(10));
  runtime_.RunUntilIdle();
  for (int i = 0; i < 3; ++i) {
    runtime_.AdvanceBy(seconds(2));
    token = BeginIn(seconds(10));
    runtime_.RunUntilIdle();
  }
  ASSERT_TRUE(runtime_.AdvanceToNextDeadline());
  EXPECT_EQ(runtime_.Now() - start, seconds(10));
  EXPECT_FALSE(token.stop_requested());
  ASSERT_TRUE(runtime_.AdvanceToNextDeadline());
  EXPECT_EQ(runtime_.Now() - start, seconds(16));
  runtime_.RunUntilIdle();
  EXPECT_TRUE(token.stop_requested());
}

}  // namespace
}  // namespace capstan::io
