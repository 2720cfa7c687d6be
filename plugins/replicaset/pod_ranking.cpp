#include "pod_ranking.h"

#include <bit>
#include <charconv>
#include <chrono>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>

namespace capstan::replicaset {
namespace {

int PhaseRank(const Pod& pod) {
  if (pod.status.phase == "Running") return 2;
  return pod.status.phase == "Unknown" ? 1 : 0;
}

// The binary logarithm of an age in nanoseconds. An absent time ranks first, then a future time.
int AgeRank(Time since, WallTime now) {
  if (!since) return -2;
  constexpr int64_t kFar = 4'000'000'000;
  const int64_t start = std::clamp<int64_t>(since.seconds(), -kFar, kFar);
  const int64_t age = (now.time_since_epoch() - Duration(std::chrono::seconds(start))).count();
  return age <= 0 ? -1 : static_cast<int>(std::bit_width(static_cast<uint64_t>(age))) - 1;
}

int32_t ContainerRestarts(const Pod& pod) {
  int32_t most = 0;
  for (const auto& container : pod.status.containerStatuses) {
    most = std::max(most, container.restartCount);
  }
  return most;
}

int32_t SidecarRestarts(const Pod& pod) {
  std::set<std::string_view> sidecars;
  for (const auto& container : pod.spec.extras->initContainers) {
    if (container.restartPolicy == "Always") sidecars.insert(container.name);
  }
  int32_t most = 0;
  for (const auto& container : pod.status.extras->initContainerStatuses) {
    if (sidecars.contains(container.extras->name)) most = std::max(most, container.restartCount);
  }
  return most;
}

// The criteria before the exact ready time, including the rough duration of readiness.
using Rank = std::tuple<bool, int, bool, int32_t, int64_t, int>;
// Pods with the same Rank that are ready since the same second, or are not ready.
using Group = std::pair<Rank, Time>;

Rank RankOf(const Pod& pod, int64_t colocated, WallTime now) {
  const bool ready = IsReady(pod);
  return {!pod.spec.nodeName.empty(), PhaseRank(pod), ready,
          DeletionCostOf(pod),        -colocated,     ready ? AgeRank(ReadySince(pod), now) : 0};
}

struct Key {
  Rank rank;
  Uid lowest_of_group;
  int64_t restarts;
  int64_t sidecar_restarts;
  int age;
  Uid uid;
  friend bool operator<(const Key& a, const Key& b) {
    return std::tie(a.rank, a.lowest_of_group, a.restarts, a.sidecar_restarts, a.age, a.uid) <
           std::tie(b.rank, b.lowest_of_group, b.restarts, b.sidecar_restarts, b.age, b.uid);
  }
};

}  // namespace

int32_t DeletionCostOf(const Pod& pod) {
  const std::string* text = pod.metadata.annotations.Find(kPodDeletionCostAnnotation);
  if (!text || text->empty()) return 0;
  // "+10" and "008" are numbers in other contexts, but not in the API.
  const char first = text->front();
  if (first != '-' && !(first >= '1' && first <= '9') && *text != "0") return 0;
  int32_t cost = 0;
  const char* end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, cost);
  return error == std::errc() && rest == end ? cost : 0;
}

std::vector<int64_t> ColocatedPodsOf(const std::vector<PodPtr>& pods,
                                     const std::vector<PodPtr>& related) {
  std::unordered_map<InternedString, int64_t> on_node;
  for (const PodPtr& pod : related) {
    if (IsActive(*pod)) ++on_node[pod->spec.nodeName];
  }
  std::vector<int64_t> colocated;
  colocated.reserve(pods.size());
  for (const PodPtr& pod : pods) {
    const auto found = on_node.find(pod->spec.nodeName);
    colocated.push_back(found == on_node.end() ? 0 : found->second);
  }
  return colocated;
}

std::vector<PodPtr> RankForDeletion(const std::vector<PodPtr>& pods,
                                    const std::vector<int64_t>& colocated, WallTime now) {
  std::map<Group, Uid> lowest;
  std::vector<Key> keys;
  keys.reserve(pods.size());
  for (size_t i = 0; i < pods.size(); ++i) {
    const Pod& pod = *pods[i];
    keys.push_back({.rank = RankOf(pod, colocated[i], now),
                    .lowest_of_group = pod.metadata.uid,
                    .restarts = -int64_t{ContainerRestarts(pod)},
                    .sidecar_restarts = -int64_t{SidecarRestarts(pod)},
                    .age = AgeRank(pod.metadata.creationTimestamp, now),
                    .uid = pod.metadata.uid});
    Uid& first = lowest.try_emplace({keys[i].rank, ReadySince(pod)}, keys[i].uid).first->second;
    if (keys[i].uid < first) first = keys[i].uid;
  }
  for (size_t i = 0; i < pods.size(); ++i) {
    keys[i].lowest_of_group = lowest.at({keys[i].rank, ReadySince(*pods[i])});
  }

  std::vector<size_t> order(pods.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  std::vector<PodPtr> ranked;
  ranked.reserve(pods.size());
  for (size_t index : order) ranked.push_back(pods[index]);
  return ranked;
}

}  // namespace capstan::replicaset
