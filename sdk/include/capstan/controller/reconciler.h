#pragma once

/// Reconciler, Request and Action: the interface of a controller's logic.

#include <optional>

#include <capstan/api/meta_v1.h>
#include <capstan/export.h>
#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

namespace capstan {

/// Names the object to reconcile. A request says that something may have changed, but not what. The
/// reconciler compares the desired state with the state that its listers show (level-based).
struct Request {
  NamespacedName name;
};

/// What happens after a successful reconcile.
class Action {
 public:
  /// Waits until something changes.
  static Action AwaitChange() { return Action(std::nullopt); }
  /// Reconciles again after `delay`, or earlier if something changes.
  static Action RequeueAfter(Duration delay) { return Action(delay); }

  std::optional<Duration> requeue_after() const { return delay_; }

 private:
  explicit Action(std::optional<Duration> delay) : delay_(delay) {}
  std::optional<Duration> delay_;
};

/// Brings the cluster to the desired state of one object.
///
/// Threads: several workers call Reconcile concurrently for different objects, but never
/// concurrently for the same object. Errors are retried with backoff, except terminal errors. An
/// exception is logged and treated as an error.
class CAPSTAN_EXPORT Reconciler {
 public:
  virtual ~Reconciler();
  virtual Result<Action> Reconcile(const Request& request) = 0;
};

}  // namespace capstan
