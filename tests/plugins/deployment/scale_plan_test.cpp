#include "deployment/scale_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "builders.h"

namespace capstan::deployment {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<int64_t> ScaledSizesOf(const std::vector<Scale>& scales) {
  std::vector<int64_t> sizes;
  for (const Scale& scale : scales) sizes.push_back(scale.replicas);
  return sizes;
}

TEST(ProportionalScaling, DistributesAddedReplicasBySize) {
  EXPECT_THAT(
      Proportions(
          {.desired = 15, .max_surge = 3, .status_replicas = 13, .sets = {{8, 13}, {5, 13}}}),
      ElementsAre(11, 7));
}

TEST(ProportionalScaling, DistributesRemovedReplicasBySize) {
  EXPECT_THAT(
      Proportions(
          {.desired = 5, .max_surge = 0, .status_replicas = 10, .sets = {{6, 10}, {4, 10}}}),
      ElementsAre(3, 2));
}

TEST(ProportionalScaling, GivesTheRemainderToTheNewerOfTwoEqualReplicaSets) {
  EXPECT_THAT(
      Proportions({.desired = 5, .max_surge = 0, .status_replicas = 4, .sets = {{2, 4}, {2, 4}}}),
      ElementsAre(2, 3));
}

TEST(ProportionalScaling, ScalesEverythingToZeroForZeroReplicas) {
  EXPECT_THAT(
      Proportions({.desired = 0, .max_surge = 2, .status_replicas = 9, .sets = {{5, 11}, {4, 11}}}),
      ElementsAre(0, 0));
}

TEST(ProportionalScaling, UsesTheStatusWithoutAnAnnotation) {
  EXPECT_THAT(Proportions({.desired = 20,
                           .max_surge = 0,
                           .status_replicas = 10,
                           .sets = {{5, std::nullopt}, {5, 0}}}),
              ElementsAre(10, 10));
}

TEST(ProportionalScaling, RoundsHalfUp) {
  EXPECT_THAT(
      Proportions(
          {.desired = 3, .max_surge = 0, .status_replicas = 9, .sets = {{3, 3}, {5, 3}, {1, 3}}}),
      ElementsAre(3, 0, 1));
  EXPECT_THAT(
      Proportions(
          {.desired = 7, .max_surge = 0, .status_replicas = 17, .sets = {{8, 5}, {1, 5}, {8, 5}}}),
      ElementsAre(0, 1, 11));
}

TEST(ProportionalScaling, DoesNotOverflowWithOutOfRangeNumbers) {
  const int64_t huge = std::numeric_limits<int32_t>::max();
  const auto sizes = Proportions(
      {.desired = huge, .max_surge = 0, .status_replicas = 1, .sets = {{huge, 1}, {huge, 1}}});
  EXPECT_EQ(sizes[0] + sizes[1], huge);
}

TEST(ProportionalScaling, PreservesTheSumAndTheProportions) {
  std::mt19937_64 random(5);
  const auto upto = [&](int64_t max) {
    return std::uniform_int_distribution<int64_t>(0, max)(random);
  };
  for (int i = 0; i < 20'000; ++i) {
    ProportionInput input;
    const int64_t count = 1 + upto(5);
    int64_t total = 0;
    for (int64_t k = 0; k < count; ++k) {
      input.sets.push_back({1 + upto(40), std::nullopt});
      total += input.sets.back().replicas;
    }
    for (ProportionalSet& set : input.sets) set.max_replicas = total;
    input.desired = upto(200);
    input.max_surge = upto(20);
    input.status_replicas = total;
    const std::vector<int64_t> sizes = Proportions(input);
    const int64_t allowed = input.desired == 0 ? 0 : input.desired + input.max_surge;
    ASSERT_EQ(std::accumulate(sizes.begin(), sizes.end(), int64_t{0}), allowed);
    size_t largest = 0;
    for (size_t k = 0; k < sizes.size(); ++k) {
      if (sizes[k] > sizes[largest]) largest = k;
    }
    for (size_t k = 0; k < sizes.size(); ++k) {
      ASSERT_GE(sizes[k], 0);
      const double exact =
          static_cast<double>(input.sets[k].replicas * allowed) / static_cast<double>(total);
      // The largest set also gets the rounding remainder of the others.
      const double tolerance = k == largest ? static_cast<double>(count) : 1.0;
      if (allowed >= count) {
        ASSERT_LE(std::abs(static_cast<double>(sizes[k]) - exact), tolerance + 1);
      }
    }
  }
}

TEST(Scaling, GivesEverythingToTheOnlyActiveReplicaSet) {
  const Deployment deployment = DeploymentOf(5);
  const ReplicaSet old = SetOf("a", "v0", 3, 3);
  const ReplicaSet fresh = SetOf("b", "v1", 0, 0, 1);
  const auto scales = PlanScale(deployment, {&old}, &fresh);
  ASSERT_EQ(scales.size(), 1U);
  EXPECT_EQ(scales[0].set, &old);
  EXPECT_EQ(scales[0].replicas, 5);
}

TEST(Scaling, GivesEverythingToTheNewestWhenNoneIsActive) {
  const Deployment deployment = DeploymentOf(5);
  const ReplicaSet older = SetOf("a", "v0", 0, 0);
  const ReplicaSet newer = SetOf("b", "v0", 0, 0, 1);
  const auto scales = PlanScale(deployment, {&older, &newer}, nullptr);
  ASSERT_EQ(scales.size(), 1U);
  EXPECT_EQ(scales[0].set, &newer);
  EXPECT_THAT(PlanScale(deployment, {}, nullptr), IsEmpty());
}

TEST(Scaling, ScalesOldReplicaSetsToZeroWhenTheNewOneIsSaturated) {
  const Deployment deployment = DeploymentOf(5);
  const ReplicaSet old = SetOf("a", "v0", 3, 3);
  const ReplicaSet fresh = SizedFor(deployment, SetOf("b", "v1", 5, 5, 1));
  EXPECT_THAT(ScaledSizesOf(PlanScale(deployment, {&old}, &fresh)), ElementsAre(0));
}

TEST(Scaling, DoesNotScaleSeveralActiveReplicaSetsOfARecreateDeployment) {
  Deployment deployment = DeploymentOf(5);
  deployment.spec.strategy.type = "Recreate";
  const ReplicaSet old = SetOf("a", "v0", 3, 3);
  const ReplicaSet fresh = SetOf("b", "v1", 1, 1, 1);
  EXPECT_THAT(PlanScale(deployment, {&old}, &fresh), IsEmpty());
}

TEST(Scaling, IsDetectedByTheDesiredReplicasAnnotation) {
  Deployment deployment = DeploymentOf(5);
  ReplicaSet set = SizedFor(deployment, SetOf("a", "v1", 5, 5));
  EXPECT_FALSE(IsScalingEvent(deployment, {&set}));
  deployment.spec.replicas = 6;
  EXPECT_TRUE(IsScalingEvent(deployment, {&set}));
  for (std::string_view garbage : {"", "-1", "six", "4294967296", "3000000000"}) {
    set.metadata.annotations.Set(kDesiredReplicasAnnotation, garbage);
    EXPECT_FALSE(IsScalingEvent(deployment, {&set})) << garbage;
  }
  ReplicaSet idle = SetOf("b", "v0", 0, 0);
  idle.metadata.annotations.Set(kDesiredReplicasAnnotation, "5");
  EXPECT_FALSE(IsScalingEvent(deployment, {&idle}));
}

}  // namespace
}  // namespace capstan::deployment
