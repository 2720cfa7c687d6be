#pragma once

/// SimulatedRuntime: a Runtime for tests, in which one thread runs at a time and time moves only
/// when the test says so.
///
/// Threads that the code under test starts are real, but hand a baton on: a switch happens only
/// where a thread waits, ends or starts, and the seed decides who is next. The test's own thread
/// drives with RunUntilIdle and AdvanceBy, and runs only while all others wait.
///
/// A test that ends while threads still wait is fine as long as their owners stop and join them: a
/// Join drives the others.
///
/// Threads: the driving methods from the thread that made it.

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

  /// Runs whatever can run now, until every thread waits.
  void RunUntilIdle();
  /// Moves the clock, firing what falls due on the way in the order of its time, and runs what that
  /// wakes.
  void AdvanceBy(Duration duration);
  /// Advances to the next deadline that a thread waits for. False when there is none.
  bool AdvanceToNextDeadline();
  /// Runs and advances until `done` says so. False when `limit` of virtual time has passed first.
  bool RunUntil(const std::function<bool()>& done, Duration limit);
  /// Sets the wall clock without moving the monotonic one.
  void SetWallTime(WallTime now);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::testing
