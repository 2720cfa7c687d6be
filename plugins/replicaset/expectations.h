#pragma once

/// Expectations: what a ReplicaSet's pods will look like once the cache has seen the writes of its
/// last sync. Until then nothing more is created or deleted, as it would be done twice.
///
/// Creations are counted down as pods of the ReplicaSet appear, deletions are ticked off by UID.
/// After five minutes, or earlier if told so, they are given up: nothing blocks for ever.
///
/// Threads: all methods may be called from any thread.

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <capstan/api/uid.h>
#include <capstan/runtime/clock.h>
#include <capstan/runtime/mutex.h>

namespace capstan::replicaset {

class Expectations {
 public:
  explicit Expectations(const Clock& clock) : clock_(clock) {}

  /// Both replace whatever was expected before, and come before the writes.
  void ExpectCreations(const Uid& set, int64_t count);
  void ExpectDeletions(const Uid& set, const std::vector<Uid>& pods);

  /// Return whether this was expected. To be called too for a write that failed or was not made.
  bool CreationObserved(const Uid& set, int64_t count = 1);
  bool DeletionObserved(const Uid& set, const Uid& pod);

  /// What is still expected may never come: it is given up after `patience`.
  void ExpectNoLongerThan(const Uid& set, Duration patience);

  /// How long at most the ReplicaSet has to wait; nullopt when it need not.
  std::optional<Duration> Pending(const Uid& set) const;
  /// The ReplicaSet is gone.
  void Forget(const Uid& set);

 private:
  struct Expected {
    int64_t creations = 0;
    std::unordered_set<Uid> deletions;
    MonotonicTime deadline;
  };
  // Whether there is nothing left to wait for.
  static bool Fulfilled(const Expected& expected) {
    return expected.creations <= 0 && expected.deletions.empty();
  }

  const Clock& clock_;
  mutable Mutex mutex_;
  std::unordered_map<Uid, Expected> expected_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::replicaset
