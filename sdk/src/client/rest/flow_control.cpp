#include "client/rest/flow_control.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

namespace capstan {
namespace {

constexpr Duration kShortestWait = std::chrono::milliseconds(1);

}  // namespace

struct RequestBudget::Waiter : FairOrder::Place {
  explicit Waiter(std::unique_ptr<Condition> c) : changed(std::move(c)) {}
  const std::unique_ptr<Condition> changed;
};

RequestBudget::RequestBudget(Runtime& runtime, double qps, int burst, double max_qps)
    : runtime_(runtime),
      adapts_(qps > 0 && max_qps > qps),
      qps_(std::max(qps, 0.0)),
      burst_(std::max(burst, 1)),
      bucket_(qps, burst, runtime.Now()) {
  if (adapts_) rate_.emplace(qps, max_qps);
}

double RequestBudget::Rate() const {
  MutexLock lock(mutex_);
  return rate_ ? rate_->rate() : qps_;
}

bool RequestBudget::Accept(const std::string& flow, const std::stop_token& stop,
                           std::optional<MonotonicTime> until) {
  if (stop.stop_requested()) return false;
  if (qps_ <= 0) return true;
  return TakeNow() || WaitInLine(flow, stop, until);
}

bool RequestBudget::TakeNow() {
  const MonotonicTime now = runtime_.Now();
  MutexLock lock(mutex_);
  return line_.empty() && bucket_.TryTake(now);
}

std::optional<MonotonicTime> RequestBudget::TakeSpare() {
  if (qps_ <= 0) return std::nullopt;
  const MonotonicTime now = runtime_.Now();
  MutexLock lock(mutex_);
  const double keep = std::floor(bucket_.burst() / 2);
  if (line_.empty() && bucket_.TryTake(now, keep)) return std::nullopt;
  if (rate_) rate_->Waited();
  return now + std::max(bucket_.UntilNext(now, keep), kShortestWait);
}

bool RequestBudget::WaitInLine(const std::string& flow, const std::stop_token& stop,
                               std::optional<MonotonicTime> until) {
  Waiter self(runtime_.NewCondition());
  const StopWaker waker(stop, mutex_, *self.changed);
  MutexLock lock(mutex_);
  line_.Push(flow, self);
  ServeLine();
  while (self.waits() && !stop.stop_requested()) {
    if (rate_) rate_->Waited();
    if (!timer_) timer_ = &self;
    const MonotonicTime now = runtime_.Now();
    if (until && now >= *until) break;
    if (timer_ == &self) {
      const MonotonicTime next = now + bucket_.UntilNext(now);
      (void)self.changed->WaitUntil(mutex_, until ? std::min(next, *until) : next);
      ServeLine();
    } else if (until) {
      (void)self.changed->WaitUntil(mutex_, *until);
    } else {
      self.changed->Wait(mutex_);
    }
  }
  const bool served = !self.waits();
  if (!served) line_.Remove(self);
  if (timer_ == &self) timer_ = nullptr;
  if (!timer_ && !line_.empty()) static_cast<Waiter&>(line_.LongestWaiting()).changed->NotifyOne();
  return served;
}

void RequestBudget::ServeLine() {
  const MonotonicTime now = runtime_.Now();
  while (!line_.empty() && bucket_.TryTake(now)) {
    static_cast<Waiter&>(line_.Pop()).changed->NotifyOne();
  }
}

AdaptiveRate::Change RequestBudget::Answered(const AdaptiveRate::Answer& answer) {
  using Change = AdaptiveRate::Change;
  if (!adapts_) return Change::kNone;
  MutexLock lock(mutex_);
  const Change change = rate_->Answered(answer);
  if (change == Change::kNone) return change;
  bucket_.SetRate(rate_->rate(), burst_ * rate_->rate() / qps_, answer.came);
  if (change != Change::kGrown) bucket_.Empty();
  if (timer_) timer_->changed->NotifyOne();  // the time of the next token has changed
  return change;
}

}  // namespace capstan
