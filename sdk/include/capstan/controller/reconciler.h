#pragma once

/// Reconciler, Request and Action: the heart of a controller.

#include <optional>

#include <capstan/api/meta_v1.h>
#include <capstan/export.h>
#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

namespace capstan {

/// Which object to look at. A request says that something may have changed, not what: the
/// reconciler compares the wish with the state that its listers show (level-based).
struct Request {
  NamespacedName name;
};

/// What shall happen after a reconcile that succeeded.
class Action {
 public:
  /// Nothing until something changes.
  static Action AwaitChange() { return Action(std::nullopt); }
  /// Again after `delay`, or earlier if something changes.
  static Action RequeueAfter(Duration delay) { return Action(delay); }

  std::optional<Duration> requeue_after() const { return delay_; }

 private:
  explicit Action(std::optional<Duration> delay) : delay_(delay) {}
  std::optional<Duration> delay_;
};

/// Makes the world as one object wants it.
///
/// Threads: Reconcile is called by several workers at once, for different objects; never twice at
/// once for one. An error is retried with backoff (a terminal one is not); an exception is logged
/// and treated as an error.
class CAPSTAN_EXPORT Reconciler {
 public:
  virtual ~Reconciler();
  virtual Result<Action> Reconcile(const Request& request) = 0;
};

}  // namespace capstan
