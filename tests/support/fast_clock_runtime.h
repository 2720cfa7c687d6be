#pragma once

// FastClockRuntime: system threads with a clock that runs `factor` times as fast. For free-threaded
// tests of code that waits for seconds.
//
// Threads: as any Runtime.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <capstan/runtime/runtime.h>

namespace capstan::testing {

class FastClockRuntime final : public Runtime {
 public:
  explicit FastClockRuntime(int factor) : clock_(factor) {}

  const Clock& clock() const override { return clock_; }
  std::unique_ptr<Thread> Start(std::string name, std::function<void()> body) override {
    return SystemRuntime().Start(std::move(name), std::move(body));
  }
  std::unique_ptr<Condition> NewCondition() override {
    return std::make_unique<HurriedCondition>(clock_);
  }
  uint64_t Random() override { return SystemRuntime().Random(); }

 private:
  class HurriedClock final : public Clock {
   public:
    explicit HurriedClock(int factor) : factor_(factor) {}
    WallTime Now() const override { return wall_start_ + (Monotonic() - start_); }
    MonotonicTime Monotonic() const override {
      return start_ + (SystemRuntime().Now() - start_) * factor_;
    }
    MonotonicTime ToSystem(MonotonicTime time) const { return start_ + (time - start_) / factor_; }

   private:
    const int factor_;
    const MonotonicTime start_ = SystemRuntime().Now();
    const WallTime wall_start_ = SystemRuntime().clock().Now();
  };

  class HurriedCondition final : public Condition {
   public:
    explicit HurriedCondition(const HurriedClock& clock) : clock_(clock) {}
    void Wait(Mutex& mutex) override CAPSTAN_REQUIRES(mutex) { condition_->Wait(mutex); }
    bool WaitUntil(Mutex& mutex, MonotonicTime deadline) override CAPSTAN_REQUIRES(mutex) {
      condition_->WaitUntil(mutex, clock_.ToSystem(deadline));
      return clock_.Monotonic() < deadline;
    }
    void NotifyOne() override { condition_->NotifyOne(); }
    void NotifyAll() override { condition_->NotifyAll(); }

   private:
    const HurriedClock& clock_;
    const std::unique_ptr<Condition> condition_ = SystemRuntime().NewCondition();
  };

  const HurriedClock clock_;
};

}  // namespace capstan::testing
