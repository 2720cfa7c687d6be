#pragma once

// TokenBucket: `burst` tokens at first, `qps` more a second, never more than `burst`; without a
// rate
// (`qps` <= 0) it never lacks one. A reservation may take it below zero, and then tells how long to
// wait. (golang.org/x/time/rate)

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
    return TimeToGain(-tokens_);
  }

  // Takes a token if there is one.
  bool TryTake(MonotonicTime now) {
    if (qps_ <= 0) return true;
    Advance(now);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }

  // The time until TryTake finds one.
  Duration UntilNext(MonotonicTime now) {
    if (qps_ <= 0) return Duration::zero();
    Advance(now);
    return tokens_ < 1 ? TimeToGain(1 - tokens_) : Duration::zero();
  }

  // From now on `qps` > 0 tokens come in a second. What was saved stays as far as `burst` allows.
  void SetRate(double qps, double burst, MonotonicTime now) {
    Advance(now);
    qps_ = qps;
    burst_ = std::max(burst, 1.0);
    tokens_ = std::min(tokens_, burst_);
  }

  // Gives up what was saved.
  void Empty() { tokens_ = std::min(tokens_, 0.0); }

 private:
  static constexpr int kLongestSeconds = 1'000'000'000;

  Duration TimeToGain(double tokens) const {
    if (tokens <= 0) return Duration::zero();
    const double seconds = tokens / qps_;
    if (seconds >= kLongestSeconds) return std::chrono::seconds(kLongestSeconds);
    return std::chrono::ceil<Duration>(std::chrono::duration<double>(seconds));
  }

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
