#include <string>

#include "scenario_test.h"

namespace capstan::scenarios {
namespace {

class SelfHealing : public Scenario {
 protected:
  // Waits for the ReplicaSet that replaces the one with `uid`.
  ::testing::AssertionResult ReplicaSetComesBack(const Uid& uid) {
    return observer_.Eventually("another ReplicaSet in its place", [&](const View& view) {
      return view.replica_sets.size() == 1 && view.replica_sets[0]->metadata.uid != uid;
    });
  }
  NamespacedName PodNamed(const std::string& name) const {
    return {world_->namespace_name(), name};
  }
};
CAPSTAN_IN_EVERY_WORLD(SelfHealing);

TEST_P(SelfHealing, ReplacesADeletedPod) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 3}));
  const std::string victim = *observer_.Now().PodNames().begin();

  Delete("pods/" + victim);
  ASSERT_TRUE(observer_.Eventually("another pod in its place", [&](const View& view) {
    return !view.PodNames().contains(victim) && IsComplete(view, 3);
  }));
}

TEST_P(SelfHealing, ReplacesATerminatingPodAtOnce) {
  StartLeader();
  kubelet_.Behave({.gone_after = std::nullopt});
  ASSERT_TRUE(Create({.replicas = 2}));
  const std::string victim = *observer_.Now().PodNames().begin();

  Delete("pods/" + victim);
  ASSERT_TRUE(observer_.Eventually("2 pods beside the one that goes", [&](const View& view) {
    return view.PodNames().contains(victim) && view.AvailablePods() == 2 && view.pods.size() == 3 &&
           view.deployment->status.availableReplicas == 2;
  }));
  kubelet_.Behave({});
  EXPECT_TRUE(BecomesComplete(2));
}

TEST_P(SelfHealing, ReplacesAFailedPod) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const std::string victim = *observer_.Now().PodNames().begin();

  kubelet_.Crash(PodNamed(victim));
  ASSERT_TRUE(observer_.Eventually("2 active pods beside the failed one", [&](const View& view) {
    return view.PodNames().contains(victim) && view.AvailablePods() == 2 &&
           view.deployment->status.availableReplicas == 2 && view.PodNames().size() == 3;
  }));
}

TEST_P(SelfHealing, ReplacesPodsThatFailRepeatedly) {
  StartLeader();
  kubelet_.Behave({.crash_after = Milliseconds(300)});
  Apply({.replicas = 1});
  ASSERT_TRUE(observer_.Eventually("the fourth pod in a row",
                                   [](const View& view) { return view.PodNames().size() >= 4; }));
  kubelet_.Behave({});
  ASSERT_TRUE(observer_.Eventually("one pod stays", [](const View& view) {
    return view.ActivePods() == 1 && view.AvailablePods() == 1 &&
           view.deployment->status.availableReplicas == 1;
  }));
}

TEST_P(SelfHealing, KeepsAnUnreadyPodAndCountsItAsUnavailable) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 3}));
  const size_t mark = observer_.Mark();
  const std::string sick = *observer_.Now().PodNames().begin();

  kubelet_.SetReady(PodNamed(sick), false);
  ASSERT_TRUE(observer_.Eventually("one pod is unavailable", [](const View& view) {
    return view.deployment->status.unavailableReplicas == 1 &&
           view.deployment->status.availableReplicas == 2;
  }));
  kubelet_.SetReady(PodNamed(sick), true);
  ASSERT_TRUE(BecomesComplete(3));
  EXPECT_EQ(observer_.PodsSince(mark), 3U);
}

TEST_P(SelfHealing, ReplacesThePodsOfALostNodeOnceTheyAreDeleted) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 3}));
  const auto lost = observer_.Now().pods[0];
  const std::string node = lost->spec.nodeName.str();

  kubelet_.LoseNode(node);
  ASSERT_TRUE(observer_.Eventually("its pod is unavailable", [](const View& view) {
    return view.deployment->status.availableReplicas == 2;
  }));
  Delete("pods/" + lost->metadata.name);
  ASSERT_TRUE(observer_.Eventually("another pod on another node", [&](const View& view) {
    for (const auto& pod : view.pods) {
      if (pod->metadata.uid != lost->metadata.uid && pod->spec.nodeName.view() == node) {
        return false;
      }
    }
    return view.AvailablePods() == 3 && view.pods.size() == 4 &&
           view.deployment->status.availableReplicas == 3;
  }));
  kubelet_.RecoverNode(node);
  ASSERT_TRUE(BecomesComplete(3));
}

TEST_P(SelfHealing, ReplacesADeletedReplicaSetAndItsPods) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const View before = observer_.Now();

  Delete("replicasets/" + before.replica_sets[0]->metadata.name,
         {.propagation = PropagationPolicy::kBackground});
  ASSERT_TRUE(ReplicaSetComesBack(before.replica_sets[0]->metadata.uid));
  ASSERT_TRUE(observer_.Eventually("2 pods of its own", [&](const View& view) {
    for (const std::string& pod : before.PodNames()) {
      if (view.PodNames().contains(pod)) return false;
    }
    return IsComplete(view, 2);
  }));
}

TEST_P(SelfHealing, AdoptsThePodsOfADeletedReplicaSet) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const View before = observer_.Now();
  const size_t mark = observer_.Mark();

  Delete("replicasets/" + before.replica_sets[0]->metadata.name,
         {.propagation = PropagationPolicy::kOrphan});
  ASSERT_TRUE(ReplicaSetComesBack(before.replica_sets[0]->metadata.uid));
  ASSERT_TRUE(observer_.Eventually("the pods belong to the new ReplicaSet", [](const View& view) {
    for (const auto& pod : view.pods) {
      if (!api::IsControlledBy(pod->metadata, view.replica_sets[0]->metadata.uid)) return false;
    }
    return IsComplete(view, 2);
  }));
  // The controller may observe the deletion of the ReplicaSet before it observes the orphaned pods,
  // and create others. Availability is not affected.
  EXPECT_TRUE(observer_.Always("2 pods are available", mark,
                               [](const View& view) { return view.AvailablePods() >= 2; }));
}

TEST_P(SelfHealing, ReleasesAndReplacesAPodThatNoLongerMatches) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const std::string outcast = *observer_.Now().PodNames().begin();

  Label("pods/" + outcast, "app", "other");
  ASSERT_TRUE(observer_.Eventually("a free pod and 2 of the ReplicaSet", [&](const View& view) {
    bool released = false;
    for (const auto& pod : view.pods) {
      released |= pod->metadata.name == outcast && api::ControllerOf(pod->metadata) == nullptr;
    }
    return released && view.AvailablePods() == 3 && view.deployment->status.availableReplicas == 2;
  }));
}

TEST_P(SelfHealing, AdoptsAPodWhoseLabelsMatchAgain) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const std::string outcast = *observer_.Now().PodNames().begin();
  Label("pods/" + outcast, "app", "other");
  ASSERT_TRUE(observer_.Eventually("a third pod", [](const View& view) {
    return view.pods.size() == 3 && view.deployment->status.availableReplicas == 2;
  }));
  Label("pods/" + outcast, "app", "web");
  EXPECT_TRUE(BecomesComplete(2));
}

}  // namespace
}  // namespace capstan::scenarios
