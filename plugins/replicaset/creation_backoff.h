#pragma once

/// Creation backoff: slows down the replacement of pods that kubelets reject (OutOfcpu,
/// NodeAffinity, UnexpectedAdmissionError, ...). Without it, 1,800 pods a minute are
/// replaced.
///
/// The rejections of a ReplicaSet are counted in rounds. The first rejection starts a round, whose
/// delay is twice the delay of the previous round. Rejections during the delay belong to that
/// round. As many pods as the round has rejected wait for its end. Other missing pods are created
/// at once, e.g. after a scale-up, a deletion or the failure of a pod that had run. The backoff
/// ends when a pod that is newer than the rejected ones becomes ready, or after half an hour
/// without a rejection.
///
/// The delays are those of the DaemonSet controller's backoff for failed pods.

#include <chrono>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include <capstan/api/uid.h>
#include <capstan/metrics/metrics.h>
#include <capstan/runtime/clock.h>
#include <capstan/runtime/mutex.h>

#include "types.h"

namespace capstan::replicaset {

inline constexpr Duration kFirstDelay = std::chrono::seconds(1);
inline constexpr Duration kLongestDelay = std::chrono::minutes(15);
inline constexpr Duration kForgottenAfter = 2 * kLongestDelay;

/// Returns whether the pod's kubelet rejected the pod: it failed before it had a container.
bool IsRejected(const Pod& pod);

/// The state of a ReplicaSet's rejected pods.
struct Rejections {
  Duration delay{};    ///< delay of the current round
  MonotonicTime over;  ///< end of the round
  int64_t pods = 0;    ///< number of pods rejected in the round
  Time newest;         ///< creation time of the newest rejected pod, in all rounds
};

/// Returns the state after one more rejected pod, which was created at `created`.
Rejections AfterRejection(const std::optional<Rejections>& before, Time created, MonotonicTime now);
/// Returns whether a ready pod with the creation time `created` shows that pods are accepted again.
inline bool EndedBy(const Rejections& rejections, Time created) {
  return created > rejections.newest;
}
bool IsForgotten(const Rejections& rejections, MonotonicTime now);

/// The number of pods that must not be replaced before `wait` has passed.
struct Hold {
  int64_t pods = 0;
  Duration wait{};
};
Hold HoldAt(const Rejections& rejections, MonotonicTime now);

/// The rejections of all ReplicaSets.
///
/// Metrics: capstan_replicaset_rejected_pods_total.
///
/// Threads: all methods may be called from any thread.
class CreationBackoff {
 public:
  CreationBackoff(const Clock& clock, MetricsRegistry& metrics);

  /// Must be called for each change of a pod, before the change enqueues its ReplicaSet. `before`
  /// is null for an addition, `after` for a deletion. A pod that was created long ago does not
  /// count, because a controller that has just started sees it too.
  void Observe(const Pod* before, const Pod* after);
  Hold HoldFor(const Uid& set) const;
  /// Called when the ReplicaSet is deleted.
  void Forget(const Uid& set);

 private:
  void NoteRejection(const api::OwnerReference& set, const Pod& pod);
  void NoteReady(const Uid& set, Time created);

  const Clock& clock_;
  const Counter rejected_;
  mutable Mutex mutex_;
  std::unordered_map<Uid, Rejections> rejections_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::replicaset
