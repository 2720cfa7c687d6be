#pragma once

/// AdaptiveRate: the rate of requests to a server of unknown capacity, per second.
///
/// The rate starts at `qps` and stays between min(qps, 5) and `max_qps`. It changes as follows:
/// - It grows while requests wait for it and the server responds as quickly as usual: it doubles
///   every fifth of a second at first, and grows by 1 % from four fifths of the rate of the last
///   objection on. An objection is forgotten once the rate is a quarter above it.
/// - It falls to 0.7 of itself when the server refuses a request (429, 503 or 504 with
///   Retry-After).
/// - It falls to 0.85 of the throughput of the last fifth of a second when most responses in that
///   time are slow, but to no less than half of itself. A response is slow if it takes 200 ms more
///   than twice the usual time of its kind (read or write). Long responses (lists, watches) are not
///   measured.
///
/// The usual time is learned. It starts with the quickest response of the first fifth of a second,
/// in which a burst may have made the server busy. It follows quicker responses at once and slower
/// ones by 0.8 % every fifth of a second. At the lowest rate, where this client hardly causes the
/// slowness, it follows slower ones by 5 %. A few slow responses among quick ones do not change it.
///
/// A response measures the rate at which its request was sent. So slow responses count for requests
/// sent after the last change, and refusals count for requests sent after the last decrease. A
/// decrease happens at most once every fifth of a second: a burst of refusals is one refusal.
/// (TCP's slow start, congestion avoidance and recovery, RFC 5681; delay as a signal and the
/// delivery rate as a measure, as in BBR.)
///
/// Threads: not synchronised; the owner's lock guards it. It reads no clock.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include <capstan/runtime/clock.h>

namespace capstan {

class AdaptiveRate {
 public:
  enum class Kind : uint8_t { kRead, kWrite, kLong };
  enum class Change : uint8_t { kNone, kGrown, kRefused, kSlow };

  struct Answer {
    MonotonicTime sent;
    MonotonicTime came;
    Kind kind = Kind::kRead;
    bool refused = false;  ///< the server wants fewer requests
  };

  /// Requires 0 < `qps` < `max_qps`.
  AdaptiveRate(double qps, double max_qps);

  double rate() const { return rate_; }
  /// Reports that a request has to wait for the rate.
  void Waited() { waited_ = true; }
  /// Reports a response. Returns whether and why the rate changed.
  Change Answered(const Answer& answer);

 private:
  struct Latency {
    double usual = 0;  // seconds; 0: not known yet
    // Since the last call of Adapt.
    double least = std::numeric_limits<double>::infinity();
    double sum_of_quick = 0;
    size_t quick = 0;
    size_t slow = 0;
  };

  void Count(const Answer& answer);
  Change Adapt(MonotonicTime now);
  void LearnWhatIsUsual(bool is_slow);
  Change Grow(MonotonicTime now);
  Change Shrink(double rate, double objection, MonotonicTime now, Change why);
  void StartOver(MonotonicTime now);

  const double lowest_;
  const double highest_;
  double rate_;
  double objection_ = std::numeric_limits<double>::infinity();
  MonotonicTime changed_ = MonotonicTime::min();
  MonotonicTime shrunk_ = MonotonicTime::min();

  // Since the last call of Adapt.
  bool waited_ = false;
  bool refused_ = false;
  std::optional<MonotonicTime> since_;
  size_t delivered_ = 0;
  std::array<Latency, 2> latencies_;  // of reading and writing
};

}  // namespace capstan
