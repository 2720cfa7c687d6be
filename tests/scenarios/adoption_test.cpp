#include <string>

#include "scenario_test.h"

namespace capstan::scenarios {
namespace {

class Adoption : public Scenario {
 protected:
  // The ReplicaSet that "web" created.
  std::string NameOfReplicaSet() { return observer_.Now().replica_sets[0]->metadata.name; }
};
CAPSTAN_IN_EVERY_WORLD(Adoption);

const ReplicaSet* Find(const View& view, const std::string& name) {
  for (const auto& replica_set : view.replica_sets) {
    if (replica_set->metadata.name == name) return replica_set.get();
  }
  return nullptr;
}

std::string ControllerOf(const View& view, const std::string& replica_set) {
  const ReplicaSet* found = Find(view, replica_set);
  const api::OwnerReference* owner = found ? api::ControllerOf(found->metadata) : nullptr;
  return owner ? owner->name.str() : "";
}

int64_t AvailableOf(const json::Value& deployment) {
  return deployment.Get("status", "availableReplicas").AsInteger();
}

TEST_P(Adoption, AMatchingOrphanIsAdoptedAndScaledToZero) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const size_t mark = observer_.Mark();

  CreateObject("replicasets", ReplicaSetJson("stray", "web", 3));
  ASSERT_TRUE(
      observer_.Eventually("it belongs to the Deployment and has no pods", [](const View& view) {
        const ReplicaSet* stray = Find(view, "stray");
        return stray && ControllerOf(view, "stray") == "web" && stray->spec.replicas == 0 &&
               IsComplete(view, 2);
      }));
  EXPECT_TRUE(observer_.Always("2 pods are available", mark,
                               [](const View& view) { return view.AvailablePods() >= 2; }));
}

TEST_P(Adoption, AReplicaSetWithAnotherLabelIsNotAdopted) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 1}));
  CreateObject("replicasets", ReplicaSetJson("stray", "other", 2));
  SetImage("example.com/web:2");
  ASSERT_TRUE(observer_.Eventually("both have their pods", [](const View& view) {
    const ReplicaSet* stray = Find(view, "stray");
    return stray && stray->status.availableReplicas == 2 && view.AvailablePods() == 3 &&
           view.deployment->status.updatedReplicas == 1 && view.deployment->status.replicas == 1;
  }));
  EXPECT_EQ(ControllerOf(observer_.Now(), "stray"), "");
}

// The released ReplicaSet keeps the name that the next one would get, so the hashes collide.
TEST_P(Adoption, AReplicaSetThatNoLongerMatchesIsReleasedAndReplaced) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const size_t mark = observer_.Mark();
  const std::string outcast = NameOfReplicaSet();

  Label("replicasets/" + outcast, "app", "other");
  ASSERT_TRUE(observer_.Eventually("2 pods of each", [&](const View& view) {
    return view.replica_sets.size() == 2 && view.AvailablePods() == 4 &&
           view.deployment->status.availableReplicas == 2 && view.deployment->status.replicas == 2;
  }));
  EXPECT_EQ(ControllerOf(observer_.Now(), outcast), "");
  EXPECT_EQ(Get().Get("status", "collisionCount").AsInteger(), 1);
  EXPECT_EQ(observer_.PodsSince(mark), 4U) << "those of the outcast stay";

  Label("replicasets/" + outcast, "app", "web");
  ASSERT_TRUE(
      observer_.Eventually("both belong to the Deployment and one has pods", [&](const View& view) {
        return ControllerOf(view, outcast) == "web" && view.replica_sets.size() == 2 &&
               IsComplete(view, 2);
      }));
  EXPECT_EQ(observer_.PodsSince(mark), 4U) << "the two have the same template";
}

TEST_P(Adoption, TwoDeploymentsWithTheSameSelectorKeepTheirOwnPods) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  Apply({.replicas = 3, .image = "example.com/blue:1", .name = "blue", .app = "web"});
  ASSERT_TRUE(Eventually("both are complete", [&] {
    return AvailableOf(Get()) == 2 && AvailableOf(Get("deployments/blue")) == 3 &&
           observer_.Now().pods.size() == 5;
  }));
  const size_t mark = observer_.Mark();

  SetImage("example.com/web:2");
  ASSERT_TRUE(Eventually("the one is updated", [&] {
    const json::Value status = Get().Get("status");
    return status.Get("updatedReplicas").AsInteger() == 2 &&
           status.Get("replicas").AsInteger() == 2 &&
           status.Get("availableReplicas").AsInteger() == 2 && observer_.Now().pods.size() == 5 &&
           observer_.PodsSince(mark) > 5;
  }));
  EXPECT_EQ(observer_.PodsSince(mark), 7U) << "the other has the 3 pods that it had";
  EXPECT_EQ(AvailableOf(Get("deployments/blue")), 3);
}

TEST_P(Adoption, AChangedControllerReferenceWakesBothOwners) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const std::string handed = NameOfReplicaSet();
  Apply({.replicas = 1, .image = "example.com/blue:1", .name = "blue", .app = "web"});
  ASSERT_TRUE(Eventually("the other is complete",
                         [&] { return AvailableOf(Get("deployments/blue")) == 1; }));

  const std::string uid = Get("deployments/blue").Get("metadata", "uid").AsString();
  Patch("replicasets/" + handed,
        R"({"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment",)"
        R"("name":"blue","controller":true,"blockOwnerDeletion":true,"uid":")" +
            uid + "\"}]}}");
  ASSERT_TRUE(
      observer_.Eventually("one winds it up, the other has made another", [&](const View& view) {
        const ReplicaSet* set = Find(view, handed);
        return set && ControllerOf(view, handed) == "blue" && set->spec.replicas == 0 &&
               view.replica_sets.size() == 3 && view.AvailablePods() == 3 && view.pods.size() == 3;
      }));
  EXPECT_TRUE(Eventually("both are complete", [&] {
    return AvailableOf(Get()) == 2 && AvailableOf(Get("deployments/blue")) == 1;
  }));
}

TEST_P(Adoption, AMatchingOrphanPodIsAdoptedAndTheSurplusDeleted) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const size_t mark = observer_.Mark();
  const std::string hash = *observer_.Now().PodHashes().begin();

  CreateObject("pods", PodJson("stray", R"({"app":"web","pod-template-hash":")" + hash + "\"}"));
  ASSERT_TRUE(observer_.Eventually(
      "a pod is deleted, and 2 belong to the ReplicaSet",
      [&](const View& view) { return observer_.PodsSince(mark) == 3 && IsComplete(view, 2); }));
  EXPECT_EQ(observer_.PodsSince(mark), 3U) << "none is created";
  for (const auto& pod : observer_.Now().pods) {
    EXPECT_NE(api::ControllerOf(pod->metadata), nullptr) << pod->metadata.name;
  }
}

}  // namespace
}  // namespace capstan::scenarios
