#include <gmock/gmock.h>

#include <ostream>

#include "cluster_test.h"

namespace capstan::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Rollout : public ClusterTest {};

TEST_F(Rollout, CreatesThePodsAndReportsThemAvailable) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 3}));

  EXPECT_THAT(Kubectl({"rollout", "status", "deployment/web", "--timeout=30s"}),
              HasSubstr("successfully rolled out"));
  EXPECT_EQ(Field(".status.conditions[?(@.type=='Available')].reason"), "MinimumReplicasAvailable");
  EXPECT_EQ(Field(".status.conditions[?(@.type=='Progressing')].reason"), "NewReplicaSetAvailable");
  EXPECT_EQ(Field(".metadata.annotations['deployment\\.kubernetes\\.io/revision']"), "1");

  EXPECT_EQ(Field(".items[*].metadata.ownerReferences[*].name", "replicasets"), "web");
  const std::string replica_set = Field(".items[*].metadata.name", "replicasets");
  EXPECT_EQ(Field(".items[*].metadata.ownerReferences[?(@.controller)].name", "pods"),
            replica_set + " " + replica_set + " " + replica_set);
  const std::string hash = Field(".items[*].metadata.labels.pod-template-hash", "replicasets");
  EXPECT_EQ(replica_set, "web-" + hash);
  EXPECT_EQ(Field(".items[*].spec.selector.matchLabels.pod-template-hash", "replicasets"), hash);
  EXPECT_EQ(observer_.Now().PodHashes(), std::set<std::string>{hash});

  // Events are written beside the work, so they may come later.
  EXPECT_TRUE(EventuallySays(
      {"get", "events", "--output=jsonpath={.items[*].reason}"}, [](const std::string& reasons) {
        return testing::Value(reasons,
                              AllOf(HasSubstr("ScalingReplicaSet"), HasSubstr("SuccessfulCreate")));
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

class RollingUpdate : public ClusterTest, public testing::WithParamInterface<Bounds> {};

TEST_P(RollingUpdate, ReplacesEveryPodWithinItsBounds) {
  const Bounds& bounds = GetParam();
  StartLeader();
  kubelet_.Behave({.ready_after = Milliseconds(200), .gone_after = Milliseconds(100)});
  ASSERT_TRUE(Create({.replicas = 6,
                      .strategy = "{rollingUpdate: {maxSurge: " + bounds.max_surge +
                                  ", maxUnavailable: " + bounds.max_unavailable + "}}"}));
  const size_t mark = observer_.Mark();
  const std::set<std::string> old_pods = observer_.Now().PodNames();

  SetImage("example.com/web:2");
  ASSERT_TRUE(BecomesComplete(6));

  EXPECT_TRUE(StaysWithin(mark, bounds.max_replicas, bounds.min_available));
  EXPECT_EQ(observer_.PodsSince(mark), 12U) << "each old pod is replaced by one new pod";
  for (const std::string& pod : observer_.Now().PodNames()) EXPECT_FALSE(old_pods.contains(pod));
  EXPECT_EQ(Field(".items[*].spec.containers[0].image", "pods"),
            "example.com/web:2 example.com/web:2 example.com/web:2 example.com/web:2 "
            "example.com/web:2 example.com/web:2");
  EXPECT_EQ(Field(".metadata.annotations['deployment\\.kubernetes\\.io/revision']"), "2");
}

INSTANTIATE_TEST_SUITE_P(Bounds, RollingUpdate,
                         testing::Values(Bounds{"SurgeOnly", "2", "0", 8, 6},
                                         Bounds{"UnavailableOnly", "0", "2", 6, 4},
                                         Bounds{"Both", "2", "1", 8, 5},
                                         Bounds{"Percentages", "25%", "25%", 8, 5}),
                         [](const auto& test) { return test.param.name; });

TEST_F(Rollout, StallsWithinItsBoundsWhenNewPodsDoNotGetReadyAndCanBeUndone) {
  StartLeader();
  ASSERT_TRUE(
      Create({.replicas = 4, .strategy = "{rollingUpdate: {maxSurge: 1, maxUnavailable: 1}}"}));
  const size_t mark = observer_.Mark();

  kubelet_.Behave({.ready_after = std::nullopt});
  SetImage("example.com/web:broken");
  ASSERT_TRUE(observer_.Eventually("3 old and 2 new pods", [](const View& view) {
    return view.deployment->status.updatedReplicas == 2 && view.SpecReplicas() == 5 &&
           view.AvailablePods() == 3 && view.ActivePods() == 5;
  }));

  kubelet_.Behave({});
  Kubectl({"rollout", "undo", "deployment/web"});
  ASSERT_TRUE(BecomesComplete(4));
  EXPECT_TRUE(StaysWithin(mark, 5, 3));
  EXPECT_EQ(Field(".spec.template.spec.containers[0].image"), "example.com/web:1");
}

TEST_F(Rollout, CountsAPodAsAvailableOnlyAfterMinReadySeconds) {
  StartLeader();
  Apply({.replicas = 2, .more_spec = "  minReadySeconds: 3\n"});
  EXPECT_TRUE(observer_.Eventually("2 pods are ready and none is available", [](const View& view) {
    return view.deployment && view.deployment->status.readyReplicas == 2 &&
           view.deployment->status.availableReplicas == 0;
  }));
  EXPECT_TRUE(BecomesComplete(2));
}

TEST_F(Rollout, RecreateNeverHasOldAndNewPodsTogether) {
  StartLeader();
  kubelet_.Behave({.ready_after = Milliseconds(100), .gone_after = Milliseconds(500)});
  ASSERT_TRUE(Create({.replicas = 3, .strategy = "{type: Recreate}"}));
  const size_t mark = observer_.Mark();

  SetImage("example.com/web:2");
  ASSERT_TRUE(BecomesComplete(3));

  EXPECT_TRUE(observer_.Always("the pods are of one version", mark,
                               [](const View& view) { return view.PodHashes().size() <= 1; }));
  EXPECT_EQ(observer_.PodsSince(mark), 6U);
}

TEST_F(Rollout, WaitsWhilePausedButScales) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 3}));
  const size_t mark = observer_.Mark();

  Kubectl({"rollout", "pause", "deployment/web"});
  SetImage("example.com/web:2");
  Scale(5);
  const int64_t generation = std::stoll(Field(".metadata.generation"));
  ASSERT_TRUE(observer_.Eventually("5 pods of the old version", [&](const View& view) {
    return view.deployment->status.observedGeneration >= generation && view.AvailablePods() == 5 &&
           view.deployment->status.availableReplicas == 5;
  }));
  EXPECT_EQ(Field(".status.conditions[?(@.type=='Progressing')].reason"), "DeploymentPaused");
  EXPECT_TRUE(observer_.Always("there is the old version only", mark, [](const View& view) {
    return view.PodHashes().size() == 1 && view.replica_sets.size() == 1;
  }));

  Kubectl({"rollout", "resume", "deployment/web"});
  ASSERT_TRUE(BecomesComplete(5));
  EXPECT_THAT(Field(".items[*].spec.containers[0].image", "pods"),
              testing::Not(HasSubstr("example.com/web:1")));
}

TEST_F(Rollout, FollowsKubectlThroughApplyStatusHistoryAndUndo) {
  StartLeader();
  Workload workload{.replicas = 2};
  const std::vector<std::string> status{"rollout", "status", "deployment/web", "--timeout=60s"};
  Apply(workload);
  EXPECT_THAT(Kubectl(status), HasSubstr("successfully rolled out"));
  workload.image = "example.com/web:2";
  Apply(workload);
  EXPECT_THAT(Kubectl(status), HasSubstr("successfully rolled out"));
  EXPECT_THAT(Kubectl({"rollout", "history", "deployment/web"}),
              AllOf(HasSubstr("\n1 "), HasSubstr("\n2 ")));

  Kubectl({"rollout", "undo", "deployment/web"});
  EXPECT_THAT(Kubectl(status), HasSubstr("successfully rolled out"));
  ASSERT_TRUE(BecomesComplete(2));
  EXPECT_EQ(Field(".metadata.annotations['deployment\\.kubernetes\\.io/revision']"), "3");
  EXPECT_EQ(observer_.Now().replica_sets.size(), 2U)
      << "the ReplicaSet of revision 1 is used again";
  EXPECT_EQ(Field(".items[*].spec.containers[0].image", "pods"),
            "example.com/web:1 example.com/web:1");
}

}  // namespace
}  // namespace capstan::e2e
