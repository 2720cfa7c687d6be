#include <map>
#include <string>
#include <utility>

#include "scenario_test.h"

namespace capstan::scenarios {
namespace {

constexpr char kBounds[] = R"({"rollingUpdate":{"maxSurge":3,"maxUnavailable":2}})";

// A Deployment of 10 whose rollout has stalled with 8 old pods and 5 new ones, which never become
// ready.
class StalledRollout : public Scenario {
 protected:
  ::testing::AssertionResult Stall() {
    StartLeader();
    if (auto result = Create({.replicas = 10, .strategy = kBounds}); !result) return result;
    old_hash_ = *observer_.Now().PodHashes().begin();
    SetBrokenImage("example.com/web:2");
    return Reaches(8, 5);
  }

  // Waits for these numbers of old and new replicas.
  ::testing::AssertionResult Reaches(int64_t old_replicas, int64_t new_replicas) {
    return observer_.Eventually(
        std::to_string(old_replicas) + " old and " + std::to_string(new_replicas) + " new pods",
        [&](const View& view) { return Have(view, old_replicas, new_replicas); });
  }

  // Whether the ReplicaSets have these spec.replicas, and that many pods exist, the old ones ready.
  bool Have(const View& view, int64_t old_replicas, int64_t new_replicas) const {
    std::map<bool, int64_t> replicas;
    for (const auto& set : view.replica_sets) {
      const bool is_old = set->metadata.labels.Get("pod-template-hash") == old_hash_;
      replicas[is_old] = set->spec.replicas.value_or(1);
    }
    return replicas[true] == old_replicas && replicas[false] == new_replicas &&
           view.AvailablePods() == old_replicas &&
           view.ActivePods() == old_replicas + new_replicas &&
           std::cmp_equal(view.pods.size(), old_replicas + new_replicas);
  }

  std::string old_hash_;
};
CAPSTAN_IN_EVERY_WORLD(StalledRollout);

TEST_P(StalledRollout, DistributesAddedReplicasProportionally) {
  ASSERT_TRUE(Stall());
  const size_t mark = observer_.Mark();
  Scale(15);
  ASSERT_TRUE(Reaches(11, 7));
  EXPECT_TRUE(StaysWithin(mark, 18, 8));
  EXPECT_EQ(observer_.PodsSince(mark), 18U) << "none of the 13 is replaced";
}

TEST_P(StalledRollout, DistributesAddedReplicasWhilePaused) {
  ASSERT_TRUE(Stall());
  Pause();
  const size_t mark = observer_.Mark();
  Scale(15);
  ASSERT_TRUE(Reaches(11, 7));
  EXPECT_EQ(observer_.PodsSince(mark), 18U);
}

TEST_P(StalledRollout, DistributesRemovedReplicasProportionallyAndContinues) {
  ASSERT_TRUE(Stall());
  const size_t mark = observer_.Mark();
  Scale(5);
  // In proportion that is 5 old and 3 new. Then the new ones grow to 5, as only 3 old ones must
  // stay available.
  ASSERT_TRUE(Reaches(3, 5));
  EXPECT_TRUE(observer_.Always("3 pods are available", mark,
                               [](const View& view) { return view.AvailablePods() >= 3; }));
  EXPECT_LE(observer_.PodsSince(mark), 15U) << "2 of the 13 were deleted in vain";
}

TEST_P(StalledRollout, ScalesToZero) {
  ASSERT_TRUE(Stall());
  const size_t mark = observer_.Mark();
  Scale(0);
  ASSERT_TRUE(BecomesComplete(0));
  EXPECT_EQ(observer_.PodsSince(mark), 13U);
}

TEST_P(StalledRollout, IsReplacedByTheNextRolloutWithinItsBounds) {
  ASSERT_TRUE(Stall());
  const size_t mark = observer_.Mark();
  Patch("deployments/web",
        R"({"spec":{"template":{"metadata":{"annotations":null},"spec":{"containers":)"
        R"([{"name":"web","image":"example.com/web:3"}]}}}})");
  ASSERT_TRUE(BecomesComplete(10));
  EXPECT_TRUE(StaysWithin(mark, 13, 8));
  EXPECT_EQ(observer_.PodsSince(mark), 23U) << "10 more than there were";
}

TEST_P(StalledRollout, CompletesAtOnceWhenItIsUndone) {
  ASSERT_TRUE(Stall());
  const size_t mark = observer_.Mark();
  Undo();
  ASSERT_TRUE(BecomesComplete(10));
  EXPECT_TRUE(StaysWithin(mark, 13, 8));
  EXPECT_EQ(observer_.PodsSince(mark), 15U) << "the 2 that were missing";
}

class ManualScale : public Scenario {};
CAPSTAN_IN_EVERY_WORLD(ManualScale);

TEST_P(ManualScale, OfTheReplicaSetIsReverted) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 3}));
  const std::string path = "replicasets/" + observer_.Now().replica_sets[0]->metadata.name;
  for (const int replicas : {5, 1}) {
    Patch(path + "/scale", R"({"spec":{"replicas":)" + std::to_string(replicas) + "}}");
    const int64_t generation = Get(path).Get("metadata", "generation").AsInteger();
    ASSERT_TRUE(observer_.Eventually("3 pods again", [&](const View& view) {
      return IsComplete(view, 3) && view.replica_sets[0]->metadata.generation >= generation &&
             view.replica_sets[0]->status.observedGeneration >= generation;
    }));
  }
}

}  // namespace
}  // namespace capstan::scenarios
