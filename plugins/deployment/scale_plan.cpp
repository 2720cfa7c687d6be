#include "scale_plan.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string>
#include <tuple>

namespace capstan::deployment {
namespace {

std::optional<int64_t> CountAnnotation(const ReplicaSet& set, std::string_view key) {
  const std::string* text = set.metadata.annotations.Find(key);
  if (!text) return std::nullopt;
  uint32_t value = 0;
  const char* end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || rest != end || value > std::numeric_limits<int32_t>::max()) {
    return std::nullopt;
  }
  return value;
}

// size * now / before, rounded half up. All arguments are non-negative and fit into 32 bits. The
// result is limited to 32 bits, because a user may set any `before`.
int64_t ScaledSize(int64_t size, int64_t now, int64_t before) {
  const int64_t scaled = (2 * size * now + before) / (2 * before);
  return std::min<int64_t>(scaled, std::numeric_limits<int32_t>::max());
}

// The change of one ReplicaSet without a limit.
int64_t Fraction(const ProportionalSet& set, const ProportionInput& input) {
  if (input.desired == 0) return -set.replicas;
  int64_t before = set.max_replicas.value_or(0);
  if (before <= 0) before = input.status_replicas;
  if (before <= 0) return 0;
  return ScaledSize(set.replicas, input.desired + input.max_surge, before) - set.replicas;
}

bool IsSaturated(const Deployment& deployment, const ReplicaSet* set) {
  if (!set) return false;
  const int64_t desired = ReplicasOf(deployment);
  return ReplicasOf(*set) == desired &&
         CountAnnotation(*set, kDesiredReplicasAnnotation) == desired &&
         set->status.availableReplicas == desired;
}

std::vector<const ReplicaSet*> Active(const std::vector<const ReplicaSet*>& sets) {
  std::vector<const ReplicaSet*> active;
  for (const ReplicaSet* set : sets) {
    if (set && ReplicasOf(*set) > 0) active.push_back(set);
  }
  return active;
}

std::vector<Scale> ScaleInProportion(const Deployment& deployment,
                                     std::vector<const ReplicaSet*> active) {
  std::sort(active.begin(), active.end(),
            [](const ReplicaSet* a, const ReplicaSet* b) { return CreatedBefore(*a, *b); });
  ProportionInput input;
  input.desired = ReplicasOf(deployment);
  input.max_surge = FencepostsOrNone(deployment).max_surge;
  input.status_replicas = deployment.status.replicas;
  for (const ReplicaSet* set : active) {
    input.sets.push_back({ReplicasOf(*set), CountAnnotation(*set, kMaxReplicasAnnotation)});
  }
  const std::vector<int64_t> sizes = Proportions(input);
  std::vector<Scale> scales;
  for (size_t i = 0; i < active.size(); ++i) scales.push_back({active[i], sizes[i], true});
  return scales;
}

}  // namespace

bool CreatedBefore(const ReplicaSet& a, const ReplicaSet& b) {
  return std::tie(a.metadata.creationTimestamp, a.metadata.name) <
         std::tie(b.metadata.creationTimestamp, b.metadata.name);
}

std::vector<int64_t> Proportions(const ProportionInput& input) {
  std::vector<int64_t> sizes;
  int64_t total = 0;
  for (const ProportionalSet& set : input.sets) {
    sizes.push_back(set.replicas);
    total += set.replicas;
  }
  const int64_t allowed = input.desired > 0 ? input.desired + input.max_surge : 0;
  const int64_t to_add = allowed - total;
  if (to_add == 0 || sizes.empty()) return sizes;

  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (sizes[a] != sizes[b]) return sizes[a] > sizes[b];
    return to_add > 0 ? a > b : a < b;
  });

  int64_t added = 0;
  for (size_t index : order) {
    if (added == to_add) break;
    const int64_t fraction = Fraction(input.sets[index], input);
    const int64_t left = to_add - added;
    const int64_t share = to_add > 0 ? std::min(fraction, left) : std::max(fraction, left);
    sizes[index] += share;
    added += share;
  }
  int64_t& largest = sizes[order.front()];
  largest = std::max<int64_t>(0, largest + to_add - added);
  return sizes;
}

std::vector<Scale> PlanScale(const Deployment& deployment,
                             const std::vector<const ReplicaSet*>& old_sets,
                             const ReplicaSet* new_set) {
  const std::vector<const ReplicaSet*> active_old = Active(old_sets);
  std::vector<const ReplicaSet*> active = active_old;
  if (new_set && ReplicasOf(*new_set) > 0) active.push_back(new_set);

  const int64_t desired = ReplicasOf(deployment);
  if (active.size() == 1) return {{active.front(), desired, false}};
  if (active.empty()) {
    if (new_set) return {{new_set, desired, false}};
    if (old_sets.empty()) return {};
    return {{old_sets.back(), desired, false}};
  }
  if (IsSaturated(deployment, new_set)) {
    std::vector<Scale> scales;
    scales.reserve(active_old.size());
    for (const ReplicaSet* set : active_old) scales.push_back({set, 0, false});
    return scales;
  }
  if (!IsRollingUpdate(deployment)) return {};
  return ScaleInProportion(deployment, std::move(active));
}

bool IsScalingEvent(const Deployment& deployment, const std::vector<const ReplicaSet*>& sets) {
  const std::vector<const ReplicaSet*> active = Active(sets);
  return std::any_of(active.begin(), active.end(), [&](const ReplicaSet* set) {
    const std::optional<int64_t> desired = CountAnnotation(*set, kDesiredReplicasAnnotation);
    return desired && *desired != ReplicasOf(deployment);
  });
}

bool SetReplicasAnnotations(const Deployment& deployment, StringMap& annotations) {
  const int64_t desired = ReplicasOf(deployment);
  const int64_t max = desired + FencepostsOrNone(deployment).max_surge;
  bool changed = false;
  const auto set = [&](std::string_view key, const std::string& value) {
    if (annotations.Get(key) == value) return;
    annotations.Set(key, value);
    changed = true;
  };
  set(kDesiredReplicasAnnotation, std::to_string(desired));
  set(kMaxReplicasAnnotation, std::to_string(max));
  return changed;
}

}  // namespace capstan::deployment
