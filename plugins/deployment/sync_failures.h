#pragma once

/// SyncFailures: records the Deployments whose syncs fail repeatedly, with the cause. Rejections of
/// the controller's requests by the API server are otherwise visible only in the log.
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
    int64_t count = 0;  ///< consecutive failures
    WallTime since;     ///< time of the first of these failures
    std::string message;
  };

  /// Records the result of a sync. A success clears the previous failures.
  void Note(const NamespacedName& name, const Status& status, WallTime now);
  /// Returns nullopt unless the Deployment has failed more often than conflicts or lost connections
  /// explain.
  std::optional<Failure> Find(const NamespacedName& name) const;

 private:
  mutable Mutex mutex_;
  std::map<NamespacedName, Failure> failures_ CAPSTAN_GUARDED_BY(mutex_);
  std::atomic<size_t> size_ = 0;  // lets a success skip the lock while nothing fails
};

/// Adds the failure, which only the controller knows, to the explanation from the objects.
void AddFailure(const SyncFailures::Failure& failure, Explanation& explanation);

/// Records the results of the syncs of `inner`.
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
