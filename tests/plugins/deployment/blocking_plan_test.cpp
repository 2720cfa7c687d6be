#include "deployment/blocking_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <capstan/api/object.h>
#include <capstan/runtime/format.h>

#include "builders.h"

namespace capstan::deployment {
namespace {

using State = Explanation::State;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::shared_ptr<const DetailedPod> PodOf(std::string_view set, std::string_view name,
                                         std::string_view status) {
  const std::string json =
      Format(R"({{"metadata":{{"name":"{}","ownerReferences":[{{"uid":"uid-of-{}",)"
             R"("controller":true}}]}},"spec":{{"nodeName":"n1"}},"status":{}}})",
             name, set, status);
  return std::make_shared<DetailedPod>(FromJson<DetailedPod>(json).value());
}

// A Deployment of three replicas in the middle of a rollout from "a" to "b". All three old pods
// stay, as none may be unavailable, and the surge pod is not available.
class BlockingPlan : public ::testing::Test {
 protected:
  BlockingPlan() {
    deployment_.status.observedGeneration = 1;
    SetLimits(deployment_, 1, 0);
    old_ = SizedFor(deployment_, SetOf("a", "v1", 3, 3));
    new_ = SizedFor(deployment_, SetOf("b", "v2", 1, 0, 1), "2");
  }

  Diagnosis DiagnoseAll() {
    // The controller has counted the pods before: nothing has changed since.
    DeploymentStatus& status = deployment_.status;
    status.updatedReplicas = new_.status.replicas;
    status.replicas = old_.status.replicas + std::max(0, new_.status.replicas);
    status.readyReplicas = old_.status.readyReplicas + new_.status.readyReplicas;
    status.availableReplicas = old_.status.availableReplicas + new_.status.availableReplicas;
    Snapshot snapshot{.deployment = deployment_, .sets = {}, .now = At(100)};
    for (const ReplicaSet& set : {old_, new_}) {
      if (!set.metadata.name.empty()) snapshot.sets.push_back({Share(set), old_pods_run_});
    }
    return Diagnose(snapshot, pods_.empty() ? nullptr : &pods_);
  }
  Explanation Explain() { return DiagnoseAll().explanation; }
  void TimeOut() {
    deployment_.status.conditions.push_back(NewCondition<Condition>(
        "Progressing", "False", "ProgressDeadlineExceeded", "timed out", TimeAt(-50)));
  }
  void Finish() {
    old_ = SizedFor(deployment_, SetOf("a", "v1", 0, 0));
    new_ = SizedFor(deployment_, SetOf("b", "v2", 3, 3, 1), "2");
  }

  Deployment deployment_ = DeploymentOf(3, "v2");
  ReplicaSet old_;
  ReplicaSet new_;
  DetailedPods pods_;
  bool old_pods_run_ = false;
};

TEST_F(BlockingPlan, ACompleteRolloutIsSettled) {
  Finish();
  const Explanation fact = Explain();
  EXPECT_EQ(fact.state, State::kSettled);
  EXPECT_EQ(fact.reason, "Complete");
  EXPECT_EQ(fact.message, "All 3 pods are updated and available.");
}

TEST_F(BlockingPlan, ZeroReplicasIsSettled) {
  deployment_.spec.replicas = 0;
  old_ = SizedFor(deployment_, SetOf("a", "v1", 0, 0));
  new_ = SizedFor(deployment_, SetOf("b", "v2", 0, 0, 1), "2");
  EXPECT_EQ(Explain().message, "No pods are wanted, and none exist.");
}

TEST_F(BlockingPlan, ReportsTheLimitsThatLeaveNoRoomToProgress) {
  const Diagnosis diagnosis = DiagnoseAll();
  const Explanation& fact = diagnosis.explanation;
  EXPECT_TRUE(diagnosis.pods_have_details);
  EXPECT_EQ(fact.state, State::kWaiting);
  EXPECT_EQ(fact.reason, "PodsNotReady");
  EXPECT_EQ(fact.message, "1 of 1 pods of ReplicaSet \"b\" are not available; 0 are ready.");
  EXPECT_THAT(
      fact.notes,
      ElementsAre(
          "Pods: 3 wanted, 1 updated, 3 available, 3 old.",
          "No available old pod may be deleted: 3 pods are available and 3 must be "
          "(maxUnavailable is 0).",
          "No new pod may be created: 4 pods are requested and 4 are allowed (maxSurge is 1)."));
}

TEST_F(BlockingPlan, IsBlockedOnceTheDeadlineHasPassed) {
  TimeOut();
  const Explanation fact = Explain();
  EXPECT_EQ(fact.state, State::kBlocked);
  EXPECT_EQ(fact.reason, "PodsNotReady");
  EXPECT_THAT(fact.notes, Contains("The progress deadline of 600 seconds has passed."));
}

TEST_F(BlockingPlan, NamesTheDeadlineWhenThereIsNoOtherReason) {
  TimeOut();
  // All pods exist and are available, but the status claims more old pods than there are.
  old_ = SizedFor(deployment_, SetOf("a", "v1", 3, 4));
  new_ = SizedFor(deployment_, SetOf("b", "v2", 1, 1, 1), "2");
  old_.status.replicas = 3;
  deployment_.spec.strategy.rollingUpdate->maxUnavailable = 0;
  const Explanation fact = Explain();
  EXPECT_EQ(fact.state, State::kBlocked);
  EXPECT_EQ(fact.reason, "ProgressDeadlineExceeded");
  EXPECT_EQ(fact.since, TimeAt(-650));
}

TEST_F(BlockingPlan, AQuotaErrorIsQuoted) {
  new_.status.replicas = 0;
  new_.status.conditions.push_back(NewCondition<ReplicaSetCondition>(
      "ReplicaFailure", "True", "FailedCreate",
      "pods \"b-1\" is forbidden: exceeded quota: few, used: pods=3, limited: pods=3",
      TimeAt(-30)));
  const Explanation fact = Explain();
  EXPECT_EQ(fact.state, State::kBlocked);
  EXPECT_EQ(fact.reason, "QuotaExceeded");
  EXPECT_EQ(fact.since, TimeAt(-30));
  EXPECT_EQ(fact.message,
            "ReplicaSet \"b\" has 0 pods and wants 1; creating or deleting pods fails: pods "
            "\"b-1\" is forbidden: exceeded "
            "quota: few, used: pods=3, limited: pods=3");
  EXPECT_THAT(fact.notes, Contains(HasSubstr("maxUnavailable is 0")));
}

TEST_F(BlockingPlan, AnotherRefusalKeepsTheReasonOfTheCondition) {
  new_.status.conditions.push_back(NewCondition<ReplicaSetCondition>(
      "ReplicaFailure", "True", "FailedCreate", "violates PodSecurity", TimeAt(0)));
  EXPECT_EQ(Explain().reason, "FailedCreate");
}

TEST_F(BlockingPlan, AnOutdatedRefusalIsIgnored) {
  new_.status.conditions.push_back(
      NewCondition<ReplicaSetCondition>("ReplicaFailure", "False", "FailedCreate", "", TimeAt(0)));
  EXPECT_EQ(Explain().reason, "PodsNotReady");
}

TEST_F(BlockingPlan, ARefusedReplicaSetQuotesTheServersError) {
  new_ = {};
  deployment_.status.conditions.push_back(NewCondition<Condition>(
      "Progressing", "False", "ReplicaSetCreateError",
      "Failed to create new replica set \"web-1\": exceeded quota: sets", TimeAt(-9)));
  const Explanation fact = Explain();
  EXPECT_EQ(fact.state, State::kBlocked);
  EXPECT_EQ(fact.reason, "QuotaExceeded");
  EXPECT_EQ(fact.message, "Failed to create new replica set \"web-1\": exceeded quota: sets");
  EXPECT_EQ(fact.since, TimeAt(-9));
}

TEST_F(BlockingPlan, APausedRolloutNamesTheCommandToResume) {
  deployment_.spec.paused = true;
  deployment_.status.conditions.push_back(
      NewCondition<Condition>("Progressing", "Unknown", "DeploymentPaused", "", TimeAt(-7)));
  const Explanation fact = Explain();
  EXPECT_EQ(fact.state, State::kBlocked);
  EXPECT_EQ(fact.reason, "Paused");
  EXPECT_THAT(fact.message, HasSubstr("kubectl rollout resume deployment/web"));
  EXPECT_EQ(fact.since, TimeAt(-7));
}

TEST_F(BlockingPlan, APausedDeploymentWithoutChangesIsSettled) {
  Finish();
  deployment_.spec.paused = true;
  const Explanation fact = Explain();
  EXPECT_EQ(fact.state, State::kSettled);
  EXPECT_THAT(fact.notes, ElementsAre("It is paused: changes are not rolled out."));
}

TEST_F(BlockingPlan, APausedCompleteRolloutIsExplainedByItsPods) {
  Finish();
  deployment_.spec.paused = true;
  new_.status.availableReplicas = 2;
  new_.status.readyReplicas = 2;
  EXPECT_EQ(Explain().reason, "PodsNotReady");
}

TEST_F(BlockingPlan, AnUnobservedGenerationIsNamed) {
  deployment_.metadata.generation = 5;
  const Explanation fact = Explain();
  EXPECT_EQ(fact.state, State::kWaiting);
  EXPECT_EQ(fact.reason, "NotObserved");
  EXPECT_EQ(fact.message,
            "No controller has observed generation 5 yet; the last observed one is 1.");
}

TEST_F(BlockingPlan, AnUnobservedDeploymentIsBlockedAfterTheDeadline) {
  deployment_.status = {};
  deployment_.metadata.creationTimestamp = TimeAt(-400);
  EXPECT_EQ(Explain().state, State::kWaiting);
  deployment_.metadata.creationTimestamp = TimeAt(-600);
  EXPECT_EQ(Explain().state, State::kBlocked);
}

TEST_F(BlockingPlan, APendingStepIsNamed) {
  const ReplicaSet set = new_;
  new_ = {};
  EXPECT_EQ(Explain().reason, "StepDue");
  EXPECT_THAT(Explain().message, HasSubstr("create ReplicaSet \"web-"));
  new_ = set;
  new_.status.availableReplicas = 1;
  EXPECT_EQ(Explain().message,
            "The controller's next step is to scale ReplicaSet \"a\" from 3 to 2.");
  EXPECT_EQ(Explain().state, State::kWaiting);
  TimeOut();
  EXPECT_EQ(Explain().state, State::kBlocked);
}

TEST_F(BlockingPlan, AReplicaSetThatLagsBehindReportsBothNumbers) {
  new_.status.replicas = 0;
  Explanation fact = Explain();
  EXPECT_EQ(fact.reason, "ReplicaSetBehind");
  EXPECT_EQ(fact.message, "ReplicaSet \"b\" wants 1 pods and has 0.");
  new_.metadata.generation = 2;
  EXPECT_THAT(Explain().message, HasSubstr("has not observed its latest generation"));
}

TEST_F(BlockingPlan, WaitingForMinReadySecondsIsNeverBlocked) {
  new_.status.readyReplicas = 1;
  new_.spec.minReadySeconds = 60;
  deployment_.spec.minReadySeconds = 60;
  TimeOut();
  Explanation fact = Explain();
  EXPECT_EQ(fact.state, State::kWaiting);
  EXPECT_EQ(fact.reason, "MinReadySeconds");
  pods_ = {PodOf("b", "b-1",
                 R"({"phase":"Running","conditions":[{"type":"Ready","status":"True",
                 "lastTransitionTime":")" +
                     TimeAt(70).ToString() + R"("}]})")};
  fact = Explain();
  EXPECT_EQ(fact.state, State::kWaiting);
  ASSERT_THAT(fact.details, SizeIs(1));
  EXPECT_EQ(fact.details[0].message, "it has been ready for 30 of 60 seconds");
}

TEST_F(BlockingPlan, TakesItsReasonFromTheMostSevereOfThePods) {
  Finish();
  new_.status.availableReplicas = new_.status.readyReplicas = 0;
  const char* const creating = R"({"phase":"Pending","containerStatuses":[{"name":"c","state":
      {"waiting":{"reason":"ContainerCreating"}}}]})";
  pods_ = {PodOf("b", "b-1", creating), PodOf("b", "b-2", creating),
           PodOf("b", "b-3", R"({"phase":"Pending","conditions":[{"type":"PodScheduled",
            "status":"False","reason":"Unschedulable","message":"0/3 nodes are available"}]})"),
           PodOf("other", "x", R"({"phase":"Failed"})")};
  const Explanation fact = Explain();
  EXPECT_EQ(fact.state, State::kBlocked);
  EXPECT_EQ(fact.reason, "Unschedulable");
  ASSERT_THAT(fact.details, SizeIs(2));
  EXPECT_EQ(fact.details[0].object, "pod/b-3");
  EXPECT_EQ(fact.details[0].message, "0/3 nodes are available");
  EXPECT_EQ(fact.details[1].reason, "ContainerCreating");
  EXPECT_EQ(fact.details[1].more, 1);
}

TEST_F(BlockingPlan, PodsThatTakeLongerThanTheDeadlineAreBlocked) {
  const auto with = [&](int64_t since) {
    pods_ = {PodOf("b", "b-1",
                   R"({"phase":"Running","containerStatuses":[{"name":"c","state":
                   {"running":{"startedAt":")" +
                       TimeAt(since).ToString() + R"("}}}]})")};
    return Explain();
  };
  EXPECT_EQ(with(-500).state, State::kWaiting);
  EXPECT_EQ(with(-500).reason, "NotReady");
  EXPECT_EQ(with(-501).state, State::kBlocked);
}

TEST_F(BlockingPlan, RecreateNamesTheOldPodsThatItWaitsFor) {
  deployment_.spec.strategy = {.type = "Recreate", .rollingUpdate = std::nullopt};
  old_ = SizedFor(deployment_, SetOf("a", "v1", 0, 0));
  new_ = {};
  old_pods_run_ = true;
  EXPECT_TRUE(DiagnoseAll().pods_have_details);
  EXPECT_EQ(Explain().reason, "OldPodsTerminating");
  auto pod = *PodOf("a", "a-1", R"({"phase":"Running"})");
  pod.metadata.deletionTimestamp = TimeAt(90);
  pods_ = {std::make_shared<DetailedPod>(pod)};
  EXPECT_EQ(Explain().state, State::kWaiting);
  pod.metadata.deletionTimestamp = TimeAt(30);
  pods_ = {std::make_shared<DetailedPod>(pod)};
  const Explanation fact = Explain();
  EXPECT_EQ(fact.state, State::kBlocked);
  EXPECT_EQ(fact.reason, "OldPodsTerminating");
  ASSERT_THAT(fact.details, SizeIs(1));
  EXPECT_EQ(fact.details[0].reason, "Terminating");
  EXPECT_THAT(fact.details[0].message, HasSubstr("node n1 has not confirmed"));
}

TEST_F(BlockingPlan, ADeletionNamesTheBlockingFinalizer) {
  deployment_.metadata.deletionTimestamp = TimeAt(-20);
  deployment_.metadata.finalizers = {"foregroundDeletion"};
  EXPECT_EQ(Explain().state, State::kWaiting);
  EXPECT_EQ(Explain().reason, "BeingDeleted");
  deployment_.metadata.finalizers.push_back("example.dev/hold");
  const Explanation fact = Explain();
  EXPECT_EQ(fact.state, State::kBlocked);
  EXPECT_EQ(fact.since, TimeAt(-20));
  EXPECT_THAT(fact.notes, Contains("The finalizer example.dev/hold blocks it."));
}

TEST_F(BlockingPlan, AnInvalidSpecIsReportedWithTheField) {
  SetLimits(deployment_, "many", 0);
  EXPECT_EQ(Explain().state, State::kBlocked);
  EXPECT_EQ(Explain().reason, "InvalidSpec");
  EXPECT_THAT(Explain().message, HasSubstr("spec.strategy.rollingUpdate.maxSurge"));
}

TEST_F(BlockingPlan, AnEmptyOrInvalidSelectorIsReported) {
  deployment_.spec.selector.matchLabels = {};
  EXPECT_EQ(Explain().reason, "SelectingAll");
  deployment_.spec.selector.matchExpressions = {{.key = "a", .operator_ = "Near", .values = {}}};
  EXPECT_EQ(Explain().reason, "InvalidSelector");
  EXPECT_EQ(Explain().state, State::kBlocked);
}

TEST_F(BlockingPlan, TruncatesLongTexts) {
  new_.status.conditions.push_back(NewCondition<ReplicaSetCondition>(
      "ReplicaFailure", "True", "FailedCreate", std::string(100'000, 'x'), TimeAt(0)));
  EXPECT_LT(Explain().message.size(), 1'100u);
}

TEST_F(BlockingPlan, HandlesOutOfRangeNumbersAndTimes) {
  deployment_.spec.replicas = std::numeric_limits<int32_t>::max();
  deployment_.spec.progressDeadlineSeconds = -1;
  deployment_.metadata.generation = std::numeric_limits<int64_t>::max();
  deployment_.metadata.creationTimestamp = Time::FromSeconds(std::numeric_limits<int64_t>::max());
  new_.status.replicas = std::numeric_limits<int32_t>::min();
  old_.spec.replicas = -5;
  deployment_.status.conditions.push_back(NewCondition<Condition>(
      "Available", "False", "", "", Time::FromSeconds(std::numeric_limits<int64_t>::min() + 1)));
  EXPECT_THAT(Explain().reason, Not(IsEmpty()));
  deployment_.status.observedGeneration = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(Explain().reason, Not(IsEmpty()));
}

TEST(PlainlySettled, FollowsFromTheStatus) {
  Deployment deployment = DeploymentOf(2);
  EXPECT_FALSE(IsPlainlySettled(deployment));
  deployment.status.observedGeneration = 1;
  deployment.status.replicas = deployment.status.updatedReplicas =
      deployment.status.availableReplicas = 2;
  EXPECT_TRUE(IsPlainlySettled(deployment));
  deployment.metadata.deletionTimestamp = TimeAt(0);
  EXPECT_FALSE(IsPlainlySettled(deployment));
}

}  // namespace
}  // namespace capstan::deployment
