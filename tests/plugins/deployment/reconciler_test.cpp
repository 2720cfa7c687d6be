#include "deployment/reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders.h"
#include "deployment/revision_plan.h"
#include "plugins/reconcile_fixture.h"

namespace capstan::deployment {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::JsonAnswer;
using testing::StatusAnswer;

constexpr std::string_view kDeployments = "/apis/apps/v1/namespaces/default/deployments";
constexpr std::string_view kSets = "/apis/apps/v1/namespaces/default/replicasets";

std::string In(std::string_view collection, std::string_view name, std::string_view rest = "") {
  return std::string(collection) + "/" + std::string(name) + std::string(rest);
}

class DeploymentReconcilerTest : public testing::ReconcileFixture {
 protected:
  void Cached(const Deployment& deployment) { Cache(deployment, kDeployments); }
  ReplicaSet Cached(ReplicaSet set, const Deployment* owner) {
    if (owner) set.metadata.ownerReferences = {ControllerReferenceTo(*owner)};
    Cache(set, kSets);
    return set;
  }
  static std::string NewSetOf(const Deployment& deployment) {
    return MakeReplicaSet(deployment, 1, 1).metadata.name;
  }

  // Adds a Deployment in a rolling update with `available` of 5 new pods.
  Deployment Rolling(const std::string& name, int32_t available) {
    Deployment deployment = DeploymentOf(10, "v2");
    deployment.metadata.name = name;
    deployment.metadata.uid = Uid("uid-of-" + name);
    Cached(deployment);
    Cached(SizedFor(deployment, SetOf(name + "-old", "v1", 8, 8), "1"), &deployment);
    Cached(SizedFor(deployment, SetOf(name + "-new", "v2", 5, available, 1), "2"), &deployment);
    return deployment;
  }
  // Takes so many steps that all others wait.
  void MakeBusy() {
    for (int i = 0; i < 30; ++i) {
      const std::string name = "other-" + std::to_string(i);
      Rolling(name, 2);
      ASSERT_TRUE(reconciler_.Reconcile(For(name)).ok());
    }
  }
  size_t Steps(const std::string& name) const {
    return transport_->Count("PATCH", In(kSets, name + "-old"));
  }

  DeploymentReconciler reconciler_{context_};
};

TEST_F(DeploymentReconcilerTest, ContinuesARolloutWithPendingStatuses) {
  Rolling("web", 0);
  const auto set = context_.ListerFor<ReplicaSet>().Get("default", "web-new");
  api::apps::v1::ReplicaSetStatus status = set->status;
  status.readyReplicas = status.availableReplicas = 5;
  {
    auto publisher = context_.NewStatusPublisher<ReplicaSet>();
    publisher.Publish(set, status);
    ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  }
  const RawJson patch = BodyOf("PATCH", In(kSets, "web-old"));
  EXPECT_EQ(patch.At("/spec/replicas").text(), "3");
  EXPECT_TRUE(patch.At("/status").empty());
  EXPECT_EQ(
      BodyOf("PATCH", In(kDeployments, "web", "/status")).At("/status/availableReplicas").text(),
      "13");
}

TEST_F(DeploymentReconcilerTest, KeepsOldPodsWhenAPendingStatusReportsFewerAvailablePods) {
  Rolling("web", 5);
  const auto set = context_.ListerFor<ReplicaSet>().Get("default", "web-new");
  api::apps::v1::ReplicaSetStatus status = set->status;
  status.readyReplicas = status.availableReplicas = 0;
  auto publisher = context_.NewStatusPublisher<ReplicaSet>();
  publisher.Publish(set, status);
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_EQ(Steps("web"), 0U);
}

TEST_F(DeploymentReconcilerTest, UnderLoadAStepWaitsForMorePods) {
  MakeBusy();
  Rolling("web", 2);
  Result<Action> action = reconciler_.Reconcile(For("web"));
  ASSERT_TRUE(action.ok());
  EXPECT_EQ(Steps("web"), 0U);
  ASSERT_TRUE(action->requeue_after());
  runtime_.AdvanceBy(*action->requeue_after());
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_EQ(Steps("web"), 1U) << "even if no more have come";
}

TEST_F(DeploymentReconcilerTest, UnderLoadAStepDoesNotWaitIfAllNewPodsAreAvailable) {
  MakeBusy();
  Rolling("web", 5);
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_EQ(BodyOf("PATCH", In(kSets, "web-old")).At("/spec/replicas").text(), "3");
}

TEST_F(DeploymentReconcilerTest, DoesNothingForAMissingDeployment) {
  EXPECT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_THAT(transport_->Lines(), IsEmpty());
}

TEST_F(DeploymentReconcilerTest, CreatesAReplicaSetAndWritesRevisionAndStatusAtOnce) {
  const Deployment deployment = DeploymentOf(3);
  Cached(deployment);
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_THAT(Writes(), ElementsAre("POST " + std::string(kSets),
                                    "PATCH " + In(kDeployments, "web", "/status")));
  const RawJson created = BodyOf("POST", kSets);
  EXPECT_EQ(created.StringAt("/metadata/name"), NewSetOf(deployment));
  EXPECT_EQ(created.At("/spec/replicas").text(), "3");
  EXPECT_EQ(created.StringAt("/spec/template/spec/containers/0/image"), "v1");
  const RawJson patch = BodyOf("PATCH", "*/status");
  EXPECT_EQ(patch.StringAt("/metadata/annotations/deployment.kubernetes.io~1revision"), "1");
  EXPECT_EQ(patch.StringAt("/metadata/resourceVersion"), "100");
  EXPECT_EQ(patch.StringAt("/status/conditions/0/reason"), "NewReplicaSetCreated");
  EXPECT_EQ(patch.At("/status/observedGeneration").text(), "1");
  EXPECT_TRUE(patch.At("/spec").empty());
  EXPECT_THAT(Events(), ElementsAre("Normal ScalingReplicaSet Scaled up replica set " +
                                    NewSetOf(deployment) + " from 0 to 3"));
}

TEST_F(DeploymentReconcilerTest, ScalesByAPatchWithResourceVersion) {
  const Deployment deployment = DeploymentOf(4, "v2");
  Cached(deployment);
  Cached(SizedFor(deployment, SetOf("a", "v1", 4, 4), "1"), &deployment);
  Cached(SizedFor(deployment, SetOf("b", "v2", 1, 1, 1), "2"), &deployment);
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  const RawJson patch = BodyOf("PATCH", In(kSets, "a"));
  EXPECT_EQ(patch.At("/spec/replicas").text(), "2");
  EXPECT_EQ(patch.StringAt("/metadata/resourceVersion"), "200");
  EXPECT_TRUE(patch.At("/spec/template").empty());
  EXPECT_THAT(Events(),
              ElementsAre("Normal ScalingReplicaSet Scaled down replica set a from 4 to 2"));
}

TEST_F(DeploymentReconcilerTest, AdoptsAfterALiveReadOfTheDeployment) {
  const Deployment deployment = DeploymentOf(3);
  Cached(deployment);
  Cached(SizedFor(deployment, SetOf("a", "v1", 3, 3)), nullptr);
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_EQ(transport_->Lines().front(), "GET " + In(kDeployments, "web"));
  const RawJson patch = BodyOf("PATCH", In(kSets, "a"));
  EXPECT_EQ(patch.StringAt("/metadata/uid"), SetOf("a", "v1", 3, 3).metadata.uid.str());
  EXPECT_EQ(patch.StringAt("/metadata/ownerReferences/0/uid"), deployment.metadata.uid.str());
}

TEST_F(DeploymentReconcilerTest, DoesNotAdoptForADeletedDeployment) {
  const Deployment deployment = DeploymentOf(3);
  Cached(deployment);
  Cached(SizedFor(deployment, SetOf("a", "v1", 3, 3)), nullptr);
  Deployment live = deployment;
  live.metadata.deletionTimestamp = TimeAt(0);
  transport_->On("GET", In(kDeployments, "web"), JsonAnswer(200, ToJson(live)));
  EXPECT_FALSE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_THAT(Writes(), IsEmpty());
}

TEST_F(DeploymentReconcilerTest, ReleasesAReplicaSetThatNoLongerMatches) {
  const Deployment deployment = DeploymentOf(3);
  Cached(deployment);
  Cached(SizedFor(deployment, SetOf("a", "v1", 3, 3)), &deployment);
  ReplicaSet stray = SetOf("b", "v0", 0, 0);
  stray.metadata.labels = {};
  Cached(stray, &deployment);
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_EQ(BodyOf("PATCH", In(kSets, "b")).StringAt("/metadata/ownerReferences/0/$patch"),
            "delete");
}

TEST_F(DeploymentReconcilerTest, UsesItsOwnReplicaSetThatIsMissingInTheCache) {
  const Deployment deployment = DeploymentOf(3);
  Cached(deployment);
  ReplicaSet existing = MakeReplicaSet(deployment, 1, 3);
  existing.metadata.uid = "existing";
  existing.metadata.resourceVersion = "300";
  Cached(existing, &deployment);
  RemoveFromCache(existing);
  transport_->On("POST", std::string(kSets), StatusAnswer(409, "AlreadyExists"));
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  const RawJson patch = BodyOf("PATCH", "*/status");
  EXPECT_TRUE(patch.At("/status/collisionCount").empty());
  EXPECT_EQ(patch.StringAt("/metadata/annotations/deployment.kubernetes.io~1revision"), "1");
}

TEST_F(DeploymentReconcilerTest, IncrementsTheCollisionCountForAForeignReplicaSet) {
  const Deployment deployment = DeploymentOf(3);
  Cached(deployment);
  ReplicaSet other = MakeReplicaSet(deployment, 1, 3);
  other.metadata.uid = "other";
  other.metadata.resourceVersion = "300";
  other.spec.template_ = TemplateOf("something-else");
  Cached(other, &deployment);
  RemoveFromCache(other);
  transport_->On("POST", std::string(kSets), StatusAnswer(409, "AlreadyExists"));
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_EQ(BodyOf("PATCH", "*/status").At("/status/collisionCount").text(), "1");
}

TEST_F(DeploymentReconcilerTest, ReportsAFailedCreationOfAReplicaSet) {
  const Deployment deployment = DeploymentOf(3);
  Cached(deployment);
  transport_->On("POST", std::string(kSets), StatusAnswer(403, "Forbidden", "no way"));
  EXPECT_TRUE(reconciler_.Reconcile(For("web")).status().IsForbidden());
  const std::string message =
      "Failed to create new replica set \"" + NewSetOf(deployment) + "\": no way";
  const RawJson patch = BodyOf("PATCH", "*/status");
  EXPECT_EQ(patch.StringAt("/status/conditions/0/reason"), "ReplicaSetCreateError");
  EXPECT_EQ(patch.StringAt("/status/conditions/0/message"), message);
  EXPECT_TRUE(patch.At("/metadata/annotations").empty());
  EXPECT_THAT(Events(), ElementsAre("Warning ReplicaSetCreateError " + message));
}

TEST_F(DeploymentReconcilerTest, StopsForADeploymentInATerminatingNamespace) {
  Cached(DeploymentOf(3));
  transport_->On("POST", std::string(kSets), NamespaceTerminating());
  EXPECT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_THAT(Events(), IsEmpty());
}

TEST_F(DeploymentReconcilerTest, RollsBackByReplacingTheTemplate) {
  Deployment deployment = DeploymentOf(3, "v2");
  deployment.metadata.annotations = {{kRollbackToAnnotation, "1"}, {kRevisionAnnotation, "2"}};
  SetReplicasAnnotations(deployment, deployment.metadata.annotations);
  Cached(deployment);
  Cached(SizedFor(deployment, SetOf("a", "v1", 0, 0), "1"), &deployment);
  Cached(SizedFor(deployment, SetOf("b", "v2", 3, 3, 1), "2"), &deployment);
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  const RawJson patch = BodyOf("PATCH", In(kDeployments, "web"));
  EXPECT_EQ(patch.StringAt("/1/path"), "/metadata/resourceVersion");
  EXPECT_EQ(patch.StringAt("/2/path"), "/metadata/annotations");
  EXPECT_EQ(patch.At("/2/value/deprecated.deployment.rollback.to").text(), "");
  EXPECT_EQ(patch.StringAt("/3/op"), "replace");
  EXPECT_EQ(patch.StringAt("/3/value/spec/containers/0/image"), "v1");
  EXPECT_THAT(Events(), ElementsAre("Normal DeploymentRollback "
                                    "Rolled back deployment \"web\" to revision 1"));
}

TEST_F(DeploymentReconcilerTest, DoesNotWriteTerminatingReplicasAgainToAServerThatDropsThem) {
  Deployment deployment = DeploymentOf(1);
  deployment.metadata.annotations = {{kRevisionAnnotation, "1"}};
  Cached(deployment);
  const ReplicaSet set = Cached(SizedFor(deployment, SetOf("a", "v1", 1, 1)), &deployment);
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());  // the response lacks terminatingReplicas
  Deployment after = PlanOf(deployment, {set}).value().after;
  after.metadata.resourceVersion = "5000";
  after.status.terminatingReplicas.reset();
  Cached(after);
  const size_t before = transport_->Requests().size();
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_EQ(transport_->Requests().size(), before);
}

TEST_F(DeploymentReconcilerTest, WarnsOfASelectorThatSelectsEverything) {
  Deployment deployment = DeploymentOf(1);
  deployment.spec.selector = {};
  Cached(deployment);
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_THAT(Writes(), ElementsAre("PATCH " + In(kDeployments, "web", "/status")));
  EXPECT_THAT(Events(),
              ElementsAre(HasSubstr("Warning SelectingAll This deployment is selecting")));
}

TEST_F(DeploymentReconcilerTest, ReportsTheInvalidPartOfASelector) {
  Deployment deployment = DeploymentOf(1);
  deployment.spec.selector.matchExpressions = {{.key = "app", .operator_ = "Like", .values = {}}};
  Cached(deployment);
  const Status status = reconciler_.Reconcile(For("web")).status();
  EXPECT_TRUE(status.IsTerminal());
  EXPECT_THAT(status.message(), HasSubstr("spec.selector"));
}

TEST_F(DeploymentReconcilerTest, StopsAtAConflictWithoutWritingTheStatus) {
  const Deployment deployment = DeploymentOf(4, "v2");
  Cached(deployment);
  Cached(SizedFor(deployment, SetOf("a", "v1", 4, 4), "1"), &deployment);
  Cached(SizedFor(deployment, SetOf("b", "v2", 1, 1, 1), "2"), &deployment);
  transport_->On("PATCH", In(kSets, "a"), StatusAnswer(409, "Conflict"));
  EXPECT_TRUE(reconciler_.Reconcile(For("web")).status().IsConflict());
  EXPECT_THAT(Writes(), ElementsAre("PATCH " + In(kSets, "a")));
  EXPECT_THAT(Events(), IsEmpty());
}

TEST_F(DeploymentReconcilerTest, WritesTheStatusWhenAScaleIsRefused) {
  const Deployment deployment = DeploymentOf(4, "v2");
  Cached(deployment);
  Cached(SizedFor(deployment, SetOf("a", "v1", 4, 4), "1"), &deployment);
  Cached(SizedFor(deployment, SetOf("b", "v2", 1, 1, 1), "2"), &deployment);
  transport_->On("PATCH", In(kSets, "a"), StatusAnswer(403, "Forbidden"));
  EXPECT_TRUE(reconciler_.Reconcile(For("web")).status().IsForbidden());
  EXPECT_THAT(Writes(), ElementsAre("PATCH " + In(kSets, "a"),
                                    "PATCH " + In(kDeployments, "web", "/status")));
}

}  // namespace
}  // namespace capstan::deployment
