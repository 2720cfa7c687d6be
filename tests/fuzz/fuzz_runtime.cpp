#include "fuzz_runtime.h"

#include <algorithm>
#include <utility>

namespace capstan::fuzz {
namespace {

class SkippingClock : public Clock {
 public:
  WallTime Now() const override { return WallTime(std::chrono::seconds(1'800'000'000)) + passed_; }
  MonotonicTime Monotonic() const override { return MonotonicTime(passed_); }
  void SkipTo(MonotonicTime time) { passed_ = std::max(passed_, time.time_since_epoch()); }
  void Skip(Duration by) { passed_ += by; }

 private:
  Duration passed_{};
};

class SkippingCondition : public Condition {
 public:
  explicit SkippingCondition(SkippingClock& clock) : clock_(clock) {}
  void Wait(Mutex& /*mutex*/) override { clock_.Skip(std::chrono::seconds(1)); }
  bool WaitUntil(Mutex& /*mutex*/, MonotonicTime deadline) override {
    clock_.SkipTo(deadline);
    return false;
  }
  void NotifyOne() override {}
  void NotifyAll() override {}

 private:
  SkippingClock& clock_;
};

class FuzzRuntime : public Runtime {
 public:
  const Clock& clock() const override { return clock_; }
  std::unique_ptr<Thread> Start(std::string name, std::function<void()> body) override {
    return SystemRuntime().Start(std::move(name), std::move(body));
  }
  std::unique_ptr<Condition> NewCondition() override {
    return std::make_unique<SkippingCondition>(clock_);
  }
  uint64_t Random() override { return random_ = random_ * 6364136223846793005U + 1; }

 private:
  SkippingClock clock_;
  uint64_t random_ = 1;
};

}  // namespace

std::unique_ptr<Runtime> NewFuzzRuntime() { return std::make_unique<FuzzRuntime>(); }

}  // namespace capstan::fuzz
