#pragma once

/// Runtime: the only way to start a thread, to wait and to wake.
///
/// In production (`SystemRuntime()`) these are threads and condition variables. In tests the same
/// code runs under a scheduler that lets one thread run at a time and moves a virtual clock
/// (capstan/testing/simulated_runtime.h), so that a seed replays an interleaving.
///
/// Cancellation is `std::stop_token` everywhere. Whoever waits for a token registers a
/// `std::stop_callback` that wakes the Condition; `StopWaker` below does it.

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include <capstan/export.h>
#include <capstan/runtime/clock.h>
#include <capstan/runtime/mutex.h>

namespace capstan {

/// A started thread. The destructor joins.
class CAPSTAN_EXPORT Thread {
 public:
  virtual ~Thread();
  /// Waits for the body to return. Idempotent. Not from the thread itself.
  virtual void Join() = 0;
};

/// A condition variable. As with any, wake-ups may be spurious: wait in a loop.
class CAPSTAN_EXPORT Condition {
 public:
  virtual ~Condition();
  virtual void Wait(Mutex& mutex) CAPSTAN_REQUIRES(mutex) = 0;
  /// Returns false when `deadline` passed.
  virtual bool WaitUntil(Mutex& mutex, MonotonicTime deadline) CAPSTAN_REQUIRES(mutex) = 0;
  virtual void NotifyOne() = 0;
  virtual void NotifyAll() = 0;
};

class CAPSTAN_EXPORT Runtime {
 public:
  virtual ~Runtime();

  virtual const Clock& clock() const = 0;
  /// Starts `body` in a thread of its own. `name` (up to 15 bytes shown by the system) is for
  /// people. An exception that leaves `body` ends the process, as with std::thread.
  virtual std::unique_ptr<Thread> Start(std::string name, std::function<void()> body) = 0;
  virtual std::unique_ptr<Condition> NewCondition() = 0;
  /// A uniformly distributed number, for jitter and names; not for secrets.
  virtual uint64_t Random() = 0;
  /// Lets others run. In production a no-op; a simulated runtime may switch here.
  virtual void Yield();

  MonotonicTime Now() const { return clock().Monotonic(); }
  /// Waits for `duration`. Returns false when `stop` was triggered first.
  bool SleepFor(Duration duration, const std::stop_token& stop);
  /// A number in [0, 1).
  double RandomFraction();
  /// `duration` plus up to `factor` times as much again, at random (client-go's wait.Jitter).
  Duration Jitter(Duration duration, double factor);
};

/// The threads and clocks of the operating system. Lives for the whole process.
CAPSTAN_EXPORT Runtime& SystemRuntime();

/// While it lives, a triggered `stop` wakes `condition`. Make it before `mutex` is locked; the
/// waiting loop then checks `stop.stop_requested()` itself.
class CAPSTAN_EXPORT StopWaker {
 public:
  StopWaker(const std::stop_token& stop, Mutex& mutex, Condition& condition)
      : callback_(stop, Wake{mutex, condition}) {}

 private:
  struct Wake {
    Mutex& mutex;
    Condition& condition;
    // The lock closes the gap between a waiter's check and its wait.
    void operator()() const {
      { MutexLock lock(mutex); }
      condition.NotifyAll();
    }
  };
  std::stop_callback<Wake> callback_;
};

}  // namespace capstan
