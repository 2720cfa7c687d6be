#pragma once

/// RequestActivity: whether requests are in progress that others give way to (see BackgroundLane).
///
/// Threads: all methods may be called from any thread.

#include <atomic>

#include <capstan/runtime/clock.h>
#include <capstan/runtime/runtime.h>

namespace capstan {

class RequestActivity {
 public:
  /// Counts as a request in progress, from its wait for the rate limit to the end of its retries.
  class InProgress {
   public:
    InProgress(RequestActivity& activity, Runtime& runtime)
        : activity_(activity), runtime_(runtime) {
      activity_.requests_.fetch_add(1);
    }
    ~InProgress() {
      activity_.ended_.store(runtime_.Now());
      activity_.requests_.fetch_sub(1);
    }
    InProgress(const InProgress&) = delete;
    InProgress& operator=(const InProgress&) = delete;

   private:
    RequestActivity& activity_;
    Runtime& runtime_;
  };

  /// How long no request has been in progress; Duration::max() if there has been none.
  Duration IdleFor(MonotonicTime now) const {
    if (requests_.load() > 0) return Duration::zero();
    const MonotonicTime ended = ended_.load();
    return ended == MonotonicTime::min() ? Duration::max() : now - ended;
  }

 private:
  std::atomic<int> requests_ = 0;
  std::atomic<MonotonicTime> ended_ = MonotonicTime::min();
};

}  // namespace capstan
