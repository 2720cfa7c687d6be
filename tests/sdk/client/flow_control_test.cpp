#include "client/flow_control.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>

#include <capstan/testing/simulated_runtime.h>

namespace capstan {
namespace {

using namespace std::chrono_literals;

TEST(TokenBucket, LetsABurstThroughAtOnceAndThenKeepsToItsRate) {
  testing::SimulatedRuntime runtime;
  TokenBucket bucket(runtime, 10, 3);
  const MonotonicTime begin = runtime.Now();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.Accept({}));
  EXPECT_EQ(runtime.Now(), begin);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(bucket.Accept({}));
  EXPECT_GE(runtime.Now() - begin, 500ms);
  EXPECT_LT(runtime.Now() - begin, 501ms);
}

TEST(TokenBucket, SavesNoMoreThanABurst) {
  testing::SimulatedRuntime runtime;
  TokenBucket bucket(runtime, 10, 2);
  runtime.AdvanceBy(1h);
  const MonotonicTime begin = runtime.Now();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.Accept({}));
  EXPECT_GE(runtime.Now() - begin, 100ms);
  EXPECT_LT(runtime.Now() - begin, 101ms);
}

TEST(TokenBucket, DoesNotLimitWithoutARate) {
  testing::SimulatedRuntime runtime;
  TokenBucket bucket(runtime, 0, 0);
  const MonotonicTime begin = runtime.Now();
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(bucket.Accept({}));
  EXPECT_EQ(runtime.Now(), begin);
}

TEST(TokenBucket, GivesTheTokenBackOfACallerThatStopsWaiting) {
  testing::SimulatedRuntime runtime;
  TokenBucket bucket(runtime, 1, 1);
  EXPECT_TRUE(bucket.Accept({}));
  std::stop_source stop;
  bool accepted = true;
  {
    auto waiter = runtime.Start("waiter", [&] { accepted = bucket.Accept(stop.get_token()); });
    runtime.RunUntilIdle();
    stop.request_stop();
  }
  EXPECT_FALSE(accepted);
  const MonotonicTime begin = runtime.Now();
  EXPECT_TRUE(bucket.Accept({}));
  EXPECT_LT(runtime.Now() - begin, 1001ms);
}

TEST(TokenBucket, RefusesACallerThatIsStoppedAlready) {
  testing::SimulatedRuntime runtime;
  TokenBucket bucket(runtime, 0, 1);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(bucket.Accept(stop.get_token()));
}

}  // namespace
}  // namespace capstan
