#pragma once

// SuspendableRuntime: one process of a simulation that can be suspended, as by SIGSTOP or together
// with its machine. Its threads do not run while time advances.
//
// Threads: the fibers of the underlying SimulatedRuntime and the thread that drives it. No thread
// may be joined while it is suspended.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <capstan/runtime/runtime.h>

namespace capstan::testing {

class SuspendableRuntime final : public Runtime {
 public:
  // `base` is borrowed.
  explicit SuspendableRuntime(Runtime& base) : base_(base), continued_(base.NewCondition()) {}

  void Suspend() { is_suspended_ = true; }
  void Continue() {
    is_suspended_ = false;
    continued_->NotifyAll();
    for (const auto& [number, condition] : conditions_) condition->NotifyAll();
  }
  // For code that waits by other means than this Runtime.
  void AwaitContinue() {
    MutexLock lock(mutex_);
    while (is_suspended_) continued_->Wait(mutex_);
  }

  Runtime& base() const { return base_; }
  const Clock& clock() const override { return base_.clock(); }
  std::unique_ptr<Thread> Start(std::string name, std::function<void()> body) override {
    return base_.Start(std::move(name), std::move(body));
  }
  std::unique_ptr<Condition> NewCondition() override {
    return std::make_unique<SuspendableCondition>(*this);
  }
  uint64_t Random() override { return base_.Random(); }
  void Yield() override { base_.Yield(); }

 private:
  // Simulated threads stop only where they wait, so it is sufficient that they keep waiting. A
  // notification in between may have been for only one of them, so Continue() wakes all.
  class SuspendableCondition final : public Condition {
   public:
    explicit SuspendableCondition(SuspendableRuntime& runtime)
        : runtime_(runtime), number_(++runtime.made_), condition_(runtime.base_.NewCondition()) {
      runtime_.conditions_[number_] = this;
    }
    ~SuspendableCondition() override { runtime_.conditions_.erase(number_); }

    void Wait(Mutex& mutex) override CAPSTAN_REQUIRES(mutex) {
      condition_->Wait(mutex);
      while (runtime_.is_suspended_) condition_->Wait(mutex);
    }
    bool WaitUntil(Mutex& mutex, MonotonicTime deadline) override CAPSTAN_REQUIRES(mutex) {
      const bool is_woken = condition_->WaitUntil(mutex, deadline);
      if (!runtime_.is_suspended_) return is_woken;
      while (runtime_.is_suspended_) condition_->Wait(mutex);
      return runtime_.Now() < deadline;
    }
    void NotifyOne() override { condition_->NotifyOne(); }
    void NotifyAll() override { condition_->NotifyAll(); }

   private:
    SuspendableRuntime& runtime_;
    const uint64_t number_;
    const std::unique_ptr<Condition> condition_;
  };

  Runtime& base_;
  bool is_suspended_ = false;
  std::map<uint64_t, SuspendableCondition*> conditions_;  // by creation order
  uint64_t made_ = 0;
  Mutex mutex_;
  const std::unique_ptr<Condition> continued_;
};

}  // namespace capstan::testing
