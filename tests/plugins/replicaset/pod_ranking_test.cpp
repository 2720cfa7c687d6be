#include "replicaset/pod_ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "builders.h"

namespace capstan::replicaset {
namespace {

using ::testing::ElementsAre;

// The names of `pods` in deletion order. Nodes are not crowded unless specified.
std::vector<std::string> Ranked(const std::vector<Pod>& pods, std::vector<int64_t> colocated = {}) {
  std::vector<PodPtr> shared;
  for (const Pod& pod : pods) shared.push_back(Share(pod));
  colocated.resize(pods.size());
  return NamesOf(RankForDeletion(shared, colocated, At(0)));
}

Pod With(std::string_view name, const std::function<void(Pod&)>& change) {
  Pod pod = PodOf(name);
  change(pod);
  return pod;
}

void MakeUnready(Pod& pod) { pod.status.conditions[0].status = "False"; }

TEST(PodRanking, RanksPodsWithoutANodeFirst) {
  EXPECT_THAT(Ranked({With("a", MakeUnready), With("b", [](Pod& p) { p.spec.nodeName = ""; })}),
              ElementsAre("b", "a"));
}

TEST(PodRanking, RanksPendingBeforeUnknownBeforeRunning) {
  EXPECT_THAT(Ranked({PodOf("a"), With("b", [](Pod& p) { p.status.phase = "Unknown"; }),
                      With("c", [](Pod& p) { p.status.phase = "Pending"; })}),
              ElementsAre("c", "b", "a"));
}

TEST(PodRanking, RanksUnreadyPodsBeforePodsWithALowDeletionCost) {
  const auto cheap = [](Pod& p) { p.metadata.annotations.Set(kPodDeletionCostAnnotation, "-5"); };
  EXPECT_THAT(Ranked({PodOf("a"), With("b", cheap), With("c", MakeUnready)}),
              ElementsAre("c", "b", "a"));
}

TEST(PodRanking, ParsesDeletionCostsLikeTheApi) {
  const auto cost = [](std::string_view text) {
    Pod pod = PodOf("a");
    pod.metadata.annotations.Set(kPodDeletionCostAnnotation, text);
    return DeletionCostOf(pod);
  };
  EXPECT_EQ(cost("0"), 0);
  EXPECT_EQ(cost("17"), 17);
  EXPECT_EQ(cost("-17"), -17);
  EXPECT_EQ(cost("2147483647"), 2'147'483'647);
  for (std::string_view invalid : {"", "+10", "008", "-", "1.5", "ten", "2147483648", " 1", "1 "}) {
    EXPECT_EQ(cost(invalid), 0) << '"' << invalid << '"';
  }
  EXPECT_EQ(DeletionCostOf(PodOf("a")), 0);
}

TEST(PodRanking, RanksPodsOnCrowdedNodesFirst) {
  EXPECT_THAT(Ranked({PodOf("a"), PodOf("b")}, {1, 2}), ElementsAre("b", "a"));
}

TEST(PodRanking, CountsActiveRelatedPodsPerNode) {
  const auto on = [](std::string_view name, std::string_view node) {
    return With(name, [node](Pod& p) { p.spec.nodeName = node; });
  };
  Pod finished = on("d", "n1");
  finished.status.phase = "Succeeded";
  EXPECT_THAT(ColocatedPodsOf({Share(on("a", "n1")), Share(on("b", "n2")), Share(on("c", "n3"))},
                              {Share(on("a", "n1")), Share(on("e", "n1")), Share(on("b", "n2")),
                               Share(finished)}),
              ElementsAre(2, 1, 0));
}

TEST(PodRanking, RanksPodsByReadyTimeInPowersOfTwo) {
  const auto ready_for = [](std::string_view name, int64_t seconds) {
    return With(
        name, [seconds](Pod& p) { p.status.conditions[0].lastTransitionTime = TimeAt(-seconds); });
  };
  EXPECT_THAT(Ranked({ready_for("a", 4'000), ready_for("b", 100)}), ElementsAre("b", "a"));
  // Both are between 2^41 and 2^42 nanoseconds, so the pod with the lower UID is deleted.
  EXPECT_THAT(Ranked({ready_for("b", 2'500), ready_for("a", 4'000)}), ElementsAre("a", "b"));
}

TEST(PodRanking, RanksPodsWithMoreRestartsThenMoreSidecarRestartsFirst) {
  const auto restarted = [](std::string_view name, int32_t containers, int32_t sidecars) {
    return With(name, [=](Pod& p) {
      p.status.containerStatuses = {StatusOf("c", containers)};
      AddSidecar(p, "s", sidecars);
      p.status.extras.Edit().initContainerStatuses.push_back(StatusOf("not-a-sidecar", 99));
    });
  };
  EXPECT_THAT(Ranked({restarted("a", 1, 9), restarted("b", 2, 0), restarted("c", 2, 1)}),
              ElementsAre("c", "b", "a"));
}

TEST(PodRanking, RanksYoungerPodsThenLowerUidsFirst) {
  const auto created = [](std::string_view name, int64_t age) {
    return With(name, [age](Pod& p) { p.metadata.creationTimestamp = TimeAt(-age); });
  };
  EXPECT_THAT(Ranked({created("a", 90'000), created("b", 5'000), created("c", 5'000)}),
              ElementsAre("b", "c", "a"));
  EXPECT_THAT(
      Ranked({PodOf("b"), With("c", [](Pod& p) { p.metadata.creationTimestamp = Time(); })}),
      ElementsAre("c", "b"));
}

Pod RandomPod(int index, std::mt19937_64& random) {
  const auto upto = [&](int max) { return std::uniform_int_distribution<int>(0, max)(random); };
  Pod pod = PodOf(std::to_string(upto(1'000'000)) + "-" + std::to_string(index));
  if (upto(5) == 0) pod.spec.nodeName = "";
  if (upto(3) == 0) pod.status.phase = upto(1) == 0 ? "Pending" : "Unknown";
  if (upto(3) == 0) MakeUnready(pod);
  pod.status.conditions[0].lastTransitionTime = upto(9) == 0 ? Time() : TimeAt(-upto(3) * 900);
  pod.metadata.creationTimestamp = TimeAt(-upto(2) * 3'000);
  if (upto(4) == 0) pod.metadata.annotations.Set(kPodDeletionCostAnnotation, "3");
  pod.status.containerStatuses = {StatusOf("c", upto(2))};
  return pod;
}

TEST(PodRanking, DoesNotDependOnTheOrderOfTheInput) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<PodPtr> pods;
    for (int i = 0; i < 30; ++i) pods.push_back(Share(RandomPod(i, random)));
    const std::vector<int64_t> colocated(pods.size(), 1);
    const auto expected = NamesOf(RankForDeletion(pods, colocated, At(0)));
    for (int shuffle = 0; shuffle < 5; ++shuffle) {
      std::shuffle(pods.begin(), pods.end(), random);
      ASSERT_EQ(NamesOf(RankForDeletion(pods, colocated, At(0))), expected);
    }
  }
}

TEST(PodRanking, RanksHealthierPodsLast) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 300; ++round) {
    std::vector<PodPtr> pods;
    for (int i = 0; i < 30; ++i) pods.push_back(Share(RandomPod(i, random)));
    const auto ranked = RankForDeletion(pods, std::vector<int64_t>(pods.size(), 1), At(0));
    const auto health = [](const PodPtr& pod) {
      const int phase = pod->status.phase == "Running" ? 2 : pod->status.phase == "Unknown" ? 1 : 0;
      return std::tuple(!pod->spec.nodeName.empty(), phase, IsReady(*pod), DeletionCostOf(*pod));
    };
    for (size_t i = 1; i < ranked.size(); ++i) ASSERT_LE(health(ranked[i - 1]), health(ranked[i]));
  }
}

}  // namespace
}  // namespace capstan::replicaset
