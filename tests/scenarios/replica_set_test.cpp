#include <iterator>
#include <map>
#include <set>
#include <string>

#include <gmock/gmock.h>

#include "scenario_test.h"

namespace capstan::scenarios {
namespace {

class ReplicaSets : public Scenario {
 protected:
  // Waits until "solo" has that many pods, all available, and its status shows it.
  ::testing::AssertionResult SoloHas(int replicas) {
    return observer_.Eventually(std::to_string(replicas) + " pods", [&](const View& view) {
      if (view.replica_sets.empty()) return false;
      const ReplicaSet& solo = *view.replica_sets[0];
      return solo.status.observedGeneration == solo.metadata.generation &&
             solo.spec.replicas == replicas && solo.status.replicas == replicas &&
             solo.status.availableReplicas == replicas && view.AvailablePods() == replicas &&
             static_cast<int>(view.pods.size()) == replicas;
    });
  }
  void ScaleSolo(int replicas) {
    Patch("replicasets/solo/scale", R"({"spec":{"replicas":)" + std::to_string(replicas) + "}}");
  }
  // Annotates the pod, and waits until the ReplicaSet's status shows that the pod was observed.
  void SetDeletionCost(const std::string& pod, const std::string& cost) {
    Patch("pods/" + pod, R"({"metadata":{"labels":{"tier":"marked"},)"
                         R"("annotations":{"controller.kubernetes.io/pod-deletion-cost":")" +
                             cost + "\"}}}");
  }
};
CAPSTAN_IN_EVERY_WORLD(ReplicaSets);

TEST_P(ReplicaSets, WithoutAnOwnerKeepTheirPods) {
  StartLeader();
  CreateObject("replicasets", ReplicaSetJson("solo", "solo", 2));
  ASSERT_TRUE(SoloHas(2));
  ScaleSolo(3);
  ASSERT_TRUE(SoloHas(3));
  const size_t mark = observer_.Mark();
  Delete("pods/" + *observer_.Now().PodNames().begin());
  ASSERT_TRUE(Eventually("another pod", [&] { return observer_.PodsSince(mark) == 4; }));
  ASSERT_TRUE(SoloHas(3));
  ScaleSolo(0);
  ASSERT_TRUE(SoloHas(0));
}

TEST_P(ReplicaSets, RecordEventsForTheirActions) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const std::string set = observer_.Now().replica_sets[0]->metadata.name;
  EXPECT_TRUE(HasEvent("ScalingReplicaSet", "Scaled up replica set " + set + " from 0 to 2"));
  for (const std::string& pod : observer_.Now().PodNames()) {
    EXPECT_TRUE(HasEvent("SuccessfulCreate", "Created pod: " + pod));
  }
  const std::set<std::string> two = observer_.Now().PodNames();
  Scale(1);
  ASSERT_TRUE(BecomesComplete(1));
  EXPECT_TRUE(HasEvent("ScalingReplicaSet", "Scaled down replica set " + set + " from 2 to 1"));
  for (const std::string& pod : two) {
    if (observer_.Now().PodNames().contains(pod)) continue;
    EXPECT_TRUE(HasEvent("SuccessfulDelete", "Deleted pod: " + pod));
  }

  const json::Value events = Get("events");
  for (const json::Value& event : events.Get("items").items()) {
    const bool of_deployment = event.Get("reason").AsString() == "ScalingReplicaSet";
    EXPECT_EQ(event.Get("involvedObject", "kind").AsString(),
              of_deployment ? "Deployment" : "ReplicaSet");
    EXPECT_EQ(event.Get("involvedObject", "name").AsString(), of_deployment ? "web" : set);
    EXPECT_EQ(event.Get("type").AsString(), "Normal");
    const std::string component = of_deployment ? "deployment-controller" : "replicaset-controller";
    EXPECT_EQ(event.Get("source", "component").AsString(), component);
    EXPECT_EQ(event.Get("reportingComponent").AsString(), component);
  }
}

TEST_P(ReplicaSets, DeletePodsWithTheLowestDeletionCostFirst) {
  StartLeader();
  std::string json = ReplicaSetJson("solo", "solo", 4);
  // A label that the selector lacks. fullyLabeledReplicas counts the pods that have it.
  const std::string labels = R"("template":{"metadata":{"labels":{)";
  json.replace(json.find(labels), labels.size(), labels + R"("tier":"front",)");
  CreateObject("replicasets", json);
  ASSERT_TRUE(SoloHas(4));
  const std::set<std::string> four = observer_.Now().PodNames();
  const std::string cheap = *std::next(four.begin(), 1);
  const std::string dear = *std::next(four.begin(), 2);
  SetDeletionCost(cheap, "-5");
  SetDeletionCost(dear, "100");
  ASSERT_TRUE(observer_.Eventually("the controller has observed both", [](const View& view) {
    return view.replica_sets[0]->status.fullyLabeledReplicas == 2;
  }));

  ScaleSolo(3);
  ASSERT_TRUE(SoloHas(3));
  EXPECT_FALSE(observer_.Now().PodNames().contains(cheap));
  ScaleSolo(1);
  ASSERT_TRUE(SoloHas(1));
  EXPECT_EQ(observer_.Now().PodNames(), std::set<std::string>{dear});
}

TEST_P(ReplicaSets, DeletePodsOnCrowdedNodesFirst) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 4}));
  std::map<std::string, std::string> nodes;
  std::map<std::string, int> crowds;
  for (const auto& pod : observer_.Now().pods) {
    nodes[pod->metadata.name] = pod->spec.nodeName.str();
    ++crowds[pod->spec.nodeName.str()];
  }
  Scale(3);
  ASSERT_TRUE(BecomesComplete(3));
  for (const std::string& pod : observer_.Now().PodNames()) nodes.erase(pod);
  ASSERT_EQ(nodes.size(), 1U);
  const int crowd = crowds[nodes.begin()->second];
  for (const auto& [node, pods] : crowds) EXPECT_LE(pods, crowd) << node;
}

TEST_P(ReplicaSets, CountTerminatingPods) {
  StartLeader();
  kubelet_.Behave({.gone_after = std::nullopt});
  ASSERT_TRUE(Create({.replicas = 3}));
  Scale(1);
  ASSERT_TRUE(observer_.Eventually("2 are terminating", [](const View& view) {
    const auto& of_set = view.replica_sets[0]->status;
    const auto& of_deployment = view.deployment->status;
    return of_set.replicas == 1 && of_set.terminatingReplicas == 2 && of_deployment.replicas == 1 &&
           of_deployment.terminatingReplicas == 2;
  }));
  kubelet_.Behave({});
  ASSERT_TRUE(BecomesComplete(1));
  EXPECT_TRUE(observer_.Eventually("none is terminating", [](const View& view) {
    return view.deployment->status.terminatingReplicas == 0;
  }));
}

TEST_P(ReplicaSets, InATerminatingNamespaceReportNoFailure) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const size_t mark = observer_.Mark();
  SetBrokenImage("example.com/web:2");
  ASSERT_TRUE(world_->client()
                  .Delete(DescriptorOf<api::core::v1::Namespace>(), {"", world_->namespace_name()})
                  .ok());
  if (GetParam() == WorldKind::kReal) {
    // No other controller deletes the contents of the namespace.
    Delete("deployments/web", {.propagation = PropagationPolicy::kBackground});
  }
  ASSERT_TRUE(observer_.Eventually("nothing is left", [](const View& view) {
    return !view.deployment && view.replica_sets.empty() && view.pods.empty();
  }));
  EXPECT_TRUE(observer_.Always("no failure is reported", mark, [](const View& view) {
    for (const auto& set : view.replica_sets) {
      if (!set->status.conditions.empty()) return false;
    }
    return true;
  }));
}

}  // namespace
}  // namespace capstan::scenarios
