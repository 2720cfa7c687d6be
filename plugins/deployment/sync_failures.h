#pragma once

/// SyncFailures: which Deployments' syncs fail time and again, and why. What the API server refuses
/// the controller is seen nowhere else but in the log.
///
/// Threads: all methods may be called from any thread.

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <capstan/controller.h>
#include <capstan/runtime/mutex.h>

namespace capstan::deployment {

class SyncFailures {
 public:
  struct Failure {
    int64_t count = 0;  ///< in a row
    WallTime since;     ///< of the first of them
    std::string message;
  };

  /// A success forgets the failures before it.
  void Note(const NamespacedName& name, const Status& status, WallTime now);
  /// nullopt unless it has failed more often than a conflict or a lost connection explains.
  std::optional<Failure> Find(const NamespacedName& name) const;

 private:
  mutable Mutex mutex_;
  std::map<NamespacedName, Failure> failures_ CAPSTAN_GUARDED_BY(mutex_);
  std::atomic<size_t> size_ = 0;  // lets a success pass without the lock when nothing fails
};

/// Adds what only the controller knows to what the objects tell.
void AddFailure(const SyncFailures::Failure& failure, Explanation& explanation);

/// Notes how the syncs of `inner` end.
class FailureNotingReconciler final : public Reconciler {
 public:
  FailureNotingReconciler(std::shared_ptr<Reconciler> inner, std::shared_ptr<SyncFailures> failures,
                          const Clock& clock)
      : inner_(std::move(inner)), failures_(std::move(failures)), clock_(clock) {}

  Result<Action> Reconcile(const Request& request) override;

 private:
  const std::shared_ptr<Reconciler> inner_;
  const std::shared_ptr<SyncFailures> failures_;
  const Clock& clock_;
};

}  // namespace capstan::deployment
