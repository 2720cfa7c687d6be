#pragma once

// SuspendableRuntime: one process of a simulation, which can be stopped as by SIGSTOP, or with the
// machine that it is on: its threads do nothing, and the time goes on.
//
// Threads: the fibers of the SimulatedRuntime below it, and who drives that. Nobody may join a
// thread while it is suspended.

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
  // For what waits otherwise than through this Runtime.
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
  // As threads of a simulation stop only where they wait, it is enough that they wait on. A wake-up
  // in between may have been meant for one of them alone, so all are woken at the end.
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
  std::map<uint64_t, SuspendableCondition*> conditions_;  // in the order in which they were made
  uint64_t made_ = 0;
  Mutex mutex_;
  const std::unique_ptr<Condition> continued_;
};

}  // namespace capstan::testing
