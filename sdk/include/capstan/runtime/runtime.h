#pragma once

/// Runtime: the only way to start threads, wait and notify.
///
/// In production (`SystemRuntime()`) it uses system threads and condition variables. In tests the
/// same code runs under a scheduler that runs one thread at a time and advances a virtual clock
/// (capstan/testing/simulated_runtime.h). A seed then replays an interleaving.
///
/// Cancellation uses `std::stop_token` everywhere. Code that waits for a token registers a
/// `std::stop_callback` that notifies the Condition; see `StopWaker` below.

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
  /// Waits for the body to return. Idempotent. Must not be called from the thread itself.
  virtual void Join() = 0;
};

/// A condition variable. Wake-ups may be spurious, so wait in a loop.
class CAPSTAN_EXPORT Condition {
 public:
  virtual ~Condition();
  virtual void Wait(Mutex& mutex) CAPSTAN_REQUIRES(mutex) = 0;
  /// Returns false if `deadline` has passed.
  virtual bool WaitUntil(Mutex& mutex, MonotonicTime deadline) CAPSTAN_REQUIRES(mutex) = 0;
  virtual void NotifyOne() = 0;
  virtual void NotifyAll() = 0;
};

class CAPSTAN_EXPORT Runtime {
 public:
  virtual ~Runtime();

  virtual const Clock& clock() const = 0;
  /// Starts `body` in a new thread. `name` is for humans; the system shows up to 15 bytes of it. An
  /// exception that leaves `body` ends the process, as with std::thread.
  virtual std::unique_ptr<Thread> Start(std::string name, std::function<void()> body) = 0;
  virtual std::unique_ptr<Condition> NewCondition() = 0;
  /// Returns a uniformly distributed number, for jitter and names. Not for secrets.
  virtual uint64_t Random() = 0;
  /// Lets other threads run. A no-op in production. A simulated runtime may switch threads here.
  virtual void Yield();

  MonotonicTime Now() const { return clock().Monotonic(); }
  /// Waits for `duration`. Returns false if `stop` was triggered first.
  bool SleepFor(Duration duration, const std::stop_token& stop);
  /// Returns a random number in [0, 1).
  double RandomFraction();
  /// Returns `duration` plus a random part of up to `factor` times `duration` (client-go's
  /// wait.Jitter).
  Duration Jitter(Duration duration, double factor);
};

/// The runtime with the threads and clocks of the operating system. Lives as long as the process.
CAPSTAN_EXPORT Runtime& SystemRuntime();

/// Notifies `condition` when `stop` is triggered, for as long as the StopWaker lives. Construct it
/// before `mutex` is locked. The waiting loop must check `stop.stop_requested()`.
class CAPSTAN_EXPORT StopWaker {
 public:
  StopWaker(const std::stop_token& stop, Mutex& mutex, Condition& condition)
      : callback_(stop, Wake{mutex, condition}) {}

 private:
  struct Wake {
    Mutex& mutex;
    Condition& condition;
    // The lock prevents a notification between a waiter's check and its wait.
    void operator()() const {
      { MutexLock lock(mutex); }
      condition.NotifyAll();
    }
  };
  std::stop_callback<Wake> callback_;
};

}  // namespace capstan
