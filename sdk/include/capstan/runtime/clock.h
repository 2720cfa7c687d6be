#pragma once

/// Clock: the only source of time.
///
/// Threads: all methods may be called from any thread.

#include <chrono>

#include <capstan/export.h>

namespace capstan {

using Duration = std::chrono::nanoseconds;
/// Wall-clock time, UTC.
using WallTime = std::chrono::sys_time<Duration>;

/// Tag of the monotonic clock: CLOCK_BOOTTIME, which also counts while the machine is suspended.
/// Otherwise a lease would seem younger than it is.
struct BootClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootClock, duration>;
  static constexpr bool is_steady = true;
};
using MonotonicTime = BootClock::time_point;

class CAPSTAN_EXPORT Clock {
 public:
  virtual ~Clock();
  virtual WallTime Now() const = 0;
  virtual MonotonicTime Monotonic() const = 0;
};

}  // namespace capstan
