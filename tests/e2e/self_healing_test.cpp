#include "cluster_test.h"

namespace capstan::e2e {
namespace {

class SelfHealing : public ClusterTest {
 protected:
  // Waits for the ReplicaSet that replaces the one with `uid`.
  testing::AssertionResult ReplicaSetComesBack(const Uid& uid) {
    return observer_.Eventually("another ReplicaSet in its place", [&](const View& view) {
      return view.replica_sets.size() == 1 && view.replica_sets[0]->metadata.uid != uid;
    });
  }
};

TEST_F(SelfHealing, ReplacesADeletedPod) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 3}));
  const std::string victim = *observer_.Now().PodNames().begin();

  Kubectl({"delete", "pod", victim, "--wait=false"});
  ASSERT_TRUE(observer_.Eventually("another pod in its place", [&](const View& view) {
    return !view.PodNames().contains(victim) && IsComplete(view, 3);
  }));
}

TEST_F(SelfHealing, ReplacesAPodThatFailed) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const std::string victim = *observer_.Now().PodNames().begin();

  Kubectl({"patch", "pod", victim, "--subresource=status", "--type=merge",
           R"(--patch={"status":{"phase":"Failed","reason":"Evicted"}})"});
  ASSERT_TRUE(observer_.Eventually("2 active pods beside the failed one", [&](const View& view) {
    return view.PodNames().contains(victim) && view.AvailablePods() == 2 &&
           view.deployment->status.availableReplicas == 2 && view.PodNames().size() == 3;
  }));
}

TEST_F(SelfHealing, ReplacesADeletedReplicaSetAndItsPods) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const View before = observer_.Now();

  Kubectl({"delete", "replicaset", before.replica_sets[0]->metadata.name, "--wait=false"});
  // What the garbage collector does with the pods of a ReplicaSet that is gone.
  for (const std::string& pod : before.PodNames()) Kubectl({"delete", "pod", pod, "--wait=false"});

  ASSERT_TRUE(ReplicaSetComesBack(before.replica_sets[0]->metadata.uid));
  ASSERT_TRUE(observer_.Eventually("2 pods of its own", [&](const View& view) {
    for (const std::string& pod : before.PodNames()) {
      if (view.PodNames().contains(pod)) return false;
    }
    return IsComplete(view, 2);
  }));
}

TEST_F(SelfHealing, AdoptsThePodsThatADeletedReplicaSetLeftBehind) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const View before = observer_.Now();
  const std::string replica_set = before.replica_sets[0]->metadata.name;
  const size_t mark = observer_.Mark();

  Kubectl({"delete", "replicaset", replica_set, "--cascade=orphan", "--wait=false"});
  // What the garbage collector does then: first it frees the pods, then the ReplicaSet may go.
  for (const std::string& pod : before.PodNames()) {
    Kubectl(
        {"patch", "pod", pod, "--type=merge", R"(--patch={"metadata":{"ownerReferences":null}})"});
  }
  Kubectl({"patch", "replicaset", replica_set, "--type=merge",
           R"(--patch={"metadata":{"finalizers":null}})"});

  ASSERT_TRUE(ReplicaSetComesBack(before.replica_sets[0]->metadata.uid));
  ASSERT_TRUE(observer_.Eventually("the pods belong to the new ReplicaSet", [](const View& view) {
    for (const auto& pod : view.pods) {
      if (!api::IsControlledBy(pod->metadata, view.replica_sets[0]->metadata.uid)) return false;
    }
    return IsComplete(view, 2);
  }));
  EXPECT_EQ(observer_.PodsSince(mark), 2U) << "no other pod is created";
}

TEST_F(SelfHealing, ReleasesAPodWhoseLabelsNoLongerMatchAndReplacesIt) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const std::string outcast = *observer_.Now().PodNames().begin();

  Kubectl({"label", "pod", outcast, "app=other", "--overwrite"});
  ASSERT_TRUE(observer_.Eventually("a free pod and 2 of the ReplicaSet", [&](const View& view) {
    bool released = false;
    for (const auto& pod : view.pods) {
      released |= pod->metadata.name == outcast && api::ControllerOf(pod->metadata) == nullptr;
    }
    return released && view.AvailablePods() == 3 && view.deployment->status.availableReplicas == 2;
  }));
}

}  // namespace
}  // namespace capstan::e2e
