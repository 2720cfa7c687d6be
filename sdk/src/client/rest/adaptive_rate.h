#pragma once

// AdaptiveRate: how many requests a second a server gets that nobody has measured.
//
// It starts at `qps` and stays between min(qps, 5) and `max_qps`. What moves it:
// - It grows while requests wait for it and the server answers as quickly as usual: by half each
//   half second at first, and by 2 % from four fifths of that rate on at which the server objected
//   last. An objection is forgotten once the rate is a quarter above it.
// - The server refuses (429, 503 or 504 with Retry-After): 0.7 of the rate.
// - Most answers of a half second are slow: 0.85 of what the server managed in that time, but no
//   less than half of the rate. An answer is slow that takes 20 ms more than twice what is usual
//   for its kind, reading or writing. Long answers (lists, watches) tell nothing.
//
// What is usual is learned. It begins with the quickest answer of the first half second, in which a
// burst may have made the server busy. It follows quicker answers at once, and slower ones by 2 %
// each half second. At the lowest rate, where slowness is hardly this client's doing, it follows by
// 5 %. A few slow answers among quick ones teach nothing.
//
// What an answer says is about the rate at which its request was sent. So slow answers count for
// requests that were sent after the last change, and refusals for those sent after the rate was
// lowered last, which happens once in half a second at most: one burst of refusals is one refusal.
// (TCP's slow start, congestion avoidance and recovery, RFC 5681; delay as a signal and the rate of
// delivery as a measure, as in BBR.)
//
// Threads: not synchronised, its owner's lock guards it. It reads no clock.

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
    bool refused = false;  // the server wants fewer requests
  };

  // 0 < `qps` < `max_qps`.
  AdaptiveRate(double qps, double max_qps);

  double rate() const { return rate_; }
  // A request has to wait for the rate.
  void Waited() { waited_ = true; }
  // An answer came; tells whether and why the rate is another now.
  Change Answered(const Answer& answer);

 private:
  struct Latency {
    double usual = 0;  // seconds; 0 = not known yet
    // Since the rate was judged last.
    double least = std::numeric_limits<double>::infinity();
    double sum_of_quick = 0;
    size_t quick = 0;
    size_t slow = 0;
  };

  void Count(const Answer& answer);
  Change Judge(MonotonicTime now);
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

  // Since the rate was judged last.
  bool waited_ = false;
  bool refused_ = false;
  std::optional<MonotonicTime> since_;
  size_t delivered_ = 0;
  std::array<Latency, 2> latencies_;  // of reading and writing
};

}  // namespace capstan
