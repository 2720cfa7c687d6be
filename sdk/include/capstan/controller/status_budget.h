#pragma once

/// StatusBudget: lets the status writes of a controller coalesce under load.
///
/// As long as they are few, they go out at once. When they are more than the budget, an object's
/// write waits for a moment, and whatever changes meanwhile goes with it:
///
///     if (const Duration wait = budget_.WaitFor(request.name); wait > Duration::zero()) {
///       return Action::RequeueAfter(wait);
///     }
///     client_.PatchDifference(before, after, "status");
///
/// It is for counters that go on changing. What users or other controllers wait for (a condition,
/// observedGeneration) is better written without asking.
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
    double per_second = 5;                    ///< so many writes go out at once,
    int burst = 20;                           ///< after so many to begin with
    Duration wait = std::chrono::seconds(1);  ///< of all others
  };
  StatusBudget(const Clock& clock, Options options);
  ~StatusBudget();

  /// Zero: the write should be made now. Otherwise the object's turn comes after so long, and it
  /// should ask again then.
  Duration WaitFor(const NamespacedName& object);

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace capstan
