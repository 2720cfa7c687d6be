#pragma once

/// SimulatedRuntime: a Runtime for tests. The same seed replays the same interleaving, and time
/// moves only when the test advances it.
///
/// Threads of the code under test run as fibers on the driving thread. A fiber yields to another
/// only where it waits, joins, yields or ends. A started or woken fiber becomes ready, and the seed
/// decides which ready fiber runs next. The driving thread runs the fibers with RunUntilIdle and
/// AdvanceBy, and runs itself only while all of them wait. When the driving thread waits or joins,
/// the fibers run. If none can run, the clock moves to the next deadline.
///
/// It ends the process, with a list of the threads, in these cases:
/// - Nothing can ever wake the driving thread.
/// - A Mutex is held across a switch.
/// - The threads never become idle.
/// - It is destroyed before all threads have ended.
/// - A thread other than the driving thread waits, notifies or starts a thread.
///
/// A test may end while threads still wait if their owners stop and join them: Join runs the other
/// threads.
///
/// Threads: call all methods from the thread that constructed it or from its fibers, and the
/// driving methods not from fibers. The clock may be read from any thread.

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
  /// Lets every other ready thread run first. The driving thread does not yield.
  void Yield() override;

  /// Runs all ready threads until every thread waits.
  void RunUntilIdle();
  /// Advances the clock. Expires the deadlines on the way in the order of their times, and runs the
  /// threads that they wake.
  void AdvanceBy(Duration duration);
  /// Advances to the next deadline of a thread. Returns false if there is none.
  bool AdvanceToNextDeadline();
  /// Runs and advances until `done` returns true. `done` is called whenever all threads wait.
  /// Returns false if `limit` of virtual time passes first.
  bool RunUntil(const std::function<bool()>& done, Duration limit);
  /// Sets the wall clock without advancing the monotonic clock.
  void SetWallTime(WallTime now);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::testing
