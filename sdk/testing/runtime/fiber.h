#pragma once

// Fiber: a stack, and the place where the code on it was left.
//
// One of them stands for the thread itself, the others have stacks of their own. The switch is
// Boost.Context's bare jump: its `fiber` class would unwind whatever is destroyed unfinished by an
// exception, which neither the sanitizers nor noexcept code survive; here every fiber ends by
// itself.
//
// Threads: all fibers that switch to each other belong to one thread.

#include <cstddef>

namespace capstan::testing {

// Memory for a stack with an inaccessible page below it. Stacks are kept for the next one.
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
  // The running thread.
  Fiber();
  // Runs `entry(argument)` when it is switched to first. It must end with FinishInto.
  Fiber(void (*entry)(void* argument), void* argument);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // From this fiber, which runs, to another. Returns when somebody switches back.
  void SwitchTo(Fiber& next);
  // As SwitchTo, for good. The object must live until `next` runs.
  [[noreturn]] void FinishInto(Fiber& next);

 private:
  struct Arrival;
  // What the C++ runtime knows of the exceptions in flight (__cxa_eh_globals).
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
