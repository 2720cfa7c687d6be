#include "deployment/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/api/object.h>

#include "builders.h"

namespace capstan::deployment {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string_view ReasonOf(const Deployment& deployment) {
  const Condition* condition = FindCondition(deployment.status.conditions, kProgressing);
  return condition ? condition->reason.view() : std::string_view();
}

TEST(DeploymentPlan, CreatesTheFirstReplicaSetAtFullSize) {
  const Plan plan = PlanOf(DeploymentOf(3), {}).value();
  ASSERT_TRUE(plan.creation);
  EXPECT_EQ(plan.creation->set.spec.replicas, 3);
  ASSERT_TRUE(plan.creation->event);
  EXPECT_EQ(plan.creation->event->reason, "ScalingReplicaSet");
  EXPECT_EQ(plan.creation->event->message,
            "Scaled up replica set " + plan.creation->set.metadata.name + " from 0 to 3");
  EXPECT_EQ(plan.after.metadata.annotations.Get(kRevisionAnnotation), "1");
  EXPECT_EQ(ReasonOf(plan.after), "NewReplicaSetCreated");
  EXPECT_EQ(plan.after.status.observedGeneration, 1);
  EXPECT_FALSE(plan.creation->deployment.metadata.annotations.Contains(kRevisionAnnotation));
}

TEST(DeploymentPlan, CreatesTheNextReplicaSetWithinTheSurge) {
  const Deployment deployment = DeploymentOf(10, "v2");
  const Plan plan =
      PlanOf(deployment, {SizedFor(deployment, SetOf("a", "v1", 10, 10), "3")}).value();
  ASSERT_TRUE(plan.creation);
  EXPECT_EQ(plan.creation->set.spec.replicas, 3);
  EXPECT_EQ(plan.creation->set.metadata.annotations.Get(kRevisionAnnotation), "4");
  // The surge is used up, and two old pods are more than must be available.
  ASSERT_THAT(plan.updates, SizeIs(1));
  EXPECT_EQ(plan.updates[0].after.spec.replicas, 8);
  ASSERT_THAT(plan.updates[0].events, SizeIs(1));
  EXPECT_EQ(plan.updates[0].events[0].message, "Scaled down replica set a from 10 to 8");
}

TEST(DeploymentPlan, RecordsTwoEventsForOneScaleDownWithUnhealthyPods) {
  Deployment deployment = DeploymentOf(4, "v2");
  SetLimits(deployment, 2, 1);
  const Plan plan = PlanOf(deployment, {SizedFor(deployment, SetOf("a", "v1", 4, 2)),
                                        SizedFor(deployment, SetOf("b", "v2", 2, 2, 1), "2")})
                        .value();
  ASSERT_THAT(plan.updates, SizeIs(1));
  EXPECT_EQ(plan.updates[0].after.spec.replicas, 1);
  ASSERT_THAT(plan.updates[0].events, SizeIs(2));
  EXPECT_EQ(plan.updates[0].events[0].message, "Scaled down replica set a from 4 to 2");
  EXPECT_EQ(plan.updates[0].events[1].message, "Scaled down replica set a from 2 to 1");
}

TEST(DeploymentPlan, AScaleDownMayWaitForUnavailableNewPods) {
  const Deployment deployment = DeploymentOf(10, "v2");
  const ReplicaSet old = SizedFor(deployment, SetOf("a", "v1", 8, 8));
  const Plan some =
      PlanOf(deployment, {old, SizedFor(deployment, SetOf("b", "v2", 5, 2, 1), "2")}).value();
  EXPECT_THAT(some.updates, SizeIs(1));
  EXPECT_TRUE(some.updates_may_wait);
  const Plan all =
      PlanOf(deployment, {old, SizedFor(deployment, SetOf("b", "v2", 5, 5, 1), "2")}).value();
  EXPECT_THAT(all.updates, SizeIs(1));
  EXPECT_FALSE(all.updates_may_wait);
}

TEST(DeploymentPlan, AScaleUpAndAScalingOfTheDeploymentMayNotWait) {
  const Deployment deployment = DeploymentOf(10, "v2");
  const ReplicaSet old = SizedFor(deployment, SetOf("a", "v1", 8, 8));
  const Plan up =
      PlanOf(deployment, {old, SizedFor(deployment, SetOf("b", "v2", 3, 0, 1), "2")}).value();
  EXPECT_THAT(up.updates, SizeIs(1));
  EXPECT_FALSE(up.updates_may_wait);
  const Plan scaling =
      PlanOf(DeploymentOf(5, "v2"), {old, SizedFor(deployment, SetOf("b", "v2", 5, 0, 1), "2")})
          .value();
  EXPECT_FALSE(scaling.updates.empty());
  EXPECT_FALSE(scaling.updates_may_wait);
}

TEST(DeploymentPlan, WritesNothingWhenTheRolloutIsComplete) {
  Deployment deployment = DeploymentOf(3);
  const ReplicaSet set = SizedFor(deployment, SetOf("a", "v1", 3, 3));
  deployment = PlanOf(deployment, {set}).value().after;
  deployment = PlanOf(deployment, {set}).value().after;
  EXPECT_EQ(ReasonOf(deployment), "NewReplicaSetAvailable");
  const Plan plan = PlanOf(deployment, {set}, At(1'000)).value();
  EXPECT_FALSE(plan.creation);
  EXPECT_THAT(plan.updates, IsEmpty());
  EXPECT_THAT(plan.deletions, IsEmpty());
  EXPECT_TRUE(Equal(plan.after, deployment));
  EXPECT_EQ(plan.requeue_after, std::nullopt);
}

TEST(DeploymentPlan, KeepsTheNewReplicaSetsAnnotationsAndMinReadySeconds) {
  Deployment deployment = DeploymentOf(3);
  deployment.spec.minReadySeconds = 9;
  deployment.metadata.annotations = {{"team", "a"}};
  const Plan plan = PlanOf(deployment, {SizedFor(deployment, SetOf("a", "v1", 3, 3))}).value();
  const ReplicaSetUpdate* update = UpdateOf(plan, "a");
  ASSERT_NE(update, nullptr);
  EXPECT_EQ(update->after.spec.minReadySeconds, 9);
  EXPECT_EQ(update->after.metadata.annotations.Get("team"), "a");
  EXPECT_THAT(update->events, IsEmpty());
  // The Deployment's revision is set after the ReplicaSet's revision was observed.
  EXPECT_FALSE(plan.after.metadata.annotations.Contains(kRevisionAnnotation));
}

TEST(DeploymentPlan, ReusesAnOldReplicaSetWithANewRevision) {
  const Deployment deployment = DeploymentOf(4, "v1");
  const Plan plan = PlanOf(deployment, {SizedFor(deployment, SetOf("a", "v1", 0, 0), "1"),
                                        SizedFor(deployment, SetOf("b", "v2", 4, 4, 1), "2")})
                        .value();
  EXPECT_FALSE(plan.creation);
  const ReplicaSetUpdate* update = UpdateOf(plan, "a");
  ASSERT_NE(update, nullptr);
  EXPECT_EQ(update->after.metadata.annotations.Get(kRevisionAnnotation), "3");
  EXPECT_EQ(update->after.metadata.annotations.Get(kRevisionHistoryAnnotation), "1");
  EXPECT_EQ(update->after.spec.replicas, 1);
  EXPECT_EQ(UpdateOf(plan, "b"), nullptr);
}

TEST(DeploymentPlan, APausedDeploymentIsScaledButNotRolledOut) {
  Deployment deployment = DeploymentOf(5, "v2");
  deployment.spec.paused = true;
  const Plan plan = PlanOf(deployment, {SizedFor(DeploymentOf(3), SetOf("a", "v1", 3, 3))}).value();
  EXPECT_FALSE(plan.creation);
  ASSERT_THAT(plan.updates, SizeIs(1));
  EXPECT_EQ(plan.updates[0].after.spec.replicas, 5);
  EXPECT_EQ(ReasonOf(plan.after), "DeploymentPaused");
}

TEST(DeploymentPlan, ADeploymentBeingDeletedGetsStatusWritesOnly) {
  Deployment deployment = DeploymentOf(5, "v2");
  deployment.metadata.deletionTimestamp = TimeAt(-1);
  const Plan plan = PlanOf(deployment, {SizedFor(DeploymentOf(3), SetOf("a", "v1", 3, 3))}).value();
  EXPECT_FALSE(plan.creation);
  EXPECT_THAT(plan.updates, IsEmpty());
  EXPECT_EQ(plan.after.status.availableReplicas, 3);
  EXPECT_EQ(ReasonOf(plan.after), "");
}

TEST(DeploymentPlan, ScalesProportionallyDuringARollout) {
  const Deployment before = DeploymentOf(10, "v2");
  Deployment deployment = DeploymentOf(20, "v2");
  const Plan plan = PlanOf(deployment, {SizedFor(before, SetOf("a", "v1", 8, 8)),
                                        SizedFor(before, SetOf("b", "v2", 5, 5, 1), "2")})
                        .value();
  ASSERT_THAT(plan.updates, SizeIs(2));
  EXPECT_EQ(UpdateOf(plan, "a")->after.spec.replicas, 15);
  EXPECT_EQ(UpdateOf(plan, "b")->after.spec.replicas, 10);
  EXPECT_EQ(UpdateOf(plan, "b")->after.metadata.annotations.Get(kMaxReplicasAnnotation), "25");
}

TEST(DeploymentPlan, CleansUpHistoryOnlyAfterTheRollout) {
  Deployment deployment = DeploymentOf(1);
  deployment.spec.revisionHistoryLimit = 0;
  const std::vector<ReplicaSet> sets = {SizedFor(deployment, SetOf("old", "v0", 0, 0), "1"),
                                        SizedFor(deployment, SetOf("a", "v1", 1, 1, 1), "2")};
  Plan plan = PlanOf(deployment, sets).value();
  EXPECT_THAT(plan.deletions, IsEmpty());  // its status is not yet known to be complete
  plan = PlanOf(plan.after, sets).value();
  ASSERT_THAT(plan.deletions, SizeIs(1));
  EXPECT_EQ(plan.deletions[0]->metadata.name, "old");
}

TEST(DeploymentPlan, RefusesAnUnknownStrategy) {
  Deployment deployment = DeploymentOf(1);
  deployment.spec.strategy.type = "Shuffle";
  EXPECT_TRUE(PlanOf(deployment, {}).status().IsTerminal());
}

TEST(DeploymentPlan, RollsBackByAnnotation) {
  Deployment deployment = DeploymentOf(3, "v2");
  deployment.metadata.annotations = {{kRollbackToAnnotation, "1"}, {kRevisionAnnotation, "2"}};
  const Plan plan = PlanOf(deployment, {SizedFor(deployment, SetOf("a", "v1", 0, 0), "1"),
                                        SizedFor(deployment, SetOf("b", "v2", 3, 3, 1), "2")})
                        .value();
  ASSERT_TRUE(plan.rollback);
  EXPECT_TRUE(plan.rollback->replaces_template);
  EXPECT_EQ(plan.rollback->event.message, "Rolled back deployment \"web\" to revision 1");
  EXPECT_THAT(plan.updates, IsEmpty());
}

TEST(DeploymentPlan, IgnoresADeploymentThatSelectsEverything) {
  Deployment deployment = DeploymentOf(3);
  EXPECT_FALSE(SelectsEverything(deployment));
  deployment.spec.selector = {};
  ASSERT_TRUE(SelectsEverything(deployment));
  const Plan plan = PlanForSelectingEverything(deployment);
  ASSERT_THAT(plan.warnings, SizeIs(1));
  EXPECT_EQ(plan.warnings[0].reason, "SelectingAll");
  EXPECT_EQ(plan.after.status.observedGeneration, 1);
  EXPECT_THAT(plan.after.status.conditions, IsEmpty());
}

class Recreate : public ::testing::Test {
 protected:
  Recreate() { deployment_.spec.strategy = {.type = "Recreate", .rollingUpdate = std::nullopt}; }
  Plan PlanWith(const ReplicaSet& old, bool has_unfinished_pods) {
    return MakePlan({.deployment = deployment_,
                     .sets = {{.set = Share(old), .has_unfinished_pods = has_unfinished_pods}},
                     .now = At(0)})
        .value();
  }
  Deployment deployment_ = DeploymentOf(3, "v2");
};

TEST_F(Recreate, ScalesDownOldReplicaSetsFirst) {
  const Plan plan = PlanWith(SizedFor(deployment_, SetOf("a", "v1", 3, 3)), true);
  EXPECT_FALSE(plan.creation);
  ASSERT_THAT(plan.updates, SizeIs(1));
  EXPECT_EQ(plan.updates[0].after.spec.replicas, 0);
  ASSERT_THAT(plan.updates[0].events, SizeIs(1));
  EXPECT_EQ(plan.updates[0].events[0].message, "Scaled down replica set a from 3 to 0");
}

TEST_F(Recreate, WaitsForRunningOldPods) {
  EXPECT_FALSE(PlanWith(SizedFor(deployment_, SetOf("a", "v1", 0, 0)), true).creation);
  ReplicaSet counting = SizedFor(deployment_, SetOf("a", "v1", 0, 0));
  counting.status.replicas = 1;
  EXPECT_FALSE(PlanWith(counting, false).creation);
}

TEST_F(Recreate, CreatesTheNewReplicaSetAtFullSizeAfterTheOldPodsAreGone) {
  const Plan plan = PlanWith(SizedFor(deployment_, SetOf("a", "v1", 0, 0)), false);
  ASSERT_TRUE(plan.creation);
  EXPECT_EQ(plan.creation->set.spec.replicas, 3);
  EXPECT_EQ(plan.creation->set.metadata.annotations.Get(kMaxReplicasAnnotation), "3");
}

TEST_F(Recreate, ContinuesWhenScaledWhileTwoReplicaSetsHavePods) {
  const Deployment before = DeploymentOf(4);
  const auto plan_of = [&](const Deployment& deployment) {
    return PlanOf(deployment, {SizedFor(before, SetOf("a", "v0", 2, 2)),
                               SizedFor(before, SetOf("b", "v1", 2, 2, 1), "2")})
        .value();
  };
  const Plan first = plan_of(deployment_);
  EXPECT_THAT(first.updates, IsEmpty()) << "the status first, as the reference";
  const Plan plan = plan_of(first.after);
  ASSERT_THAT(plan.updates, SizeIs(2));
  EXPECT_EQ(plan.updates[0].after.spec.replicas, 0);
  EXPECT_EQ(plan.updates[1].after.spec.replicas, 0);
}

TEST(DeploymentPlan, UpdatesTheStatusBeforeARolloutWithAStaleDesiredReplicasAnnotation) {
  const auto plan_of = [](const Deployment& deployment) {
    return PlanOf(deployment, {SizedFor(DeploymentOf(2), SetOf("a", "v1", 4, 4))}).value();
  };
  const Plan first = plan_of(DeploymentOf(4, "v2"));
  EXPECT_FALSE(first.creation) << "the status first, as the reference";
  EXPECT_TRUE(plan_of(first.after).creation);
}

TEST(DeploymentPlan, DoesNotDeleteAReplicaSetThatItScalesUpWhilePaused) {
  Deployment deployment = DeploymentOf(1, "v2");
  deployment.spec.paused = true;
  deployment.spec.revisionHistoryLimit = 0;
  const Plan plan = PlanOf(deployment, {SetOf("a", "v1", 0, 0)}).value();
  ASSERT_THAT(plan.updates, SizeIs(1));
  EXPECT_EQ(plan.updates[0].after.spec.replicas, 1);
  EXPECT_THAT(plan.deletions, IsEmpty());
}

TEST(DeploymentPlan, ScalesDownBeforeItScalesUp) {
  Deployment deployment = DeploymentOf(1, "v2");
  SetLimits(deployment, 2, 0);
  Deployment before = DeploymentOf(4, "v2");
  SetLimits(before, 4, 0);
  // "b" is new, and was scaled for a much larger Deployment.
  const Plan plan = PlanOf(deployment, {SizedFor(deployment, SetOf("a", "v1", 1, 1, 1)),
                                        SizedFor(before, SetOf("b", "v2", 1, 1, 0), "2")})
                        .value();
  ASSERT_THAT(plan.updates, SizeIs(2));
  EXPECT_EQ(plan.updates[0].after.spec.replicas, 0);
  EXPECT_EQ(plan.updates[1].after.spec.replicas, 3);
}

}  // namespace
}  // namespace capstan::deployment
