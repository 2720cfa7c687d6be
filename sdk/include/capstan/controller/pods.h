#pragma once

/// Predicates on pods that most controllers need. (pkg/api/v1/pod and controller_utils of
/// kube-controller-manager)
///
/// https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
///
/// Threads: the functions are stateless.

#include <cstdint>
#include <optional>

#include <capstan/api/core_v1.h>
#include <capstan/api/time.h>
#include <capstan/export.h>
#include <capstan/runtime/clock.h>

namespace capstan {

/// Returns whether the phase is Succeeded or Failed: no container of the pod runs again. P is any
/// pod struct with `status.phase`.
template <class P>
bool IsFinished(const P& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

/// Returns whether the pod is neither finished nor being deleted. Such a pod counts as a replica.
CAPSTAN_EXPORT bool IsActive(const api::core::v1::Pod& pod);

/// Returns whether the pod is being deleted but not finished yet.
CAPSTAN_EXPORT bool IsTerminating(const api::core::v1::Pod& pod);

/// Returns whether the condition Ready is "True".
CAPSTAN_EXPORT bool IsReady(const api::core::v1::Pod& pod);

/// Returns the time since which the pod is ready. Absent if the pod is not ready, or if its
/// condition has no time.
CAPSTAN_EXPORT api::Time ReadySince(const api::core::v1::Pod& pod);

/// Returns whether the pod has been ready for at least `min_ready_seconds`.
CAPSTAN_EXPORT bool IsAvailable(const api::core::v1::Pod& pod, int32_t min_ready_seconds,
                                WallTime now);

/// Returns the time until a ready pod becomes available; no event announces that moment. nullopt if
/// the pod is already available, is not ready, or has no ready time.
CAPSTAN_EXPORT std::optional<Duration> AvailableIn(const api::core::v1::Pod& pod,
                                                   int32_t min_ready_seconds, WallTime now);

}  // namespace capstan
