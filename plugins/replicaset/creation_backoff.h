#pragma once

/// Creation backoff: pods that kubelets reject (OutOfcpu, NodeAffinity, UnexpectedAdmissionError,
/// ...) are replaced ever more slowly, instead of 1,800 a minute.
///
/// A ReplicaSet's rejections are counted by rounds. The first starts one, with twice the delay of
/// the round before; those that come during the delay belong to it. As many pods as were rejected
/// in a round wait for its end. Whatever else is missing, as after a scale-up, a deletion or the
/// failure of a pod that had run, is created at once. It is over when a pod that is newer than the
/// rejected ones becomes ready, and when there was no rejection for half an hour.
///
/// The figures are those of the DaemonSet controller's backoff for failed pods.

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

/// Refused by its node's kubelet: it failed before it had any container.
bool IsRejected(const Pod& pod);

/// What is known of a ReplicaSet's rejected pods.
struct Rejections {
  Duration delay{};    ///< of the present round
  MonotonicTime over;  ///< the round's end
  int64_t pods = 0;    ///< rejected in the round
  Time newest;         ///< creation of the newest of all that were rejected
};

/// With one more rejected pod, that was created at `created`.
Rejections AfterRejection(const std::optional<Rejections>& before, Time created, MonotonicTime now);
/// Whether a ready pod that was created at `created` shows that pods are accepted again.
inline bool EndedBy(const Rejections& rejections, Time created) {
  return created > rejections.newest;
}
bool IsForgotten(const Rejections& rejections, MonotonicTime now);

/// So many pods are not to be replaced for so long.
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

  /// To be told of each change of a pod before the change wakes its ReplicaSet. Null for what is
  /// not there. A pod that was created long ago does not count: a controller that has just started
  /// sees it.
  void Observe(const Pod* before, const Pod* after);
  Hold HoldFor(const Uid& set) const;
  /// The ReplicaSet is gone.
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
