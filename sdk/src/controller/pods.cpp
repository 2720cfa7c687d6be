#include <capstan/controller/pods.h>

#include <algorithm>
#include <chrono>

#include <capstan/controller/conditions.h>

namespace capstan {

using api::core::v1::Pod;

bool IsActive(const Pod& pod) { return !IsFinished(pod) && !pod.metadata.deletionTimestamp; }

bool IsTerminating(const Pod& pod) { return !IsFinished(pod) && pod.metadata.deletionTimestamp; }

bool IsReady(const Pod& pod) { return IsConditionTrue(pod.status.conditions, "Ready"); }

api::Time ReadySince(const Pod& pod) {
  const auto* ready = FindCondition(pod.status.conditions, "Ready");
  return ready && ready->status == "True" ? ready->lastTransitionTime : api::Time();
}

std::optional<Duration> AvailableIn(const Pod& pod, int32_t min_ready_seconds, WallTime now) {
  const api::Time since = ReadySince(pod);
  if (!since || min_ready_seconds <= 0) return std::nullopt;
  // Clamped, so that an extreme time does not overflow the sum.
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

}  // namespace capstan
