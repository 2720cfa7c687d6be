#pragma once

// TokenBucket: `burst` tokens at first, `qps` more a second, never more than `burst`. A reservation
// may take it below zero, and then tells how long to wait. (golang.org/x/time/rate)

#include <algorithm>
#include <chrono>

#include <capstan/runtime/clock.h>

namespace capstan {

// Not synchronised: its owner's lock guards it.
class TokenBucket {
 public:
  TokenBucket(double qps, int burst, MonotonicTime now)
      : qps_(qps), burst_(std::max(burst, 1)), tokens_(burst_), last_(now) {}

  // Takes a token, maybe one of the future; gives the time until it is there.
  Duration Reserve(MonotonicTime now) {
    if (qps_ <= 0) return Duration::zero();
    Advance(now);
    tokens_ -= 1;
    if (tokens_ >= 0) return Duration::zero();
    const double seconds = -tokens_ / qps_;
    if (seconds >= kLongestSeconds) return std::chrono::seconds(kLongestSeconds);
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  }

  // Takes a token if there is one.
  bool TryTake(MonotonicTime now) {
    if (qps_ <= 0) return true;
    Advance(now);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }

 private:
  static constexpr int kLongestSeconds = 1'000'000'000;

  void Advance(MonotonicTime now) {
    if (now <= last_) return;
    const double seconds = std::chrono::duration<double>(now - last_).count();
    tokens_ = std::min(burst_, tokens_ + seconds * qps_);
    last_ = now;
  }

  double qps_;
  double burst_;
  double tokens_;
  MonotonicTime last_;
};

}  // namespace capstan
