#include "client/flow_control.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace capstan {

TokenBucket::TokenBucket(Runtime& runtime, double qps, int burst)
    : runtime_(runtime),
      qps_(qps),
      burst_(std::max(1, burst)),
      tokens_(burst_),
      last_(runtime.Now()) {}

Duration TokenBucket::Reserve() {
  using Seconds = std::chrono::duration<double>;
  const MonotonicTime now = runtime_.Now();
  MutexLock lock(mutex_);
  // Callers may get here in another order than they read the clock.
  const double passed = std::max(0.0, Seconds(now - last_).count());
  last_ = std::max(last_, now);
  tokens_ = std::min(burst_, tokens_ + passed * qps_) - 1;
  if (tokens_ >= 0) return Duration::zero();
  return Duration(static_cast<int64_t>(std::ceil(-tokens_ / qps_ * 1e9)));
}

void TokenBucket::GiveBack() {
  MutexLock lock(mutex_);
  tokens_ = std::min(burst_, tokens_ + 1);
}

bool TokenBucket::Accept(const std::stop_token& stop) {
  if (stop.stop_requested()) return false;
  return AcceptBy([&](Duration delay) { return runtime_.SleepFor(delay, stop); });
}

bool TokenBucket::AcceptBy(const std::function<bool(Duration)>& wait) {
  if (qps_ <= 0) return true;
  const Duration delay = Reserve();
  if (delay <= Duration::zero() || wait(delay)) return true;
  GiveBack();
  return false;
}

}  // namespace capstan
