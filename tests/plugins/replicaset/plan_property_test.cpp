// Properties of the plans of a ReplicaSet for arbitrary pods that the API may contain.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include <capstan/api/object.h>

#include "builders.h"
#include "plugins/property.h"
#include "replicaset/plan.h"
#include "replicaset/pod_ranking.h"
#include "replicaset/status_plan.h"

namespace capstan::replicaset {
namespace {

using property::Check;
using property::Choices;

constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

Time AnyTime(Choices& choices) {
  switch (choices.Upto(9)) {
    case 8:
      return Time();
    case 9:  // invalid times
      return Time::FromSeconds(choices.Pick({INT64_MIN, INT64_MAX, int64_t{-62'135'596'800}}));
    default:
      return TimeAt(-choices.Pick({0, 1, 899, 900, 901, 2'000, 7'200, -60}));
  }
}

int32_t AnyNumber(Choices& choices) {
  if (!choices.Chance(10)) return static_cast<int32_t>(choices.Upto(5));
  return choices.Pick({kMax, std::numeric_limits<int32_t>::min(), -1});
}

Pod AnyPod(Choices& choices, size_t index) {
  Pod pod = PodOf(std::to_string(choices.Upto(9)) + "-" + std::to_string(index));
  pod.spec.nodeName = choices.Pick({"n1", "n2", ""});
  pod.status.phase = choices.Pick({"Running", "Pending", "Unknown", "", "Succeeded", "Failed"});
  if (choices.Chance(5)) pod.status.conditions.clear();
  for (auto& condition : pod.status.conditions) {
    condition.status = choices.Pick({"True", "False", "Unknown", ""});
    condition.lastTransitionTime = AnyTime(choices);
  }
  pod.metadata.creationTimestamp = AnyTime(choices);
  if (choices.Chance(20)) pod.metadata.deletionTimestamp = TimeAt(0);
  if (choices.Chance(30)) {
    pod.metadata.annotations.Set(kPodDeletionCostAnnotation,
                                 choices.Pick({"1", "-1", "2147483647", "-2147483648", "x", "01"}));
  }
  if (choices.Chance(30)) pod.metadata.labels = {{"app", "web"}};
  pod.status.containerStatuses = {StatusOf("c", AnyNumber(choices))};
  if (choices.Chance(30)) AddSidecar(pod, "s", AnyNumber(choices));
  return pod;
}

std::vector<PodPtr> AnyPods(Choices& choices, bool only_active) {
  std::vector<PodPtr> pods;
  for (uint64_t i = choices.Upto(8); i > 0; --i) {
    PodPtr pod = Share(AnyPod(choices, i));
    if (!only_active || IsActive(*pod)) pods.push_back(std::move(pod));
  }
  return pods;
}

std::string Text(const std::vector<PodPtr>& pods) {
  std::string text;
  for (const PodPtr& pod : pods) text += "\n  " + ToJson(*pod);
  return text;
}

// The criteria before the first one that the reference compares differently for some pods.
auto Health(const PodPtr& pod, int64_t colocated) {
  const int phase = pod->status.phase == "Running" ? 2 : pod->status.phase == "Unknown" ? 1 : 0;
  return std::tuple(!pod->spec.nodeName.empty(), phase, IsReady(*pod), DeletionCostOf(*pod),
                    -colocated);
}

TEST(PodRankingProperties, IsATotalOrder) {
  Check(20'000, [](Choices& choices) -> std::string {
    std::vector<PodPtr> pods = AnyPods(choices, false);
    const auto rank = [&] {
      return NamesOf(RankForDeletion(pods, ColocatedPodsOf(pods, pods), At(0)));
    };
    const std::vector<std::string> ranked = rank();
    const std::set<std::string> names(ranked.begin(), ranked.end());
    if (names.size() != pods.size()) return "a pod is lost or comes twice" + Text(pods);
    for (size_t i = pods.size(); i > 1; --i) std::swap(pods[i - 1], pods[choices.Upto(i - 1)]);
    return rank() == ranked ? "" : "it depends on the order of the input" + Text(pods);
  });
}

TEST(PodRankingProperties, RanksHealthierPodsLast) {
  Check(20'000, [](Choices& choices) -> std::string {
    const std::vector<PodPtr> pods = AnyPods(choices, false);
    const auto ranked = RankForDeletion(pods, ColocatedPodsOf(pods, pods), At(0));
    const auto colocated = ColocatedPodsOf(ranked, pods);
    for (size_t i = 1; i < ranked.size(); ++i) {
      if (Health(ranked[i], colocated[i]) < Health(ranked[i - 1], colocated[i - 1])) {
        return "pod " + ranked[i - 1]->metadata.name + " goes first" + Text(pods);
      }
    }
    return "";
  });
}

// So the number of syncs that remove the surplus does not matter.
TEST(PodRankingProperties, DoesNotDependOnPodsOfAnotherHealth) {
  Check(10'000, [](Choices& choices) -> std::string {
    const std::vector<PodPtr> pods = AnyPods(choices, false);
    const std::vector<int64_t> colocated(pods.size(), 1);
    const auto ranked = RankForDeletion(pods, colocated, At(0));
    if (ranked.empty()) return "";
    const PodPtr gone = ranked[choices.Upto(ranked.size() - 1)];
    std::vector<PodPtr> rest;
    std::vector<std::string> expected;
    for (const PodPtr& pod : ranked) {
      if (Health(pod, 1) == Health(gone, 1)) continue;
      rest.push_back(pod);
      expected.push_back(pod->metadata.name);
    }
    const auto again = RankForDeletion(rest, std::vector<int64_t>(rest.size(), 1), At(0));
    return NamesOf(again) == expected ? "" : "others change places" + Text(pods);
  });
}

TEST(ReplicasProperties, ReachTheDesiredNumberOfPods) {
  Check(20'000, [](Choices& choices) -> std::string {
    ReplicaSet set = SetOf(AnyNumber(choices));
    if (choices.Chance(10)) set.spec.replicas.reset();
    const std::vector<PodPtr> active = AnyPods(choices, true);
    const ReplicasPlan plan = PlanReplicas(set, active, active, At(0));
    const auto have = static_cast<int64_t>(active.size());
    const auto removed = static_cast<int64_t>(plan.remove.size());
    const int64_t missing = ReplicasOf(set) - have;
    const bool right = plan.create == std::clamp<int64_t>(missing, 0, kBurstReplicas) &&
                       removed == std::clamp<int64_t>(-missing, 0, kBurstReplicas);
    if (!right) {
      return std::to_string(plan.create) + " are created, " + std::to_string(removed) +
             " deleted for " + std::to_string(ReplicasOf(set)) + Text(active);
    }
    std::set<Uid> uids;
    for (const PodPtr& pod : plan.remove) {
      if (std::find(active.begin(), active.end(), pod) == active.end() ||
          !uids.insert(pod->metadata.uid).second) {
        return "it deletes twice, or deletes a pod of another owner" + Text(active);
      }
    }
    return "";
  });
}

TEST(ReplicasProperties, DeleteAvailablePodsLast) {
  Check(20'000, [](Choices& choices) -> std::string {
    const ReplicaSet set = SetOf(static_cast<int32_t>(choices.Upto(4)));
    const std::vector<PodPtr> active = AnyPods(choices, true);
    // No kubelet reports a pod as ready that has no node or is pending.
    const auto sound = [](const PodPtr& pod) {
      return !IsReady(*pod) || (!pod->spec.nodeName.empty() && pod->status.phase == "Running");
    };
    if (!std::all_of(active.begin(), active.end(), sound)) return "";
    const ReplicasPlan plan = PlanReplicas(set, active, active, At(0));
    const auto ready = [](const PodPtr& pod) { return IsReady(*pod); };
    const auto all = std::count_if(active.begin(), active.end(), ready);
    const auto taken = std::count_if(plan.remove.begin(), plan.remove.end(), ready);
    const auto unready = static_cast<int64_t>(active.size()) - all;
    const auto necessary = std::max<int64_t>(0, static_cast<int64_t>(plan.remove.size()) - unready);
    return taken == necessary ? "" : "it deletes ready pods before others" + Text(active);
  });
}

TEST(ReplicaSetStatusProperties, CountsAreConsistentAndAFixedPoint) {
  Check(20'000, [](Choices& choices) -> std::string {
    ReplicaSet set = SetOf(AnyNumber(choices));
    set.spec.minReadySeconds = AnyNumber(choices);
    set.status.replicas = AnyNumber(choices);
    std::optional<std::string> failure;
    if (choices.Chance(30)) failure = "no";
    if (choices.Chance(30)) {
      Condition condition;
      condition.type = kReplicaFailure;
      condition.status = "True";
      condition.message = "before";
      set.status.conditions = {condition};
    }
    const std::vector<PodPtr> active = AnyPods(choices, true);
    const int64_t terminating = AnyNumber(choices);
    const auto status_of = [&](const ReplicaSet& of, int64_t now) {
      return CalculateStatus({.set = of,
                              .active = active,
                              .terminating = terminating,
                              .failure = failure,
                              .now = At(now)});
    };
    const ReplicaSetStatus status = status_of(set, 0);
    if (status.replicas != static_cast<int32_t>(active.size()) ||
        status.readyReplicas > status.replicas || status.availableReplicas > status.readyReplicas ||
        status.fullyLabeledReplicas > status.replicas || status.availableReplicas < 0) {
      return "the counts are wrong" + Text(active);
    }
    const bool failed = std::any_of(status.conditions.begin(), status.conditions.end(),
                                    [](const auto& c) { return c.type == kReplicaFailure; });
    if (failed != failure.has_value()) return "the condition is wrong";
    ReplicaSet after = set;
    after.status = status;
    if (!Equal(after.status, status_of(after, 0))) return "it changes again" + Text(active);
    return "";
  });
}

TEST(ReplicaSetStatusProperties, PodsThatBecomeAvailableLaterAreCheckedAgain) {
  Check(20'000, [](Choices& choices) -> std::string {
    ReplicaSet set = SetOf(3);
    set.spec.minReadySeconds = AnyNumber(choices);
    const std::vector<PodPtr> active = AnyPods(choices, true);
    const auto next = NextAvailabilityCheck(set, active, At(0));
    const auto waits = [&](const PodPtr& pod) {
      return IsReady(*pod) && !IsAvailable(*pod, set.spec.minReadySeconds, At(0));
    };
    const bool waiting = std::any_of(active.begin(), active.end(), waits);
    if (waiting != next.has_value()) return "the requeue is missing or useless" + Text(active);
    return !next || *next > Duration::zero() ? "" : "it requeues without delay" + Text(active);
  });
}

}  // namespace
}  // namespace capstan::replicaset
