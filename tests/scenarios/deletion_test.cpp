#include <string>

#include "scenario_test.h"

namespace capstan::scenarios {
namespace {

class Deletion : public Scenario {};
CAPSTAN_IN_EVERY_WORLD(Deletion);

bool IsEmpty(const View& view) {
  return !view.deployment && view.replica_sets.empty() && view.pods.empty();
}

TEST_P(Deletion, BackgroundDeletionRemovesReplicaSetsAndPods) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 3}));
  SetImage("example.com/web:2");
  ASSERT_TRUE(BecomesComplete(3));
  Delete("deployments/web", {.propagation = PropagationPolicy::kBackground});
  EXPECT_TRUE(observer_.Eventually("nothing is left", IsEmpty));
}

TEST_P(Deletion, ForegroundDeletionWaitsForReplicaSetsAndPods) {
  StartLeader();
  kubelet_.Behave({.gone_after = Milliseconds(500)});
  ASSERT_TRUE(Create({.replicas = 3}));
  Delete("deployments/web", {.propagation = PropagationPolicy::kForeground});
  EXPECT_TRUE(Exists("deployments/web"));
  EXPECT_TRUE(observer_.Eventually("nothing is left", IsEmpty));
}

TEST_P(Deletion, AReplicaSetHeldByAFinalizerCreatesNoPods) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const std::string name = observer_.Now().replica_sets[0]->metadata.name;
  Patch("replicasets/" + name, R"({"metadata":{"finalizers":["example.com/audit"]}})");
  Delete("replicasets/" + name, {.propagation = PropagationPolicy::kBackground});
  // Pods may be replaced until the controller has observed the deletion of their ReplicaSet.
  ASSERT_TRUE(observer_.Eventually("the controller has observed it", [](const View& view) {
    const auto& replica_set = *view.replica_sets[0];
    return !replica_set.metadata.deletionTimestamp.IsZero() &&
           replica_set.status.observedGeneration == replica_set.metadata.generation;
  }));
  const size_t mark = observer_.Mark();
  Delete("pods/" + *observer_.Now().PodNames().begin());
  ASSERT_TRUE(observer_.Eventually("its status reports one pod", [](const View& view) {
    return view.replica_sets[0]->status.replicas == 1;
  }));
  EXPECT_EQ(observer_.PodsSince(mark), 2U) << "whoever is being deleted creates no pods";
  Patch("replicasets/" + name, R"({"metadata":{"finalizers":null}})");
  EXPECT_TRUE(BecomesComplete(2));
}

TEST_P(Deletion, OrphanedPodsAreAdoptedByARecreatedDeployment) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const size_t mark = observer_.Mark();
  Delete("deployments/web", {.propagation = PropagationPolicy::kOrphan});
  ASSERT_TRUE(observer_.Eventually("a ReplicaSet without an owner", [](const View& view) {
    return !view.deployment && view.replica_sets.size() == 1 && view.pods.size() == 2 &&
           api::ControllerOf(view.replica_sets[0]->metadata) == nullptr;
  }));
  ASSERT_TRUE(Create({.replicas = 2}));
  EXPECT_EQ(observer_.Now().replica_sets.size(), 1U) << "it is adopted";
  EXPECT_EQ(observer_.PodsSince(mark), 2U) << "no other pod is created";
}

TEST_P(Deletion, APodHeldByAFinalizerIsReplacedAtOnce) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const std::string held = *observer_.Now().PodNames().begin();
  Patch("pods/" + held, R"({"metadata":{"finalizers":["example.com/audit"]}})");
  Delete("pods/" + held);
  ASSERT_TRUE(observer_.Eventually("2 pods beside the one that is held", [&](const View& view) {
    return view.PodNames().contains(held) && view.AvailablePods() == 2 && view.pods.size() == 3;
  }));
  Patch("pods/" + held, R"({"metadata":{"finalizers":null}})");
  EXPECT_TRUE(BecomesComplete(2));
}

TEST_P(Deletion, ADeploymentHeldByAFinalizerIsNotRolledOut) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  Patch("deployments/web", R"({"metadata":{"finalizers":["example.com/audit"]}})");
  Delete("deployments/web", {.propagation = PropagationPolicy::kBackground});
  ASSERT_TRUE(observer_.Eventually("it is being deleted", [](const View& view) {
    return view.deployment && !view.deployment->metadata.deletionTimestamp.IsZero();
  }));
  const size_t mark = observer_.Mark();
  SetImage("example.com/web:2");
  const int64_t generation = Get().Get("metadata", "generation").AsInteger();
  ASSERT_TRUE(observer_.Eventually("its status is kept up to date", [&](const View& view) {
    return view.deployment->status.observedGeneration >= generation;
  }));
  EXPECT_TRUE(observer_.Always("no ReplicaSet is created", mark,
                               [](const View& view) { return view.replica_sets.size() == 1; }));
  Patch("deployments/web", R"({"metadata":{"finalizers":null}})");
  EXPECT_TRUE(observer_.Eventually("nothing is left", IsEmpty));
}

}  // namespace
}  // namespace capstan::scenarios
