#include "replicaset/reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders.h"
#include "plugins/reconcile_fixture.h"

namespace capstan::replicaset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::JsonAnswer;
using testing::StatusAnswer;
using ::testing::UnorderedElementsAre;

constexpr std::string_view kSets = "/apis/apps/v1/namespaces/default/replicasets";
constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";

class ReplicaSetReconcilerTest : public testing::ReconcileFixture {
 protected:
  void Cached(const ReplicaSet& set) { Cache(set, kSets); }
  void Cached(const Pod& pod) { Cache(pod, kPods); }
  std::string StatusPath() const { return std::string(kSets) + "/web/status"; }
  // Adds a ReplicaSet "NAME" without pods whose status is to be written.
  ReplicaSet Other(const std::string& name) {
    ReplicaSet set = SetOf(0);
    set.metadata.name = name;
    set.metadata.uid = Uid("uid-of-" + name);
    Cached(set);
    return set;
  }
  // Writes so many statuses that all others wait.
  void MakeBusy() {
    for (int i = 0; i < 30; ++i) {
      const std::string name = "other-" + std::to_string(i);
      Other(name);
      ASSERT_TRUE(reconciler_.Reconcile(For(name)).ok());
    }
  }
  // The ReplicaSet "web" as the Deployment controller sees it.
  std::shared_ptr<const ReplicaSet> Latest() {
    return context_.PendingStatusesOf<ReplicaSet>().Latest(
        context_.ListerFor<ReplicaSet>().Get("default", "web"));
  }
  size_t StatusWrites() const { return transport_->Count("PATCH", StatusPath()); }
  size_t Creations() const { return transport_->Count("POST", std::string(kPods)); }

  ReplicaSetReconciler reconciler_{context_};
};

TEST_F(ReplicaSetReconcilerTest, CreatesPodsFromItsTemplateAndCountsThemLater) {
  Cached(SetOf(3));
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_EQ(Creations(), 3U);
  const RawJson pod = RawJson::Parse(transport_->Requests().front().body).value();
  EXPECT_EQ(pod.StringAt("/metadata/generateName"), "web-");
  EXPECT_EQ(pod.StringAt("/metadata/finalizers/0"), "example.dev/one");
  EXPECT_EQ(pod.StringAt("/metadata/ownerReferences/0/uid"), kSetUid);
  EXPECT_EQ(pod.StringAt("/spec/containers/0/image"), "v1");
  const RawJson patch = BodyOf("PATCH", StatusPath());
  EXPECT_EQ(patch.At("/status/observedGeneration").text(), "1");
  EXPECT_TRUE(patch.At("/status/replicas").empty());
  EXPECT_THAT(Events(), UnorderedElementsAre("Normal SuccessfulCreate Created pod: web-1",
                                             "Normal SuccessfulCreate Created pod: web-2",
                                             "Normal SuccessfulCreate Created pod: web-3"));
}

TEST_F(ReplicaSetReconcilerTest, StopsEarlyWhenTheQuotaIsExceeded) {
  Cached(SetOf(500));
  transport_->On("POST", std::string(kPods), StatusAnswer(403, "Forbidden", "exceeded quota"));
  const Status status = reconciler_.Reconcile(For("web")).status();
  EXPECT_TRUE(status.IsForbidden());
  EXPECT_EQ(Creations(), 1U);
  const RawJson patch = BodyOf("PATCH", StatusPath());
  EXPECT_EQ(patch.StringAt("/status/conditions/0/reason"), "FailedCreate");
  EXPECT_EQ(patch.StringAt("/status/conditions/0/message"), "exceeded quota");
  EXPECT_THAT(Events(), ElementsAre("Warning FailedCreate Error creating: exceeded quota"));
}

TEST_F(ReplicaSetReconcilerTest, StopsWithoutAnErrorInATerminatingNamespace) {
  Cached(SetOf(1));
  transport_->On("POST", std::string(kPods), NamespaceTerminating());
  EXPECT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_THAT(Events(), IsEmpty());
}

TEST_F(ReplicaSetReconcilerTest, DeletesTheFirstRankedPodByUid) {
  Cached(SetOf(1));
  Cached(PodOf("a"));
  Pod pending = PodOf("b");
  pending.status.phase = "Pending";
  Cached(pending);
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_EQ(BodyOf("DELETE", std::string(kPods) + "/b").StringAt("/preconditions/uid"),
            pending.metadata.uid.str());
  EXPECT_THAT(Events(), ElementsAre("Normal SuccessfulDelete Deleted pod: b"));
  EXPECT_EQ(transport_->Count("DELETE", std::string(kPods) + "/*"), 1U);
}

TEST_F(ReplicaSetReconcilerTest, RecordsTheAgesOfDeletedPods) {
  Cached(SetOf(1));
  Cached(PodOf("a"));
  Cached(PodOf("b"));
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_THAT(metrics_.Serialize(),
              HasSubstr("replicaset_controller_sorting_deletion_age_ratio_count 1\n"));
}

TEST_F(ReplicaSetReconcilerTest, RecordsNoAgesWhenAllPodsAreDeleted) {
  Cached(SetOf(0));
  Cached(PodOf("a"));
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_THAT(metrics_.Serialize(),
              HasSubstr("replicaset_controller_sorting_deletion_age_ratio_count 0\n"));
}

TEST_F(ReplicaSetReconcilerTest, CountsPodsOfSiblingReplicaSetsOnANode) {
  const api::OwnerReference owner{.apiVersion = "apps/v1",
                                  .kind = "Deployment",
                                  .name = "web",
                                  .uid = "deployment",
                                  .controller = true,
                                  .blockOwnerDeletion = true};
  ReplicaSet set = SetOf(1);
  set.metadata.ownerReferences = {owner};
  Cached(set);
  ReplicaSet sibling = SetOf(0);
  sibling.metadata.name = "sibling";
  sibling.metadata.uid = "sibling";
  sibling.metadata.ownerReferences = {owner};
  sibling.spec.selector.matchLabels = {{"app", "sibling"}};
  Cached(sibling);
  Pod alone = PodOf("a");
  Pod crowded = PodOf("b");
  Pod neighbour = PodOf("c");
  neighbour.metadata.labels = {{"app", "sibling"}};
  neighbour.metadata.ownerReferences = {OwnerOf("sibling", "sibling")};
  neighbour.spec.nodeName = crowded.spec.nodeName;
  for (const Pod& pod : {alone, crowded, neighbour}) Cached(pod);
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_EQ(transport_->Count("DELETE", std::string(kPods) + "/b"), 1U);
}

TEST_F(ReplicaSetReconcilerTest, ReportsAFailedPodDeletion) {
  Cached(SetOf(0));
  Cached(PodOf("a"));
  transport_->On("DELETE", std::string(kPods) + "/a", StatusAnswer(403, "Forbidden", "no way"));
  EXPECT_FALSE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_EQ(BodyOf("PATCH", StatusPath()).StringAt("/status/conditions/0/message"),
            "unable to delete pods: no way");
  EXPECT_THAT(Events(), ElementsAre("Warning FailedDelete Error deleting: no way"));
}

TEST_F(ReplicaSetReconcilerTest, DoesNotChangePodsOfAReplicaSetBeingDeleted) {
  ReplicaSet set = SetOf(0);
  set.metadata.deletionTimestamp = TimeAt(0);
  Cached(set);
  Cached(PodOf("a"));
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_THAT(Writes(), ElementsAre("PATCH " + StatusPath()));
}

TEST_F(ReplicaSetReconcilerTest, AdoptsOrphansAndReleasesPodsThatDoNotMatch) {
  Cached(SetOf(1));
  Pod orphan = PodOf("orphan");
  orphan.metadata.ownerReferences = {};
  Cached(orphan);
  Pod stray = PodOf("stray");
  stray.metadata.labels = {};
  Cached(stray);
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_EQ(transport_->Count("GET", std::string(kSets) + "/web"), 1U);
  EXPECT_EQ(
      BodyOf("PATCH", std::string(kPods) + "/orphan").StringAt("/metadata/ownerReferences/0/uid"),
      kSetUid);
  EXPECT_EQ(
      BodyOf("PATCH", std::string(kPods) + "/stray").StringAt("/metadata/ownerReferences/0/$patch"),
      "delete");
  EXPECT_EQ(Creations(), 0U);
  EXPECT_EQ(BodyOf("PATCH", StatusPath()).At("/status/replicas").text(), "1");
}

TEST_F(ReplicaSetReconcilerTest, WritesNothingWhenNothingChanges) {
  ReplicaSet set = SetOf(1);
  set.status = {.replicas = 1,
                .fullyLabeledReplicas = 1,
                .readyReplicas = 1,
                .availableReplicas = 1,
                .terminatingReplicas = 0,
                .observedGeneration = 1,
                .conditions = {}};
  Cached(set);
  Cached(PodOf("a"));
  const Result<Action> action = reconciler_.Reconcile(For("web"));
  ASSERT_TRUE(action.ok());
  EXPECT_FALSE(action->requeue_after());
  EXPECT_THAT(transport_->Lines(), IsEmpty());
}

TEST_F(ReplicaSetReconcilerTest, RequeuesForWhenAReadyPodBecomesAvailable) {
  ReplicaSet set = SetOf(1);
  set.spec.minReadySeconds = 30;
  Cached(set);
  Pod pod = PodOf("a");
  pod.status.conditions[0].lastTransitionTime =
      Time(runtime_.clock().Now() - std::chrono::seconds(10));
  Cached(pod);
  const Result<Action> action = reconciler_.Reconcile(For("web"));
  ASSERT_TRUE(action.ok());
  EXPECT_EQ(action->requeue_after(), Duration(std::chrono::seconds(20)));
}

TEST_F(ReplicaSetReconcilerTest, RetriesTheStatusOnceAfterAConflict) {
  Cached(SetOf(1));
  Cached(PodOf("a"));
  transport_->On("PATCH", StatusPath(), StatusAnswer(409, "Conflict"));
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_THAT(transport_->Lines(),
              ElementsAre("PATCH " + StatusPath(), "GET " + std::string(kSets) + "/web",
                          "PATCH " + StatusPath()));
}

TEST_F(ReplicaSetReconcilerTest, PublishesADelayedStatus) {
  MakeBusy();
  Cached(SetOf(1));
  Cached(PodOf("a"));
  const Result<Action> action = reconciler_.Reconcile(For("web"));
  ASSERT_TRUE(action.ok());
  EXPECT_EQ(StatusWrites(), 0U);
  EXPECT_EQ(Latest()->status.availableReplicas, 1);
  ASSERT_TRUE(action->requeue_after());
  runtime_.AdvanceBy(*action->requeue_after());
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_EQ(BodyOf("PATCH", StatusPath()).At("/status/availableReplicas").text(), "1");
  EXPECT_EQ(Latest()->status.availableReplicas, 1) << "the cache does not show it yet";
}

TEST_F(ReplicaSetReconcilerTest, WithdrawsAStatusThatTheCacheShows) {
  MakeBusy();
  ReplicaSet set = SetOf(1);
  Cached(set);
  Cached(PodOf("a"));
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  auto& store = informers_.InformerFor<ReplicaSet>().pending_statuses();
  const size_t pending = store.size();
  set.status = Latest()->status;
  Cached(set);
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_EQ(store.size(), pending - 1);
  EXPECT_EQ(StatusWrites(), 0U);
}

TEST_F(ReplicaSetReconcilerTest, WritesALossOfAvailabilityAtOnce) {
  ReplicaSet set = SetOf(2);
  set.status = {.replicas = 2,
                .fullyLabeledReplicas = 2,
                .readyReplicas = 2,
                .availableReplicas = 2,
                .terminatingReplicas = 0,
                .observedGeneration = 1,
                .conditions = {}};
  MakeBusy();
  Cached(set);
  Cached(PodOf("a"));
  Pod lost = PodOf("b");
  lost.status.conditions[0].status = "False";
  Cached(lost);
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_EQ(Latest()->status.availableReplicas, 1);
  EXPECT_EQ(BodyOf("PATCH", StatusPath()).At("/status/availableReplicas").text(), "1");
}

TEST_F(ReplicaSetReconcilerTest, DoesNotDelayConditions) {
  MakeBusy();
  Cached(SetOf(500));
  transport_->On("POST", std::string(kPods), StatusAnswer(403, "Forbidden", "exceeded quota"));
  EXPECT_TRUE(reconciler_.Reconcile(For("web")).status().IsForbidden());
  EXPECT_EQ(StatusWrites(), 1U);
}

TEST_F(ReplicaSetReconcilerTest, DelaysCountsThatCannotBeWritten) {
  Cached(SetOf(1));
  Cached(PodOf("a"));
  transport_->On("PATCH", StatusPath(), StatusAnswer(500, "InternalError"));
  const Result<Action> action = reconciler_.Reconcile(For("web"));
  ASSERT_TRUE(action.ok()) << action.status().ToString();
  EXPECT_EQ(Latest()->status.availableReplicas, 1);
  ASSERT_TRUE(action->requeue_after());
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_EQ(StatusWrites(), 1U) << "not before the wait is over";
  runtime_.AdvanceBy(*action->requeue_after());
  ASSERT_TRUE(reconciler_.Reconcile(For("web")).ok());
  EXPECT_EQ(StatusWrites(), 2U);
}

TEST_F(ReplicaSetReconcilerTest, WithdrawsItsStatusesAtTheEnd) {
  {
    ReplicaSetReconciler other(context_);
    Cached(SetOf(1));
    Cached(PodOf("a"));
    ASSERT_TRUE(other.Reconcile(For("web")).ok());
    EXPECT_EQ(Latest()->status.availableReplicas, 1);
  }
  EXPECT_EQ(Latest()->status.availableReplicas, 0);
}

TEST_F(ReplicaSetReconcilerTest, ReportsATemplateWithoutLabels) {
  ReplicaSet set = SetOf(1);
  set.spec.template_ = RawJson::Parse(R"({"spec":{"containers":[]}})").value();
  Cached(set);
  EXPECT_THAT(reconciler_.Reconcile(For("web")).status().message(),
              HasSubstr("unable to create pods, no labels"));
  EXPECT_EQ(Creations(), 0U);
}

}  // namespace
}  // namespace capstan::replicaset
