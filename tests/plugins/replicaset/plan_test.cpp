#include "replicaset/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders.h"
#include "replicaset/status_plan.h"

namespace capstan::replicaset {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<PodPtr> Pods(int count) {
  std::vector<PodPtr> pods;
  for (int i = 0; i < count; ++i) pods.push_back(Share(PodOf(std::to_string(10'000 + i))));
  return pods;
}

TEST(ReplicasPlan, CreatesMissingPodsUpToTheBurst) {
  EXPECT_EQ(PlanReplicas(SetOf(3), Pods(1), {}, At(0)).create, 2);
  EXPECT_EQ(PlanReplicas(SetOf(2'000'000'000), Pods(1), {}, At(0)).create, 500);
  const ReplicasPlan plan = PlanReplicas(SetOf(3), Pods(3), {}, At(0));
  EXPECT_EQ(plan.create, 0);
  EXPECT_THAT(plan.remove, IsEmpty());
}

TEST(ReplicasPlan, CreatesMissingPodsExceptDelayedOnes) {
  EXPECT_EQ(PlanReplicas(SetOf(10), Pods(7), {}, At(0), 2).create, 1);
  EXPECT_EQ(PlanReplicas(SetOf(10), Pods(7), {}, At(0), 3).create, 0);
  EXPECT_EQ(PlanReplicas(SetOf(10), Pods(7), {}, At(0), 50).create, 0);
  EXPECT_EQ(PlanReplicas(SetOf(2'000), Pods(1), {}, At(0), 600).create, 500);
  EXPECT_THAT(PlanReplicas(SetOf(5), Pods(7), {}, At(0), 2).remove, SizeIs(2));
}

TEST(ReplicasPlan, RemovesTheFirstPodsOfTheRanking) {
  Pod pending = PodOf("p");
  pending.status.phase = "Pending";
  const auto plan = PlanReplicas(SetOf(1), {Share(PodOf("a")), Share(pending)}, {}, At(0));
  EXPECT_THAT(NamesOf(plan.remove), ElementsAre("p"));
}

TEST(ReplicasPlan, RemovesPodsUpToTheBurst) {
  EXPECT_THAT(PlanReplicas(SetOf(0), Pods(600), {}, At(0)).remove, SizeIs(500));
  EXPECT_THAT(PlanReplicas(SetOf(0), Pods(20), {}, At(0)).remove, SizeIs(20));
}

TEST(ReplicasPlan, NeedsRelatedPodsOnlyToChooseVictims) {
  EXPECT_TRUE(NeedsRelatedPods(SetOf(1), Pods(3)));
  EXPECT_FALSE(NeedsRelatedPods(SetOf(0), Pods(3)));
  EXPECT_FALSE(NeedsRelatedPods(SetOf(3), Pods(3)));
  EXPECT_FALSE(NeedsRelatedPods(SetOf(5), Pods(3)));
  EXPECT_TRUE(NeedsRelatedPods(SetOf(0), Pods(501)));
}

TEST(PodFromTemplate, CopiesLabelsAnnotationsFinalizersAndSpec) {
  const auto pod = MakePod(SetOf(1));
  EXPECT_EQ(pod.metadata.generateName, "web-");
  EXPECT_EQ(pod.metadata.namespace_, "default");
  EXPECT_EQ(pod.metadata.labels, StringMap({{"app", "web"}, {"tier", "front"}}));
  EXPECT_EQ(pod.metadata.annotations, StringMap({{"a", "b"}}));
  ASSERT_EQ(pod.metadata.finalizers.size(), 2U);
  EXPECT_EQ(pod.metadata.finalizers[1], "example.dev/two");
  EXPECT_EQ(pod.metadata.ownerReferences[0], OwnerOf("web", Uid(kSetUid)));
  EXPECT_EQ(pod.spec.StringAt("/containers/0/image"), "v1");
}

TEST(PodFromTemplate, LimitsTheLengthOfTheNamePrefix) {
  ReplicaSet set = SetOf(1);
  set.metadata.name = std::string(253, 'a');
  EXPECT_EQ(MakePod(set).metadata.generateName.view().size(), 253U);
}

TEST(ReplicaSetStatus, CountsPods) {
  ReplicaSet set = SetOf(4);
  set.metadata.generation = 6;
  set.spec.minReadySeconds = 60;
  Pod other_labels = PodOf("b");
  other_labels.metadata.labels = {{"app", "web"}};
  Pod fresh = PodOf("c");
  fresh.status.conditions[0].lastTransitionTime = TimeAt(-5);
  Pod unready = PodOf("d");
  unready.status.conditions[0].status = "False";
  const auto status = CalculateStatus(
      {.set = set,
       .active = {Share(PodOf("a")), Share(other_labels), Share(fresh), Share(unready)},
       .terminating = 2,
       .failure = {},
       .now = At(0)});
  EXPECT_EQ(status.replicas, 4);
  EXPECT_EQ(status.fullyLabeledReplicas, 3);
  EXPECT_EQ(status.readyReplicas, 3);
  EXPECT_EQ(status.availableReplicas, 2);
  EXPECT_EQ(status.terminatingReplicas, 2);
  EXPECT_EQ(status.observedGeneration, 6);
}

TEST(ReplicaSetStatus, ReportsAFailedCreationUntilItSucceeds) {
  ReplicaSet set = SetOf(2);
  StatusInput input{.set = set, .active = {}, .terminating = 0, .failure = "quota", .now = At(0)};
  set.status = CalculateStatus(input);
  ASSERT_EQ(set.status.conditions.size(), 1U);
  EXPECT_EQ(set.status.conditions[0].type, "ReplicaFailure");
  EXPECT_EQ(set.status.conditions[0].status, "True");
  EXPECT_EQ(set.status.conditions[0].reason, "FailedCreate");
  EXPECT_EQ(set.status.conditions[0].message, "quota");
  input.failure = "another quota";
  EXPECT_EQ(CalculateStatus(input).conditions[0].message, "quota");
  input.failure.reset();
  EXPECT_THAT(CalculateStatus(input).conditions, IsEmpty());
}

TEST(ReplicaSetStatus, ReportsAFailedDeletion) {
  const ReplicaSet set = SetOf(0);
  const auto status = CalculateStatus(
      {.set = set, .active = Pods(1), .terminating = 0, .failure = "no", .now = At(0)});
  EXPECT_EQ(status.conditions[0].reason, "FailedDelete");
}

TEST(AvailabilityCheck, IsDueWhenTheNextPodBecomesAvailable) {
  ReplicaSet set = SetOf(2);
  Pod sooner = PodOf("a");
  sooner.status.conditions[0].lastTransitionTime = TimeAt(-20);
  Pod later = PodOf("b");
  later.status.conditions[0].lastTransitionTime = TimeAt(-5);
  const std::vector<PodPtr> pods = {Share(later), Share(sooner), Share(PodOf("c"))};
  EXPECT_EQ(NextAvailabilityCheck(set, pods, At(0)), std::nullopt);
  set.spec.minReadySeconds = 30;
  EXPECT_EQ(NextAvailabilityCheck(set, pods, At(0)), Duration(std::chrono::seconds(10)));
  EXPECT_EQ(NextAvailabilityCheck(set, pods, At(100)), std::nullopt);
  sooner.status.conditions[0].lastTransitionTime = Time();
  EXPECT_EQ(NextAvailabilityCheck(set, {Share(sooner)}, At(0)), Duration(std::chrono::seconds(30)));
}

TEST(DelayableStatus, IsTrueForChangedCountsOfAReplicaSet) {
  ReplicaSetStatus before;
  EXPECT_FALSE(OnlyCountsDiffer(before, before));
  ReplicaSetStatus after;
  after.availableReplicas = 1;
  EXPECT_TRUE(OnlyCountsDiffer(before, after));
  Condition failure;
  failure.type = "ReplicaFailure";
  failure.status = "True";
  after.conditions = {failure};
  EXPECT_FALSE(OnlyCountsDiffer(before, after));
  before.conditions = after.conditions;
  EXPECT_TRUE(OnlyCountsDiffer(before, after));
  after.conditions[0].reason = "FailedCreate";
  EXPECT_FALSE(OnlyCountsDiffer(before, after));
}

}  // namespace
}  // namespace capstan::replicaset
