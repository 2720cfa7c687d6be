#pragma once

/// StatusBudget: coalesces a controller's status writes under load.
///
/// Writes within the budget go out at once. Beyond it, the write of an object waits for a moment
/// and then includes the changes made meanwhile:
///
///     if (const Duration wait = budget_.WaitFor(request.name); wait > Duration::zero()) {
///       return Action::RequeueAfter(wait);
///     }
///     client_.PatchDifference(before, after, "status");
///
/// Use it for counters that change continually. Write fields that users or other controllers wait
/// for (a condition, observedGeneration) without calling WaitFor.
///
/// Threads: all methods may be called from any thread.

#include <chrono>
#include <memory>

#include <capstan/api/meta_v1.h>
#include <capstan/export.h>
#include <capstan/runtime/clock.h>

namespace capstan {

class CAPSTAN_EXPORT StatusBudget {
 public:
  struct Options {
    double per_second = 5;  ///< the rate of writes that go out at once
    int burst = 20;         ///< the number of writes that go out at once before the rate applies
    Duration wait = std::chrono::seconds(1);  ///< the delay of all other writes
  };
  StatusBudget(const Clock& clock, Options options);
  ~StatusBudget();

  /// Returns zero if the write should be made now. Otherwise returns the time after which the
  /// caller should call again for this object.
  Duration WaitFor(const NamespacedName& object);

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace capstan
