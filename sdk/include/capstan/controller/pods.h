#pragma once

/// Facts about pods that most controllers count by. (pkg/api/v1/pod and controller_utils of
/// kube-controller-manager)
///
/// https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
///
/// Threads: the functions have no state of their own.

#include <cstdint>
#include <optional>

#include <capstan/api/core_v1.h>
#include <capstan/api/time.h>
#include <capstan/export.h>
#include <capstan/runtime/clock.h>

namespace capstan {

/// Phase Succeeded or Failed: no container of it runs again. P is any struct for pods that has
/// `status.phase`.
template <class P>
bool IsFinished(const P& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

/// Neither finished nor being deleted: it counts as a replica.
CAPSTAN_EXPORT bool IsActive(const api::core::v1::Pod& pod);

/// Being deleted, but not finished yet.
CAPSTAN_EXPORT bool IsTerminating(const api::core::v1::Pod& pod);

/// Its condition Ready is "True".
CAPSTAN_EXPORT bool IsReady(const api::core::v1::Pod& pod);

/// Since when the pod is ready; absent when it is not, or when its condition does not say.
CAPSTAN_EXPORT api::Time ReadySince(const api::core::v1::Pod& pod);

/// Ready for at least `min_ready_seconds`.
CAPSTAN_EXPORT bool IsAvailable(const api::core::v1::Pod& pod, int32_t min_ready_seconds,
                                WallTime now);

/// How long until a pod that is ready becomes available, which no event tells; nullopt when it is
/// available already, is not ready, or does not say since when.
CAPSTAN_EXPORT std::optional<Duration> AvailableIn(const api::core::v1::Pod& pod,
                                                   int32_t min_ready_seconds, WallTime now);

}  // namespace capstan
