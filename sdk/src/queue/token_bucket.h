#pragma once

/// TokenBucket: starts with `burst` tokens, gains `qps` tokens per second and never holds more than
/// `burst`. Without a rate (`qps` <= 0) a token is always available. A reservation may take the
/// bucket below zero and returns how long to wait. (golang.org/x/time/rate)

#include <algorithm>
#include <chrono>

#include <capstan/runtime/clock.h>

namespace capstan {

/// Not synchronised; the owner's lock guards it.
class TokenBucket {
 public:
  TokenBucket(double qps, int burst, MonotonicTime now)
      : qps_(qps), burst_(std::max(burst, 1)), tokens_(burst_), last_(now) {}

  /// Takes a token, possibly a future one, and returns the time until it is available.
  Duration Reserve(MonotonicTime now) {
    if (qps_ <= 0) return Duration::zero();
    Advance(now);
    tokens_ -= 1;
    return TimeToGain(-tokens_);
  }

  /// Takes a token if one is available, besides `keep` others.
  bool TryTake(MonotonicTime now, double keep = 0) {
    if (qps_ <= 0) return true;
    Advance(now);
    if (tokens_ < 1 + keep) return false;
    tokens_ -= 1;
    return true;
  }

  /// The number of tokens; negative after a reservation of future ones.
  double Tokens(MonotonicTime now) {
    Advance(now);
    return tokens_;
  }

  /// The time until TryTake succeeds. `keep` + 1 must not exceed the burst.
  Duration UntilNext(MonotonicTime now, double keep = 0) {
    if (qps_ <= 0) return Duration::zero();
    Advance(now);
    return TimeToGain(1 + keep - tokens_);
  }

  double burst() const { return burst_; }

  /// Changes the rate to `qps` > 0 tokens per second. Saved tokens are kept up to `burst`.
  void SetRate(double qps, double burst, MonotonicTime now) {
    Advance(now);
    qps_ = qps;
    burst_ = std::max(burst, 1.0);
    tokens_ = std::min(tokens_, burst_);
  }

  /// Discards the saved tokens.
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
