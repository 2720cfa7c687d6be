#include <capstan/queue/rate_limiter.h>

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include <capstan/testing/simulated_runtime.h>

#include "queue/token_bucket.h"

namespace capstan {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::SimulatedRuntime;

const NamespacedName kWeb{"default", "web"};
const NamespacedName kDb{"default", "db"};

TEST(ItemExponentialRateLimiter, DoublesTheDelayOfAnItemUpToTheMaximum) {
  const auto limiter = NewItemExponentialRateLimiter(milliseconds(5), seconds(1000));
  EXPECT_EQ(limiter->When(kWeb), milliseconds(5));
  EXPECT_EQ(limiter->When(kWeb), milliseconds(10));
  EXPECT_EQ(limiter->When(kWeb), milliseconds(20));
  EXPECT_EQ(limiter->NumRequeues(kWeb), 3);
  for (int i = 3; i < 17; ++i) (void)limiter->When(kWeb);
  EXPECT_EQ(limiter->When(kWeb), milliseconds(5) * (1 << 17));
  EXPECT_EQ(limiter->When(kWeb), seconds(1000));
}

TEST(ItemExponentialRateLimiter, DoesNotOverflowAfterManyFailures) {
  const auto limiter = NewItemExponentialRateLimiter(milliseconds(5), Duration::max());
  Duration last{};
  for (int i = 0; i < 1000; ++i) {
    const Duration delay = limiter->When(kWeb);
    EXPECT_GE(delay, last);
    last = delay;
  }
  EXPECT_EQ(last, Duration::max());
}

TEST(ItemExponentialRateLimiter, NeverExceedsAMaximumBelowItsBase) {
  const auto limiter = NewItemExponentialRateLimiter(seconds(2), seconds(1));
  EXPECT_EQ(limiter->When(kWeb), seconds(1));
}

TEST(ItemExponentialRateLimiter, CountsFailuresPerItemUntilForget) {
  const auto limiter = NewItemExponentialRateLimiter(milliseconds(1), seconds(1));
  (void)limiter->When(kWeb);
  (void)limiter->When(kWeb);
  EXPECT_EQ(limiter->When(kDb), milliseconds(1));
  EXPECT_EQ(limiter->NumRequeues({"other", "web"}), 0);
  limiter->Forget(kWeb);
  EXPECT_EQ(limiter->NumRequeues(kWeb), 0);
  EXPECT_EQ(limiter->When(kWeb), milliseconds(1));
}

TEST(BucketRateLimiter, AllowsTheBurstAtOnceAndDelaysTheRest) {
  SimulatedRuntime runtime;
  const auto limiter = NewBucketRateLimiter(runtime.clock(), 10, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limiter->When(kWeb), Duration::zero());
  EXPECT_EQ(limiter->When(kWeb), milliseconds(100));
  EXPECT_EQ(limiter->When(kDb), milliseconds(200));
  runtime.AdvanceBy(milliseconds(250));
  EXPECT_NEAR(std::chrono::duration<double>(limiter->When(kWeb)).count(), 0.05, 1e-6);
}

TEST(BucketRateLimiter, AccumulatesAtMostTheBurst) {
  SimulatedRuntime runtime;
  const auto limiter = NewBucketRateLimiter(runtime.clock(), 10, 2);
  runtime.AdvanceBy(hours(1));
  EXPECT_EQ(limiter->When(kWeb), Duration::zero());
  EXPECT_EQ(limiter->When(kWeb), Duration::zero());
  EXPECT_EQ(limiter->When(kWeb), milliseconds(100));
}

TEST(BucketRateLimiter, IsUnlimitedWithoutARate) {
  SimulatedRuntime runtime;
  const auto limiter = NewBucketRateLimiter(runtime.clock(), 0, 1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(limiter->When(kWeb), Duration::zero());
}

TEST(MaxOfRateLimiter, ReturnsTheLongerDelayAndUpdatesBoth) {
  SimulatedRuntime runtime;
  const auto limiter =
      NewMaxOfRateLimiter(NewItemExponentialRateLimiter(milliseconds(5), seconds(1000)),
                          NewBucketRateLimiter(runtime.clock(), 10, 2));
  EXPECT_EQ(limiter->When(kWeb), milliseconds(5));
  EXPECT_EQ(limiter->When(kWeb), milliseconds(10));
  EXPECT_EQ(limiter->When(kDb), milliseconds(100));
  EXPECT_EQ(limiter->NumRequeues(kWeb), 2);
  limiter->Forget(kWeb);
  EXPECT_EQ(limiter->NumRequeues(kWeb), 0);
}

TEST(DefaultControllerRateLimiter, LimitsAllItemsTogetherAfterAHundred) {
  SimulatedRuntime runtime;
  const auto limiter = NewDefaultControllerRateLimiter(runtime.clock());
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(limiter->When({"default", std::to_string(i)}), milliseconds(5));
  }
  EXPECT_EQ(limiter->When({"default", "100"}), milliseconds(100));
  EXPECT_EQ(limiter->When({"default", "101"}), milliseconds(200));
}

TEST(TokenBucket, TakesATokenOnlyWhenThereIsOne) {
  const MonotonicTime start{seconds(5)};
  TokenBucket bucket(1.0 / 300, 2, start);
  EXPECT_TRUE(bucket.TryTake(start));
  EXPECT_TRUE(bucket.TryTake(start));
  EXPECT_FALSE(bucket.TryTake(start));
  EXPECT_FALSE(bucket.TryTake(start + seconds(299)));
  EXPECT_TRUE(bucket.TryTake(start + seconds(301)));
  EXPECT_FALSE(bucket.TryTake(start + seconds(301)));
}

TEST(TokenBucket, HandlesAClockThatStandsStillOrGoesBack) {
  const MonotonicTime start{seconds(5)};
  TokenBucket bucket(1, 1, start);
  EXPECT_TRUE(bucket.TryTake(start));
  EXPECT_FALSE(bucket.TryTake(start - seconds(4)));
  EXPECT_FALSE(bucket.TryTake(start));
  EXPECT_TRUE(bucket.TryTake(start + seconds(1)));
}

}  // namespace
}  // namespace capstan
