#include <string>

#include <gmock/gmock.h>

#include "scenario_test.h"

namespace capstan::scenarios {
namespace {

class Recreate : public Scenario {
 protected:
  ::testing::AssertionResult CreateIt() {
    StartLeader();
    return Create({.replicas = 2, .strategy = R"({"type":"Recreate"})"});
  }
};
CAPSTAN_IN_EVERY_WORLD(Recreate);

TEST_P(Recreate, ContinuesAfterTheEndOfTheLastOldPod) {
  kubelet_.Behave({.gone_after = std::nullopt});
  ASSERT_TRUE(CreateIt());
  SetImage("example.com/web:2");
  const int64_t generation = Get().Get("metadata", "generation").AsInteger();
  ASSERT_TRUE(
      observer_.Eventually("the old pods hang, and nothing else is to do", [&](const View& view) {
        const auto& status = view.deployment->status;
        return view.ActivePods() == 0 && view.pods.size() == 2 &&
               status.observedGeneration >= generation && status.replicas == 0 &&
               status.terminatingReplicas == 2;
      }));
  Wait(Seconds(1));
  EXPECT_EQ(observer_.Now().replica_sets.size(), 1U) << "the new one has to wait";

  kubelet_.Behave({});
  ASSERT_TRUE(BecomesComplete(2));
}

TEST_P(Recreate, DoesNotWaitForFinishedPods) {
  ASSERT_TRUE(CreateIt());
  const std::string finished = *observer_.Now().PodNames().begin();
  kubelet_.Crash({world_->namespace_name(), finished});
  ASSERT_TRUE(observer_.Eventually("2 pods beside the failed one", [&](const View& view) {
    return view.pods.size() == 3 && view.AvailablePods() == 2 &&
           view.deployment->status.availableReplicas == 2;
  }));

  SetImage("example.com/web:2");
  ASSERT_TRUE(observer_.Eventually("2 new pods beside the failed one", [&](const View& view) {
    return view.PodNames().contains(finished) && view.pods.size() == 3 &&
           view.deployment->status.updatedReplicas == 2 &&
           view.deployment->status.availableReplicas == 2;
  }));
}

TEST_P(Recreate, RecreatesAllPodsAtOnceWhenItIsUndone) {
  ASSERT_TRUE(CreateIt());
  SetBrokenImage("example.com/web:2");
  ASSERT_TRUE(observer_.Eventually("2 pods that do not get ready", [](const View& view) {
    return view.deployment->status.updatedReplicas == 2 && view.AvailablePods() == 0 &&
           view.ActivePods() == 2 && view.replica_sets.size() == 2;
  }));
  const size_t mark = observer_.Mark();
  Undo();
  ASSERT_TRUE(BecomesComplete(2));
  EXPECT_EQ(observer_.Now().replica_sets.size(), 2U);
  EXPECT_TRUE(observer_.Always("the pods are of one version", mark,
                               [](const View& view) { return view.PodHashes().size() <= 1; }));
}

}  // namespace
}  // namespace capstan::scenarios
