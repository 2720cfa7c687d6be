#include "deployment/rolling_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "builders.h"

namespace capstan::deployment {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Fenceposts, RoundsSurgeUpAndUnavailabilityDown) {
  Deployment deployment = DeploymentOf(10);
  const Fenceposts limits = ResolveFenceposts(deployment).value();
  EXPECT_EQ(limits.max_surge, 3);
  EXPECT_EQ(limits.max_unavailable, 2);
}

TEST(Fenceposts, AllowsOneUnavailablePodWhenBothResolveToZero) {
  Deployment deployment = DeploymentOf(2);
  SetLimits(deployment, 0, "1%");
  const Fenceposts limits = ResolveFenceposts(deployment).value();
  EXPECT_EQ(limits.max_surge, 0);
  EXPECT_EQ(limits.max_unavailable, 1);
}

TEST(Fenceposts, LimitsUnavailablePodsToTheReplicas) {
  Deployment deployment = DeploymentOf(3);
  SetLimits(deployment, 1, 100);
  EXPECT_EQ(ResolveFenceposts(deployment).value().max_unavailable, 3);
  deployment.spec.replicas = 0;
  EXPECT_EQ(ResolveFenceposts(deployment).value().max_unavailable, 0);
}

TEST(Fenceposts, InvalidPercentageIsAnErrorThatNamesTheField) {
  Deployment deployment = DeploymentOf(3);
  SetLimits(deployment, "lots", 1);
  const Status status = ResolveFenceposts(deployment).status();
  EXPECT_TRUE(status.IsTerminal());
  EXPECT_THAT(status.message(), HasSubstr("spec.strategy.rollingUpdate.maxSurge"));
  EXPECT_EQ(FencepostsOrNone(deployment).max_unavailable, 0);
}

TEST(Fenceposts, KeepsTheSumWithinInt32) {
  Deployment deployment = DeploymentOf(2'000'000'000);
  SetLimits(deployment, "100%", "200%");
  const Fenceposts limits = ResolveFenceposts(deployment).value();
  EXPECT_EQ(limits.max_surge, 147'483'647);
  EXPECT_EQ(limits.max_unavailable, 2'000'000'000);
}

TEST(Fenceposts, AreZeroForRecreate) {
  Deployment deployment = DeploymentOf(10);
  deployment.spec.strategy.type = "Recreate";
  EXPECT_EQ(ResolveFenceposts(deployment).value().max_surge, 0);
  EXPECT_EQ(ResolveFenceposts(deployment).value().max_unavailable, 0);
}

RollingInput Input(int64_t desired, int64_t surge, int64_t unavailable, SetSize fresh,
                   std::vector<SetSize> old) {
  return {
      .desired = desired, .limits = {surge, unavailable}, .fresh = fresh, .old = std::move(old)};
}

TEST(RollingUpdate, ScalesUpTheNewReplicaSetToTheSurge) {
  const RollingPlan plan = PlanRolling(Input(10, 3, 2, {0, 0}, {{10, 10}}));
  EXPECT_EQ(plan.fresh, 3);
  EXPECT_THAT(plan.old, ElementsAre(10));
}

TEST(RollingUpdate, ScalesDownOldReplicaSetsOnlyWhenTheNewOneCannotGrow) {
  const RollingPlan plan = PlanRolling(Input(10, 3, 2, {3, 0}, {{10, 10}}));
  EXPECT_EQ(plan.fresh, 3);
  EXPECT_THAT(plan.old, ElementsAre(8));
}

TEST(RollingUpdate, ScalesDownUnavailablePodsFirst) {
  const RollingPlan plan = PlanRolling(Input(10, 0, 2, {0, 0}, {{5, 5}, {5, 3}}));
  EXPECT_THAT(plan.old, ElementsAre(5, 3));
}

TEST(RollingUpdate, KeepsMinAvailableWhenNewPodsAreUnavailable) {
  const RollingPlan plan = PlanRolling(Input(10, 3, 2, {5, 0}, {{8, 8}}));
  EXPECT_THAT(plan.old, ElementsAre(8));
}

TEST(RollingUpdate, ScalesDownANewReplicaSetThatIsTooLarge) {
  const RollingPlan plan = PlanRolling(Input(4, 1, 1, {6, 6}, {{3, 3}}));
  EXPECT_EQ(plan.fresh, 4);
  EXPECT_THAT(plan.old, ElementsAre(3));
}

TEST(RollingUpdate, WaitsForAStatusThatLagsBehind) {
  const RollingPlan plan = PlanRolling(Input(10, 3, 2, {3, 3}, {{4, 6}, {6, 6}}));
  EXPECT_THAT(plan.old, ElementsAre(4, 6));
}

// After a rollback during a rollout: the new ReplicaSet was the old one, and has been scaled down.
TEST(RollingUpdate, DoesNotCountAvailablePodsAboveTheReplicas) {
  const RollingPlan plan = PlanRolling(Input(3, 0, 1, {1, 3}, {{2, 2}}));
  EXPECT_EQ(plan.fresh, 1);
  EXPECT_THAT(plan.old, ElementsAre(1));
}

TEST(RollingUpdate, ScalesDownTheOldestReplicaSetFirst) {
  const RollingPlan plan = PlanRolling(Input(4, 2, 1, {2, 2}, {{2, 2}, {2, 2}}));
  EXPECT_THAT(plan.old, ElementsAre(0, 1));
}

RollingInput RandomInput(std::mt19937_64& random) {
  const auto upto = [&](int64_t max) {
    return std::uniform_int_distribution<int64_t>(0, max)(random);
  };
  RollingInput input;
  input.desired = upto(20);
  input.limits = {upto(6), std::min(upto(6), input.desired)};
  if (input.limits.max_surge == 0 && input.limits.max_unavailable == 0) {
    input.limits.max_unavailable = std::min<int64_t>(1, input.desired);
  }
  input.fresh.replicas = upto(22);
  input.fresh.available = upto(input.fresh.replicas);
  for (int64_t i = upto(4); i > 0; --i) {
    const int64_t replicas = upto(12);
    input.old.push_back({replicas, upto(replicas)});
  }
  return input;
}

int64_t SpecOf(const RollingPlan& plan) {
  int64_t sum = plan.fresh;
  for (int64_t size : plan.old) sum += size;
  return sum;
}

TEST(RollingUpdate, NeverExceedsTheSurge) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const RollingInput input = RandomInput(random);
    const RollingPlan plan = PlanRolling(input);
    ASSERT_EQ(plan.old.size(), input.old.size());
    for (size_t k = 0; k < plan.old.size(); ++k) {
      ASSERT_GE(plan.old[k], 0);
      ASSERT_LE(plan.old[k], input.old[k].replicas);
    }
    if (plan.fresh > input.fresh.replicas) {
      ASSERT_LE(SpecOf(plan), input.desired + input.limits.max_surge);
      ASSERT_LE(plan.fresh, input.desired);
    }
  }
}

TEST(RollingUpdate, NeverGoesBelowMinAvailable) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20'000; ++i) {
    const RollingInput input = RandomInput(random);
    const RollingPlan plan = PlanRolling(input);
    if (plan.fresh < input.fresh.replicas) continue;  // the user asked for fewer
    int64_t before = input.fresh.available;
    int64_t after = input.fresh.available;
    for (size_t k = 0; k < plan.old.size(); ++k) {
      before += input.old[k].available;
      after += std::min(input.old[k].available, plan.old[k]);
    }
    const int64_t min_available = input.desired - input.limits.max_unavailable;
    ASSERT_GE(after, std::min(before, min_available));
  }
}

TEST(RollingUpdate, ConvergesWhenPodsBecomeAvailable) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 5'000; ++i) {
    RollingInput input = RandomInput(random);
    int steps = 0;
    for (;; ++steps) {
      ASSERT_LT(steps, 200);
      const RollingPlan plan = PlanRolling(input);
      bool changed = plan.fresh != input.fresh.replicas || plan.fresh != input.fresh.available;
      input.fresh = {plan.fresh, plan.fresh};
      for (size_t k = 0; k < plan.old.size(); ++k) {
        changed = changed || plan.old[k] != input.old[k].replicas;
        input.old[k].replicas = plan.old[k];
        input.old[k].available = std::min(input.old[k].available, plan.old[k]);
      }
      if (!changed) break;
    }
    ASSERT_EQ(input.fresh.replicas, input.desired);
    for (const SetSize& old : input.old) ASSERT_EQ(old.replicas, 0);
  }
}

}  // namespace
}  // namespace capstan::deployment
