#include "deployment/revision_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders.h"
#include "deployment/history_plan.h"
#include "deployment/rollback_plan.h"

namespace capstan::deployment {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

TEST(NewReplicaSet, IsTheOldestOneWithTheSameTemplate) {
  const Deployment deployment = DeploymentOf(3, "v1");
  EXPECT_EQ(
      FindNewReplicaSet(deployment, {Share(SetOf("a", "v0", 1, 1)), Share(SetOf("b", "v1", 1, 1)),
                                     Share(SetOf("c", "v1", 1, 1))}),
      1U);
  EXPECT_EQ(FindNewReplicaSet(deployment, {Share(SetOf("a", "v0", 1, 1))}), std::nullopt);
}

TEST(NewReplicaSet, HasTheHashInNameLabelsSelectorAndTemplate) {
  Deployment deployment = DeploymentOf(3);
  deployment.spec.minReadySeconds = 7;
  const ReplicaSet set = MakeReplicaSet(deployment, 4, 2);
  const std::string hash(set.metadata.labels.Get(kPodTemplateHashLabel));
  EXPECT_THAT(hash, MatchesRegex("[bcdfghjklmnpqrstvwxz2456789]+"));
  EXPECT_EQ(hash.size(), 10U);
  EXPECT_EQ(set.metadata.name, "web-" + hash);
  EXPECT_EQ(set.metadata.labels.Get("app"), "web");
  EXPECT_EQ(set.spec.selector.matchLabels.Get(kPodTemplateHashLabel), hash);
  EXPECT_EQ(set.spec.selector.matchLabels.Get("app"), "web");
  EXPECT_EQ(set.spec.template_.StringAt(kPodTemplateHashPointer), hash);
  EXPECT_TRUE(SameTemplate(set.spec.template_, deployment.spec.template_));
  EXPECT_EQ(set.spec.replicas, 2);
  EXPECT_EQ(set.spec.minReadySeconds, 7);
  EXPECT_EQ(set.metadata.annotations.Get(kRevisionAnnotation), "4");
  EXPECT_EQ(set.metadata.annotations.Get(kDesiredReplicasAnnotation), "3");
  EXPECT_EQ(set.metadata.annotations.Get(kMaxReplicasAnnotation), "4");
  const api::OwnerReference* owner = api::ControllerOf(set.metadata);
  ASSERT_NE(owner, nullptr);
  EXPECT_EQ(owner->uid, deployment.metadata.uid);
  EXPECT_EQ(owner->kind, "Deployment");
  EXPECT_EQ(owner->blockOwnerDeletion, true);
}

TEST(NewReplicaSet, HasAnotherNameForEachTemplateAndCollisionCount) {
  const RawJson v1 = TemplateOf("v1");
  const std::string hash = PodTemplateHash(v1, std::nullopt);
  EXPECT_EQ(PodTemplateHash(v1.With(kPodTemplateHashPointer, RawJson::String("x")), std::nullopt),
            hash);
  EXPECT_NE(PodTemplateHash(TemplateOf("v2"), std::nullopt), hash);
  EXPECT_NE(PodTemplateHash(v1, 0), hash);
  EXPECT_NE(PodTemplateHash(v1, 0), PodTemplateHash(v1, 1));
}

TEST(NewReplicaSet, HasANameThatIsNotTooLong) {
  EXPECT_EQ(ReplicaSetName(std::string(253, 'a'), "bcdfghjklm").size(), 253U);
  EXPECT_EQ(ReplicaSetName("web", "bcdf"), "web-bcdf");
}

TEST(Revision, IsZeroWhenTheAnnotationIsNotANumber) {
  ReplicaSet set = SetOf("a", "v1", 1, 1);
  EXPECT_EQ(RevisionOf(set), 0);
  SetRevision(set, "7");
  EXPECT_EQ(RevisionOf(set), 7);
  for (std::string_view garbage : {"", "seven", "7x", "99999999999999999999"}) {
    SetRevision(set, garbage);
    EXPECT_EQ(RevisionOf(set), std::nullopt) << garbage;
  }
}

TEST(Revision, LastRevisionIsTheSecondHighest) {
  ReplicaSet a = SetOf("a", "v1", 0, 0);
  ReplicaSet b = SetOf("b", "v2", 0, 0);
  ReplicaSet c = SetOf("c", "v3", 0, 0);
  SetRevision(a, "3");
  SetRevision(b, "5");
  SetRevision(c, "4");
  EXPECT_EQ(MaxRevision({&a, &b, &c}), 5);
  EXPECT_EQ(LastRevision({&a, &b, &c}), 4);
  EXPECT_EQ(LastRevision({&b}), 0);
}

TEST(NewReplicaSetAnnotations, AreCopiedFromTheDeploymentExceptReservedKeys) {
  StringMap annotations;
  const StringMap deployment = {{"team", "a"},
                                {kLastAppliedAnnotation, "{}"},
                                {kRevisionAnnotation, "9"},
                                {kRollbackToAnnotation, "1"},
                                {kDesiredReplicasAnnotation, "1"}};
  EXPECT_TRUE(UpdateNewReplicaSetAnnotations(deployment, 3, annotations));
  EXPECT_EQ(annotations, StringMap({{"team", "a"}, {kRevisionAnnotation, "3"}}));
  EXPECT_FALSE(UpdateNewReplicaSetAnnotations(deployment, 3, annotations));
}

TEST(NewReplicaSetAnnotations, KeepTheRevisionHistory) {
  StringMap annotations = {{kRevisionAnnotation, "2"}};
  EXPECT_TRUE(UpdateNewReplicaSetAnnotations({}, 4, annotations));
  EXPECT_EQ(annotations.Get(kRevisionHistoryAnnotation), "2");
  EXPECT_TRUE(UpdateNewReplicaSetAnnotations({}, 6, annotations));
  EXPECT_EQ(annotations.Get(kRevisionHistoryAnnotation), "2,4");
  EXPECT_FALSE(UpdateNewReplicaSetAnnotations({}, 5, annotations));
  EXPECT_EQ(annotations.Get(kRevisionAnnotation), "6");
}

TEST(NewReplicaSetAnnotations, DropTheOldestRevisionsOfALongHistory) {
  std::string history = "1";
  while (history.size() < 1'995) history += ",12345";
  StringMap annotations = {{kRevisionAnnotation, "20000"}, {kRevisionHistoryAnnotation, history}};
  EXPECT_TRUE(UpdateNewReplicaSetAnnotations({}, 20'001, annotations));
  const std::string_view now = annotations.Get(kRevisionHistoryAnnotation);
  EXPECT_LE(now.size(), 2'000U);
  EXPECT_TRUE(now.starts_with("12345,"));
  EXPECT_TRUE(now.ends_with(",12345,20000"));
}

TEST(NewReplicaSetAnnotations, AreUnchangedWhenTheRevisionIsNotANumber) {
  StringMap annotations = {{kRevisionAnnotation, "mine"}};
  EXPECT_FALSE(UpdateNewReplicaSetAnnotations({{"team", "a"}}, 4, annotations));
  EXPECT_EQ(annotations.Get(kRevisionAnnotation), "mine");
}

ReplicaSet Idle(std::string_view name, std::string_view revision, int64_t created = 0) {
  ReplicaSet set = SetOf(name, name, 0, 0, created);
  SetRevision(set, revision);
  return set;
}

TEST(History, DeletesTheLowestRevisionsAboveTheLimit) {
  Deployment deployment = DeploymentOf(3);
  deployment.spec.revisionHistoryLimit = 1;
  const ReplicaSet a = Idle("a", "3");
  const ReplicaSet b = Idle("b", "10");
  const ReplicaSet c = Idle("c", "2");
  EXPECT_THAT(PlanHistory(deployment, {&a, &b, &c}), ElementsAre(2, 0));
  deployment.spec.revisionHistoryLimit = std::numeric_limits<int32_t>::max();
  EXPECT_THAT(PlanHistory(deployment, {&a, &b, &c}), IsEmpty());
  deployment.spec.revisionHistoryLimit.reset();
  EXPECT_THAT(PlanHistory(deployment, {&a, &b, &c}), IsEmpty());
}

TEST(History, KeepsReplicaSetsThatAreInUseOrNotObserved) {
  Deployment deployment = DeploymentOf(3);
  deployment.spec.revisionHistoryLimit = 0;
  ReplicaSet wanted = Idle("a", "1");
  wanted.spec.replicas = 1;
  ReplicaSet draining = Idle("b", "2");
  draining.status.replicas = 1;
  ReplicaSet unseen = Idle("c", "3");
  unseen.metadata.generation = 2;
  ReplicaSet going = Idle("d", "4");
  going.metadata.deletionTimestamp = TimeAt(0);
  const ReplicaSet idle = Idle("e", "5");
  EXPECT_THAT(PlanHistory(deployment, {&wanted, &draining, &unseen, &going, &idle}),
              ElementsAre(4));
}

TEST(Rollback, IsRequestedByTheAnnotation) {
  Deployment deployment = DeploymentOf(3);
  EXPECT_EQ(RollbackRequest(deployment), std::nullopt);
  deployment.metadata.annotations.Set(kRollbackToAnnotation, "2");
  EXPECT_EQ(RollbackRequest(deployment), 2);
  deployment.metadata.annotations.Set(kRollbackToAnnotation, "two");
  EXPECT_EQ(RollbackRequest(deployment), std::nullopt);
}

TEST(Rollback, RestoresTemplateAndAnnotations) {
  Deployment deployment = DeploymentOf(3, "v2");
  deployment.metadata.annotations = {{kRollbackToAnnotation, "1"},
                                     {kRevisionAnnotation, "2"},
                                     {"change-cause", "edit"},
                                     {"only-now", "x"}};
  ReplicaSet target = Idle("a", "1");
  target.spec.template_ = TemplateOf("v1").With(kPodTemplateHashPointer, RawJson::String("a"));
  target.metadata.annotations.Set("change-cause", "create");
  const ReplicaSet current = Idle("b", "2");
  const RollbackPlan plan = PlanRollback(deployment, 1, {&target, &current});
  EXPECT_TRUE(plan.replaces_template);
  EXPECT_EQ(plan.reason, "DeploymentRollback");
  EXPECT_EQ(plan.message, "Rolled back deployment \"web\" to revision 1");
  EXPECT_EQ(plan.after.spec.template_, TemplateOf("v1"));
  EXPECT_EQ(plan.after.metadata.annotations,
            StringMap({{kRevisionAnnotation, "2"}, {"change-cause", "create"}}));
}

TEST(Rollback, RevisionZeroMeansTheLastRevision) {
  const Deployment deployment = DeploymentOf(3, "b");
  const ReplicaSet a = Idle("a", "4");
  const ReplicaSet b = Idle("b", "5");
  EXPECT_EQ(PlanRollback(deployment, 0, {&a, &b}).message,
            "Rolled back deployment \"web\" to revision 4");
  EXPECT_EQ(PlanRollback(deployment, 0, {&b}).message, "Unable to find last revision.");
}

TEST(Rollback, ReportsWhyItWasSkipped) {
  Deployment deployment = DeploymentOf(3, "b");
  deployment.metadata.annotations.Set(kRollbackToAnnotation, "5");
  const ReplicaSet a = Idle("a", "4");
  const ReplicaSet b = Idle("b", "5");
  const RollbackPlan unchanged = PlanRollback(deployment, 5, {&a, &b});
  EXPECT_FALSE(unchanged.replaces_template);
  EXPECT_EQ(unchanged.reason, "DeploymentRollbackTemplateUnchanged");
  EXPECT_EQ(unchanged.message,
            "The rollback revision contains the same template as current deployment \"web\"");
  EXPECT_TRUE(unchanged.after.metadata.annotations.empty());
  const RollbackPlan unknown = PlanRollback(deployment, 77, {&a, &b});
  EXPECT_EQ(unknown.reason, "DeploymentRollbackRevisionNotFound");
  EXPECT_EQ(unknown.message, "Unable to find the revision to rollback to.");
}

}  // namespace
}  // namespace capstan::deployment
