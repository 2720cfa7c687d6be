#include "deployment/status_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders.h"
#include "deployment/progress.h"

namespace capstan::deployment {
namespace {

Condition ConditionOf(const DeploymentStatus& status, std::string_view type) {
  const Condition* condition = FindCondition(status.conditions, type);
  return condition ? *condition : Condition{};
}

void Note(Deployment& deployment, std::string_view status, std::string_view reason, int64_t at) {
  SetCondition(deployment.status.conditions,
               NewCondition<Condition>(kProgressing, status, reason, "as before", TimeAt(at)));
}

TEST(DeploymentStatus, CountsAllReplicaSets) {
  Deployment deployment = DeploymentOf(10);
  deployment.metadata.generation = 7;
  deployment.status.collisionCount = 2;
  ReplicaSet old = SetOf("a", "v0", 6, 5);
  old.status.terminatingReplicas = 2;
  ReplicaSet fresh = SetOf("b", "v1", 5, 3, 1);
  fresh.status.replicas = 4;
  const DeploymentStatus status = CalculateStatus(
      {.deployment = deployment, .old_sets = {&old}, .new_set = &fresh, .now = At(0)});
  EXPECT_EQ(status.observedGeneration, 7);
  EXPECT_EQ(status.replicas, 10);
  EXPECT_EQ(status.updatedReplicas, 4);
  EXPECT_EQ(status.readyReplicas, 8);
  EXPECT_EQ(status.availableReplicas, 8);
  EXPECT_EQ(status.unavailableReplicas, 3);
  EXPECT_EQ(status.terminatingReplicas, 2);
  EXPECT_EQ(status.collisionCount, 2);
}

TEST(DeploymentStatus, ReportsTerminatingReplicasOnlyWhenAllReplicaSetsDo) {
  const Deployment deployment = DeploymentOf(1);
  ReplicaSet silent = SetOf("a", "v0", 1, 1);
  silent.status.terminatingReplicas.reset();
  StatusInput input{
      .deployment = deployment, .old_sets = {&silent}, .new_set = nullptr, .now = At(0)};
  EXPECT_EQ(CalculateStatus(input).terminatingReplicas, std::nullopt);
  silent.status.observedGeneration = 0;  // not synced yet: has no pods
  EXPECT_EQ(CalculateStatus(input).terminatingReplicas, 0);
}

TEST(DeploymentStatus, IsAvailableAtMinAvailable) {
  const Deployment deployment = DeploymentOf(10);  // maxUnavailable 2
  ReplicaSet set = SetOf("a", "v1", 10, 8);
  StatusInput input{.deployment = deployment, .old_sets = {}, .new_set = &set, .now = At(0)};
  Condition condition = ConditionOf(CalculateStatus(input), kAvailable);
  EXPECT_EQ(condition.status, "True");
  EXPECT_EQ(condition.reason, "MinimumReplicasAvailable");
  EXPECT_EQ(condition.message, "Deployment has minimum availability.");
  set.status.availableReplicas = 7;
  condition = ConditionOf(CalculateStatus(input), kAvailable);
  EXPECT_EQ(condition.status, "False");
  EXPECT_EQ(condition.reason, "MinimumReplicasUnavailable");
  EXPECT_EQ(condition.message, "Deployment does not have minimum availability.");
}

TEST(DeploymentStatus, ShowsTheFailureOfTheNewReplicaSetFirst) {
  const Deployment deployment = DeploymentOf(3);
  ReplicaSet old = SetOf("a", "v0", 1, 1);
  ReplicaSet fresh = SetOf("b", "v1", 1, 1, 1);
  auto failure = NewCondition<ReplicaSetCondition>(kReplicaFailure, "True", "FailedCreate",
                                                   "old quota", TimeAt(-5));
  old.status.conditions.push_back(failure);
  StatusInput input{.deployment = deployment, .old_sets = {&old}, .new_set = &fresh, .now = At(0)};
  EXPECT_EQ(ConditionOf(CalculateRolloutStatus(input), kReplicaFailure).message, "old quota");
  failure.message = "new quota";
  fresh.status.conditions.push_back(failure);
  const Condition shown = ConditionOf(CalculateRolloutStatus(input), kReplicaFailure);
  EXPECT_EQ(shown.message, "new quota");
  EXPECT_EQ(shown.lastUpdateTime, TimeAt(-5));
  EXPECT_EQ(shown.lastTransitionTime, TimeAt(-5));
}

TEST(DeploymentStatus, RemovesAnObsoleteFailure) {
  Deployment deployment = DeploymentOf(1);
  SetCondition(
      deployment.status.conditions,
      NewCondition<Condition>(kReplicaFailure, "True", "FailedCreate", "quota", TimeAt(0)));
  const ReplicaSet fresh = SetOf("b", "v1", 1, 1);
  const DeploymentStatus status = CalculateRolloutStatus(
      {.deployment = deployment, .old_sets = {}, .new_set = &fresh, .now = At(0)});
  EXPECT_EQ(FindCondition(status.conditions, kReplicaFailure), nullptr);
}

class Progress : public ::testing::Test {
 protected:
  Condition After(const ReplicaSet& fresh, int64_t now) {
    return ConditionOf(
        CalculateRolloutStatus(
            {.deployment = deployment_, .old_sets = {}, .new_set = &fresh, .now = At(now)}),
        kProgressing);
  }
  // The status that a sync would have written for `fresh`.
  void Observed(const ReplicaSet& fresh) {
    List<Condition> conditions = deployment_.status.conditions;
    deployment_.status = CalculateStatus(
        {.deployment = deployment_, .old_sets = {}, .new_set = &fresh, .now = At(0)});
    deployment_.status.conditions = conditions;
  }

  Deployment deployment_ = DeploymentOf(4);
};

TEST_F(Progress, EachNewReadyPodRestartsTheDeadline) {
  Note(deployment_, "True", "ReplicaSetUpdated", 0);
  Observed(SetOf("b", "v1", 4, 1));
  const Condition condition = After(SetOf("b", "v1", 4, 2), 100);
  EXPECT_EQ(condition.reason, "ReplicaSetUpdated");
  EXPECT_EQ(condition.message, "ReplicaSet \"b\" is progressing.");
  EXPECT_EQ(condition.lastUpdateTime, TimeAt(100));
  EXPECT_EQ(condition.lastTransitionTime, TimeAt(0));
}

TEST_F(Progress, IsCompleteWhenAllPodsAreUpdatedAndAvailable) {
  Note(deployment_, "True", "ReplicaSetUpdated", 0);
  Observed(SetOf("b", "v1", 4, 3));
  const Condition condition = After(SetOf("b", "v1", 4, 4), 100);
  EXPECT_EQ(condition.status, "True");
  EXPECT_EQ(condition.reason, "NewReplicaSetAvailable");
  EXPECT_EQ(condition.message, "ReplicaSet \"b\" has successfully progressed.");
}

TEST_F(Progress, TimesOutAfterTheDeadlineAndNotBefore) {
  Note(deployment_, "True", "ReplicaSetUpdated", 0);
  Observed(SetOf("b", "v1", 4, 1));
  EXPECT_EQ(After(SetOf("b", "v1", 4, 1), 600).reason, "ReplicaSetUpdated");
  const Condition condition = After(SetOf("b", "v1", 4, 1), 601);
  EXPECT_EQ(condition.status, "False");
  EXPECT_EQ(condition.reason, "ProgressDeadlineExceeded");
  EXPECT_EQ(condition.message, "ReplicaSet \"b\" has timed out progressing.");
  EXPECT_EQ(condition.lastTransitionTime, TimeAt(601));
}

TEST_F(Progress, DoesNotTimeOutAfterACompleteRollout) {
  Note(deployment_, "True", "NewReplicaSetAvailable", 0);
  Observed(SetOf("b", "v1", 4, 4));
  EXPECT_EQ(After(SetOf("b", "v1", 4, 1), 10'000).reason, "NewReplicaSetAvailable");
}

TEST_F(Progress, IsOmittedWithoutADeadline) {
  Note(deployment_, "True", "ReplicaSetUpdated", 0);
  deployment_.spec.progressDeadlineSeconds = std::numeric_limits<int32_t>::max();
  EXPECT_TRUE(After(SetOf("b", "v1", 4, 1), 0).type.empty());
}

TEST_F(Progress, HandlesOutOfRangeTimes) {
  Note(deployment_, "True", "ReplicaSetUpdated", 0);
  Observed(SetOf("b", "v1", 4, 1));
  deployment_.status.conditions[0].lastUpdateTime = Time::FromSeconds(253'402'300'799);
  EXPECT_EQ(After(SetOf("b", "v1", 4, 1), 601).reason, "ReplicaSetUpdated");
  deployment_.status.conditions[0].lastUpdateTime = Time();
  EXPECT_EQ(After(SetOf("b", "v1", 4, 1), 601).reason, "ProgressDeadlineExceeded");
}

TEST_F(Progress, IsCheckedAgainASecondAfterTheDeadline) {
  Note(deployment_, "True", "ReplicaSetUpdated", 0);
  Observed(SetOf("b", "v1", 4, 1));
  using std::chrono::seconds;
  EXPECT_EQ(NextProgressCheck(deployment_, deployment_.status, At(100)), Duration(seconds(501)));
  EXPECT_EQ(NextProgressCheck(deployment_, deployment_.status, At(5'000)), Duration(seconds(1)));
  Observed(SetOf("b", "v1", 4, 4));
  EXPECT_EQ(NextProgressCheck(deployment_, deployment_.status, At(100)), std::nullopt);
}

TEST_F(Progress, IsUnknownDuringAPause) {
  deployment_.spec.paused = true;
  NotePause(deployment_, TimeAt(5));
  Condition condition = ConditionOf(deployment_.status, kProgressing);
  EXPECT_EQ(condition.status, "Unknown");
  EXPECT_EQ(condition.reason, "DeploymentPaused");
  EXPECT_EQ(condition.message, "Deployment is paused");
  deployment_.spec.paused = false;
  NotePause(deployment_, TimeAt(9));
  condition = ConditionOf(deployment_.status, kProgressing);
  EXPECT_EQ(condition.reason, "DeploymentResumed");
  EXPECT_EQ(condition.message, "Deployment is resumed");
  EXPECT_EQ(condition.lastUpdateTime, TimeAt(9));
}

TEST_F(Progress, ATimeoutIsKeptDuringAPause) {
  Note(deployment_, "False", "ProgressDeadlineExceeded", 0);
  deployment_.spec.paused = true;
  NotePause(deployment_, TimeAt(5));
  EXPECT_EQ(ConditionOf(deployment_.status, kProgressing).reason, "ProgressDeadlineExceeded");
}

TEST(DelayableStatus, IsTrueForChangedCounts) {
  DeploymentStatus before;
  before.conditions = {
      NewCondition<Condition>(kProgressing, "True", "NewReplicaSetCreated", "one", TimeAt(0))};
  EXPECT_FALSE(OnlyCountsDiffer(before, before));
  DeploymentStatus after = before;
  after.readyReplicas = 1;
  EXPECT_TRUE(OnlyCountsDiffer(before, after));
  after.conditions = {
      NewCondition<Condition>(kProgressing, "True", kReplicaSetUpdated, "two", TimeAt(9))};
  EXPECT_TRUE(OnlyCountsDiffer(before, after)) << "the rollout continues";
}

TEST(DelayableStatus, IsFalseForChangesThatUsersWaitFor) {
  DeploymentStatus before;
  before.conditions = {
      NewCondition<Condition>(kProgressing, "True", kReplicaSetUpdated, "one", TimeAt(0))};
  DeploymentStatus after = before;
  after.readyReplicas = 1;
  after.observedGeneration = 2;
  EXPECT_FALSE(OnlyCountsDiffer(before, after));
  after = before;
  after.readyReplicas = 1;
  after.conditions = {
      NewCondition<Condition>(kProgressing, "True", "NewReplicaSetAvailable", "two", TimeAt(9))};
  EXPECT_FALSE(OnlyCountsDiffer(before, after));
  after.conditions = {};
  EXPECT_FALSE(OnlyCountsDiffer(before, after));
  after = before;
  after.readyReplicas = 1;
  after.collisionCount = 1;
  EXPECT_FALSE(OnlyCountsDiffer(before, after));
}

}  // namespace
}  // namespace capstan::deployment
