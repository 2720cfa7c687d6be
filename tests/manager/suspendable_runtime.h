#pragma once

// SuspendableRuntime: one process of a simulation, which can be stopped as by SIGSTOP: its threads
// do nothing, and the time goes on.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <capstan/runtime/runtime.h>

namespace capstan::manager {

class SuspendableRuntime final : public Runtime {
 public:
  explicit SuspendableRuntime(Runtime& base) : base_(base) {}

  void Suspend() { is_suspended_ = true; }
  void Continue() { is_suspended_ = false; }

  const Clock& clock() const override { return base_.clock(); }
  std::unique_ptr<Thread> Start(std::string name, std::function<void()> body) override {
    return base_.Start(std::move(name), std::move(body));
  }
  std::unique_ptr<Condition> NewCondition() override {
    return std::make_unique<SuspendableCondition>(*this);
  }
  uint64_t Random() override { return base_.Random(); }

 private:
  // As threads of a simulation stop only where they wait, it is enough that they wait on.
  class SuspendableCondition final : public Condition {
   public:
    explicit SuspendableCondition(SuspendableRuntime& runtime)
        : runtime_(runtime), condition_(runtime.base_.NewCondition()) {}
    void Wait(Mutex& mutex) override CAPSTAN_REQUIRES(mutex) {
      condition_->Wait(mutex);
      AwaitContinue(mutex);
    }
    bool WaitUntil(Mutex& mutex, MonotonicTime deadline) override CAPSTAN_REQUIRES(mutex) {
      condition_->WaitUntil(mutex, deadline);
      AwaitContinue(mutex);
      return runtime_.Now() < deadline;
    }
    void NotifyOne() override { condition_->NotifyOne(); }
    void NotifyAll() override { condition_->NotifyAll(); }

   private:
    void AwaitContinue(Mutex& mutex) CAPSTAN_REQUIRES(mutex) {
      while (runtime_.is_suspended_) {
        condition_->WaitUntil(mutex, runtime_.Now() + std::chrono::milliseconds(5));
      }
    }

    SuspendableRuntime& runtime_;
    const std::unique_ptr<Condition> condition_;
  };

  Runtime& base_;
  bool is_suspended_ = false;
};

}  // namespace capstan::manager
