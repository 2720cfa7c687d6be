#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>

#include "scenario_test.h"

namespace capstan::scenarios {
namespace {

using ::testing::Contains;
using ::testing::Each;

std::vector<std::string> Images(const json::Value& pods) { return scenarios::Each(pods, ImageOf); }

class Rollout : public Scenario {};
CAPSTAN_IN_EVERY_WORLD(Rollout);

TEST_P(Rollout, CreatesPodsAndReportsThemAvailable) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 3}));

  const json::Value deployment = Get();
  EXPECT_EQ(ConditionOf(deployment, "Available").Get("reason").AsString(),
            "MinimumReplicasAvailable");
  EXPECT_EQ(ConditionOf(deployment, "Progressing").Get("reason").AsString(),
            "NewReplicaSetAvailable");
  EXPECT_EQ(RevisionOf(deployment), "1");

  const json::Value replica_sets = Get("replicasets");
  ASSERT_EQ(replica_sets.Get("items").items().size(), 1U);
  const json::Value& replica_set = replica_sets.Get("items").items()[0];
  ASSERT_EQ(replica_set.Get("metadata", "ownerReferences").items().size(), 1U);
  EXPECT_EQ(replica_set.Get("metadata", "ownerReferences").items()[0].Get("name").AsString(),
            "web");
  const std::string name = replica_set.Get("metadata", "name").AsString();
  const std::string hash = replica_set.Get("metadata", "labels", "pod-template-hash").AsString();
  EXPECT_EQ(name, "web-" + hash);
  EXPECT_EQ(replica_set.Get("spec", "selector", "matchLabels", "pod-template-hash").AsString(),
            hash);
  EXPECT_EQ(observer_.Now().PodHashes(), std::set<std::string>{hash});
  for (const auto& pod : observer_.Now().pods) {
    ASSERT_NE(api::ControllerOf(pod->metadata), nullptr);
    EXPECT_EQ(api::ControllerOf(pod->metadata)->name.view(), name);
  }

  // Events are written asynchronously, so they may arrive later.
  EXPECT_TRUE(Eventually("both controllers' events", [&] {
    const std::vector<std::string> reasons = scenarios::Each(
        Get("events"), [](const json::Value& event) { return event.Get("reason").AsString(); });
    return ::testing::Value(reasons, Contains("ScalingReplicaSet")) &&
           ::testing::Value(reasons, Contains("SuccessfulCreate"));
  }));
}

struct Bounds {
  std::string name;
  std::string max_surge;
  std::string max_unavailable;
  int max_replicas;  // of 6
  int min_available;
};
void PrintTo(const Bounds& bounds, std::ostream* out) { *out << bounds.name; }

class RollingUpdate : public ScenarioTest,
                      public ::testing::WithParamInterface<std::tuple<WorldKind, Bounds>> {
 protected:
  RollingUpdate() : ScenarioTest(std::get<WorldKind>(GetParam())) {}
};

TEST_P(RollingUpdate, ReplacesEveryPodWithinItsBounds) {
  const Bounds& bounds = std::get<Bounds>(GetParam());
  StartLeader();
  kubelet_.Behave({.ready_after = Milliseconds(200), .gone_after = Milliseconds(100)});
  ASSERT_TRUE(Create({.replicas = 6,
                      .strategy = R"({"rollingUpdate":{"maxSurge":)" + bounds.max_surge +
                                  R"(,"maxUnavailable":)" + bounds.max_unavailable + "}}"}));
  const size_t mark = observer_.Mark();
  const std::set<std::string> old_pods = observer_.Now().PodNames();

  SetImage("example.com/web:2");
  ASSERT_TRUE(BecomesComplete(6));

  EXPECT_TRUE(StaysWithin(mark, bounds.max_replicas, bounds.min_available));
  EXPECT_EQ(observer_.PodsSince(mark), 12U) << "each old pod is replaced by one new pod";
  for (const std::string& pod : observer_.Now().PodNames()) EXPECT_FALSE(old_pods.contains(pod));
  EXPECT_THAT(Images(Get("pods")), Each("example.com/web:2"));
  EXPECT_EQ(RevisionOf(Get()), "2");
}

INSTANTIATE_TEST_SUITE_P(
    World, RollingUpdate,
    ::testing::Combine(::testing::ValuesIn(Worlds()),
                       ::testing::Values(Bounds{"SurgeOnly", "2", "0", 8, 6},
                                         Bounds{"UnavailableOnly", "0", "2", 6, 4},
                                         Bounds{"Both", "2", "1", 8, 5},
                                         Bounds{"Percentages", R"("25%")", R"("25%")", 8, 5})),
    [](const auto& test) {
      return NameOf(std::get<WorldKind>(test.param)) + std::get<Bounds>(test.param).name;
    });

TEST_P(Rollout, StallsWithinItsBoundsWhenNewPodsAreNotReadyAndCanBeUndone) {
  StartLeader();
  ASSERT_TRUE(Create(
      {.replicas = 4, .strategy = R"({"rollingUpdate":{"maxSurge":1,"maxUnavailable":1}})"}));
  const size_t mark = observer_.Mark();

  kubelet_.Behave({.ready_after = std::nullopt});
  SetImage("example.com/web:broken");
  ASSERT_TRUE(observer_.Eventually("3 old and 2 new pods", [](const View& view) {
    return view.deployment->status.updatedReplicas == 2 && view.SpecReplicas() == 5 &&
           view.AvailablePods() == 3 && view.ActivePods() == 5;
  }));

  kubelet_.Behave({});
  Undo();
  ASSERT_TRUE(BecomesComplete(4));
  EXPECT_TRUE(StaysWithin(mark, 5, 3));
  EXPECT_THAT(Images(Get("pods")), Each("example.com/web:1"));
  EXPECT_EQ(RevisionOf(Get()), "3");
  EXPECT_EQ(observer_.Now().replica_sets.size(), 2U)
      << "the ReplicaSet of revision 1 is used again";
}

TEST_P(Rollout, CountsAPodAsAvailableOnlyAfterMinReadySeconds) {
  StartLeader();
  Apply({.replicas = 2, .more_spec = R"("minReadySeconds":3,)"});
  EXPECT_TRUE(observer_.Eventually("2 pods are ready and none is available", [](const View& view) {
    return view.deployment && view.deployment->status.readyReplicas == 2 &&
           view.deployment->status.availableReplicas == 0;
  }));
  EXPECT_TRUE(BecomesComplete(2));
}

TEST_P(Rollout, ReportsAnExceededProgressDeadlineAndRecovers) {
  StartLeader();
  kubelet_.Behave({.ready_after = std::nullopt});
  Apply({.replicas = 2, .more_spec = R"("progressDeadlineSeconds":3,)"});
  const auto progressing = [this] { return ConditionOf(Get(), "Progressing"); };
  EXPECT_TRUE(Eventually("the deadline is exceeded", [&] {
    return progressing().Get("reason").AsString() == "ProgressDeadlineExceeded";
  }));
  EXPECT_EQ(progressing().Get("status").AsString(), "False");

  kubelet_.Behave({});
  SetImage("example.com/web:2");
  ASSERT_TRUE(BecomesComplete(2));
  EXPECT_TRUE(Eventually("it progresses again", [&] {
    return progressing().Get("reason").AsString() == "NewReplicaSetAvailable";
  }));
}

TEST_P(Rollout, RecreateNeverRunsOldAndNewPodsTogether) {
  StartLeader();
  kubelet_.Behave({.ready_after = Milliseconds(100), .gone_after = Milliseconds(500)});
  ASSERT_TRUE(Create({.replicas = 3, .strategy = R"({"type":"Recreate"})"}));
  const size_t mark = observer_.Mark();

  SetImage("example.com/web:2");
  ASSERT_TRUE(BecomesComplete(3));

  EXPECT_TRUE(observer_.Always("the pods are of one version", mark,
                               [](const View& view) { return view.PodHashes().size() <= 1; }));
  EXPECT_EQ(observer_.PodsSince(mark), 6U);
}

TEST_P(Rollout, WaitsWhilePausedButScales) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 3}));
  const size_t mark = observer_.Mark();

  Pause();
  SetImage("example.com/web:2");
  Scale(5);
  const int64_t generation = Get().Get("metadata", "generation").AsInteger();
  ASSERT_TRUE(observer_.Eventually("5 pods of the old version", [&](const View& view) {
    return view.deployment->status.observedGeneration >= generation && view.AvailablePods() == 5 &&
           view.deployment->status.availableReplicas == 5;
  }));
  EXPECT_EQ(ConditionOf(Get(), "Progressing").Get("reason").AsString(), "DeploymentPaused");
  EXPECT_TRUE(observer_.Always("there is the old version only", mark, [](const View& view) {
    return view.PodHashes().size() == 1 && view.replica_sets.size() == 1;
  }));

  Resume();
  ASSERT_TRUE(BecomesComplete(5));
  EXPECT_THAT(Images(Get("pods")), Each("example.com/web:2"));
}

TEST_P(Rollout, KeepsOldReplicaSetsUpToTheHistoryLimit) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 1, .more_spec = R"("revisionHistoryLimit":1,)"}));
  for (const char* image : {"example.com/web:2", "example.com/web:3", "example.com/web:4"}) {
    SetImage(image);
    ASSERT_TRUE(BecomesComplete(1));
  }
  EXPECT_TRUE(observer_.Eventually("2 ReplicaSets are left",
                                   [](const View& view) { return view.replica_sets.size() == 2; }));
}

}  // namespace
}  // namespace capstan::scenarios
