#pragma once

/// Fiber: a stack, and the saved context of the code on it.
///
/// One fiber represents the thread itself; the others have their own stacks. Switches use the raw
/// jump of Boost.Context. Its `fiber` class unwinds unfinished fibers with an exception, which
/// neither the sanitizers nor noexcept code support. Here every fiber finishes by itself.
///
/// Threads: all fibers that switch to each other belong to one thread.

#include <cstddef>

namespace capstan::testing {

/// Memory for a stack, with an inaccessible guard page below it. Released stacks are reused.
class Stack {
 public:
  Stack() = default;
  ~Stack() { Release(); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  void Acquire();
  void Release();
  char* bottom() const { return bottom_; }
  static size_t size();

 private:
  char* bottom_ = nullptr;
};

class Fiber {
 public:
  /// Represents the running thread.
  Fiber();
  /// Runs `entry(argument)` at the first switch to the fiber. The function must end with
  /// FinishInto.
  Fiber(void (*entry)(void* argument), void* argument);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Switches from this running fiber to `next`. Returns when another fiber switches back.
  void SwitchTo(Fiber& next);
  /// Switches to `next` and never returns. The object must live until `next` runs.
  [[noreturn]] void FinishInto(Fiber& next);

 private:
  struct Arrival;
  // The C++ runtime's state of exceptions in flight (__cxa_eh_globals).
  struct Exceptions {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };

  void Leave(bool for_good, Fiber& next);
  void Arrive(Fiber& previous, void* context);
  void Retire();

  void (*const entry_)(void* argument) = nullptr;
  void* const argument_ = nullptr;
  Stack stack_;
  void* context_ = nullptr;
  bool finished_ = false;
  Exceptions exceptions_;

  // For the sanitizers.
  const void* bottom_ = nullptr;
  size_t size_ = 0;
  [[maybe_unused]] void* fake_stack_ = nullptr;
  [[maybe_unused]] void* race_detector_fiber_ = nullptr;
};

}  // namespace capstan::testing
