#pragma once

/// WriteBudget: coalesces a controller's writes of state that changes continually.
///
/// As long as there are few writes, each goes out at once. When there are more than the budget, the
/// writes of an object wait until its state has not changed for a moment (`settle`), but no longer
/// than `wait`, and include the changes made meanwhile. All objects wait then, until the rate is
/// below the budget again.
///
///     if (const Duration wait = budget_.WaitFor(request.name, state); wait > Duration::zero()) {
///       return Action::RequeueAfter(wait);
///     }
///     client_.PatchDifference(before, after, "status");
///
/// Use it for counters that change continually. Write fields that users or other controllers wait
/// for (a condition, observedGeneration) without calling WaitFor. The last state is always written:
/// at most `settle` after the last change.
///
/// Threads: all methods may be called from any thread.

#include <chrono>
#include <cstdint>
#include <memory>

#include <capstan/api/meta_v1.h>
#include <capstan/export.h>
#include <capstan/runtime/clock.h>

namespace capstan {

class CAPSTAN_EXPORT WriteBudget {
 public:
  struct Options {
    double per_second = 5;  ///< the rate of writes that go out at once
    int burst = 20;         ///< the number of writes that go out at once before the rate applies
    /// The delay of all other writes after the last change.
    Duration settle = std::chrono::seconds(5);
    /// The longest delay after the first change that has not been written. At least `settle`.
    Duration wait = std::chrono::seconds(10);
  };
  WriteBudget(const Clock& clock, Options options);
  ~WriteBudget();

  /// Returns zero if the write should be made now. Otherwise returns the time after which the
  /// caller should call again for this object. `state` identifies what would be written, e.g. a
  /// hash of it (HashObject).
  Duration WaitFor(const NamespacedName& object, uint64_t state = 0);
  /// Call it when a write that WaitFor permitted has failed or was slow. Returns `wait`: before
  /// this time has passed, WaitFor permits no write of this object.
  Duration Postpone(const NamespacedName& object);
  /// Call it when there is nothing to write any more.
  void Forget(const NamespacedName& object);

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace capstan
