#include <chrono>

#include "types.h"

namespace capstan::replicaset {
namespace {

bool IsFinished(const Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

const api::core::v1::PodCondition* ReadyCondition(const Pod& pod) {
  for (const auto& condition : pod.status.conditions) {
    if (condition.type == "Ready") return &condition;
  }
  return nullptr;
}

}  // namespace

bool IsActive(const Pod& pod) { return !IsFinished(pod) && !pod.metadata.deletionTimestamp; }

bool IsTerminating(const Pod& pod) { return !IsFinished(pod) && pod.metadata.deletionTimestamp; }

bool IsRejected(const Pod& pod) {
  return pod.status.phase == "Failed" && pod.status.containerStatuses.empty() &&
         !pod.metadata.deletionTimestamp;
}

bool IsReady(const Pod& pod) {
  const auto* condition = ReadyCondition(pod);
  return condition && condition->status == "True";
}

Time ReadySince(const Pod& pod) {
  return IsReady(pod) ? ReadyCondition(pod)->lastTransitionTime : Time();
}

std::optional<Duration> AvailableIn(const Pod& pod, int32_t min_ready_seconds, WallTime now) {
  const Time since = ReadySince(pod);
  if (!since || min_ready_seconds <= 0) return std::nullopt;
  // Cut, so that a time that no clock ever showed does not overflow the sum.
  constexpr int64_t kFar = 4'000'000'000;
  const int64_t ready = std::clamp<int64_t>(since.seconds(), -kFar, kFar);
  const Duration left = std::chrono::seconds(ready + min_ready_seconds) - now.time_since_epoch();
  if (left <= Duration::zero()) return std::nullopt;
  return left;
}

bool IsAvailable(const Pod& pod, int32_t min_ready_seconds, WallTime now) {
  if (!IsReady(pod)) return false;
  if (min_ready_seconds <= 0) return true;
  return ReadySince(pod) && !AvailableIn(pod, min_ready_seconds, now);
}

}  // namespace capstan::replicaset
