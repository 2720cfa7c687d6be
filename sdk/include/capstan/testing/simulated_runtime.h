#pragma once

/// SimulatedRuntime: a Runtime for tests, in which the same seed replays the same interleaving, and
/// time moves only when the test says so.
///
/// What the code under test starts as threads runs as fibers on the one thread that drives. One
/// gives way to another only where it waits, joins, yields or ends; who was started or woken waits
/// for its turn, and the seed decides whose turn it is. The driving thread moves the others with
/// RunUntilIdle and AdvanceBy, and runs only while all of them wait. Where it waits or joins
/// itself, the others run, and when none can, the clock moves to the next deadline.
///
/// It ends the process, with a list of the threads, when nothing can ever wake the driving thread,
/// when a Mutex is found to have been held across a switch, when the threads never come to rest,
/// when it is destroyed before all of them have ended, and when another thread than the driving one
/// waits, wakes or starts.
///
/// A test that ends while threads still wait is fine as long as their owners stop and join them: a
/// Join drives the others.
///
/// Threads: all methods from the thread that made it and its fibers; the driving methods not from
/// the fibers. The clock may be read from any thread.

#include <cstdint>
#include <functional>
#include <memory>

#include <capstan/export.h>
#include <capstan/runtime/runtime.h>

namespace capstan::testing {

class CAPSTAN_EXPORT SimulatedRuntime : public Runtime {
 public:
  explicit SimulatedRuntime(uint64_t seed = 1,
                            WallTime start = WallTime(std::chrono::seconds(1'800'000'000)));
  ~SimulatedRuntime() override;

  const Clock& clock() const override;
  std::unique_ptr<Thread> Start(std::string name, std::function<void()> body) override;
  std::unique_ptr<Condition> NewCondition() override;
  uint64_t Random() override;
  /// Gives every other thread that can run the chance to go first. The driving thread does not give
  /// way.
  void Yield() override;

  /// Runs whatever can run now, until every thread waits.
  void RunUntilIdle();
  /// Moves the clock, firing what falls due on the way in the order of its time, and runs what that
  /// wakes.
  void AdvanceBy(Duration duration);
  /// Advances to the next deadline that a thread waits for. False when there is none.
  bool AdvanceToNextDeadline();
  /// Runs and advances until `done` says so, which is asked whenever all threads wait. False when
  /// `limit` of virtual time has passed first.
  bool RunUntil(const std::function<bool()>& done, Duration limit);
  /// Sets the wall clock without moving the monotonic one.
  void SetWallTime(WallTime now);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::testing
