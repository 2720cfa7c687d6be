#pragma once

/// What all of this plugin's plans speak of: the API's types and a few facts about pods.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>
#include <capstan/runtime/clock.h>

namespace capstan::replicaset {

using api::Condition;
using api::Time;
using api::apps::v1::ReplicaSet;
using api::apps::v1::ReplicaSetStatus;
using api::core::v1::Pod;
using ReplicaSetPtr = std::shared_ptr<const ReplicaSet>;
using PodPtr = std::shared_ptr<const Pod>;

inline constexpr std::string_view kReplicaFailure = "ReplicaFailure";
inline constexpr std::string_view kPodDeletionCostAnnotation =
    "controller.kubernetes.io/pod-deletion-cost";

/// spec.replicas; the server defaults it to 1 and refuses negative values.
inline int64_t ReplicasOf(const ReplicaSet& set) {
  return std::max<int64_t>(0, set.spec.replicas.value_or(1));
}
inline int32_t ToInt32(int64_t value) {
  return static_cast<int32_t>(std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(),
                                                  std::numeric_limits<int32_t>::max()));
}

/// Neither finished nor being deleted: it counts as a replica.
bool IsActive(const Pod& pod);
/// Being deleted, but not finished yet.
bool IsTerminating(const Pod& pod);
/// Refused by its node's kubelet: it failed before it had any container.
bool IsRejected(const Pod& pod);
bool IsReady(const Pod& pod);
/// Since when the pod is ready; absent when it is not, or when its condition does not tell.
Time ReadySince(const Pod& pod);
/// Ready, and has been so for `min_ready_seconds`.
bool IsAvailable(const Pod& pod, int32_t min_ready_seconds, WallTime now);
/// After which time a pod that is ready will be available; nullopt when it is already, is not
/// ready, or does not tell since when.
std::optional<Duration> AvailableIn(const Pod& pod, int32_t min_ready_seconds, WallTime now);

}  // namespace capstan::replicaset
