#include "client/rest/adaptive_rate.h"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace capstan {
namespace {

constexpr double kLowestRate = 5;
constexpr Duration kInterval = std::chrono::milliseconds(200);
constexpr size_t kFewestAnswers = 3;  // required to judge the rate

constexpr double kQuickGrowth = 2;
constexpr double kCarefulGrowth = 1.01;
constexpr double kCarefulFrom = 0.8;      // of the rate at the last objection
constexpr double kForgottenAbove = 1.25;  // times that rate

constexpr double kAfterRefusal = 0.7;
constexpr double kShareOfDelivered = 0.85;
constexpr double kLargestStep = 0.5;

constexpr double kSlowFactor = 2;
// In addition to the factor. It is a fifth of what a changing request may take by the service level
// objectives of Kubernetes.
constexpr double kSlowSeconds = 0.2;
constexpr double kUsualGrowth = 1.008;
constexpr double kUsualGrowthAtLowest = 1.05;

double SecondsBetween(MonotonicTime from, MonotonicTime to) {
  return std::max(0.0, std::chrono::duration<double>(to - from).count());
}

}  // namespace

AdaptiveRate::AdaptiveRate(double qps, double max_qps)
    : lowest_(std::min(qps, kLowestRate)), highest_(max_qps), rate_(qps) {}

AdaptiveRate::Change AdaptiveRate::Answered(const Answer& answer) {
  if (answer.refused) {
    refused_ = true;
    if (answer.sent < shrunk_ || answer.came - kInterval < shrunk_) return Change::kNone;
    return Shrink(rate_ * kAfterRefusal, rate_, answer.came, Change::kRefused);
  }
  if (answer.kind == Kind::kLong) return Change::kNone;
  if (!since_) since_ = answer.came;
  ++delivered_;
  if (answer.sent < changed_) return Change::kNone;
  Count(answer);
  return Adapt(answer.came);
}

void AdaptiveRate::Count(const Answer& answer) {
  const double seconds = SecondsBetween(answer.sent, answer.came);
  Latency& latency = latencies_[answer.kind == Kind::kWrite ? 1 : 0];
  if (latency.usual > 0 && seconds > kSlowFactor * latency.usual + kSlowSeconds) {
    ++latency.slow;
  } else {
    ++latency.quick;
    latency.sum_of_quick += seconds;
    latency.least = std::min(latency.least, seconds);
  }
}

AdaptiveRate::Change AdaptiveRate::Adapt(MonotonicTime now) {
  const size_t slow = latencies_[0].slow + latencies_[1].slow;
  const size_t quick = latencies_[0].quick + latencies_[1].quick;
  if (slow + quick < kFewestAnswers || now - *since_ < kInterval) return Change::kNone;
  const bool is_slow = slow > quick;
  const bool may_grow = waited_ && !refused_;
  const double delivered = static_cast<double>(delivered_) / SecondsBetween(*since_, now);
  LearnWhatIsUsual(is_slow);
  StartOver(now);
  if (is_slow) {
    return Shrink(std::max(rate_ * kLargestStep, delivered * kShareOfDelivered),
                  std::min(rate_, delivered), now, Change::kSlow);
  }
  return may_grow ? Grow(now) : Change::kNone;
}

void AdaptiveRate::LearnWhatIsUsual(bool is_slow) {
  const double growth = rate_ > lowest_ ? kUsualGrowth : kUsualGrowthAtLowest;
  for (Latency& latency : latencies_) {
    if (is_slow && latency.slow > 0) {
      latency.usual *= growth;
    } else if (latency.quick > 0) {
      const double mean = latency.sum_of_quick / static_cast<double>(latency.quick);
      if (latency.usual == 0) {
        latency.usual = latency.least;
      } else if (mean < latency.usual) {
        latency.usual = (latency.usual + mean) / 2;
      } else {
        latency.usual = std::min(mean, latency.usual * growth);
      }
    }
  }
}

AdaptiveRate::Change AdaptiveRate::Grow(MonotonicTime now) {
  if (rate_ > objection_ * kForgottenAbove) {
    objection_ = std::numeric_limits<double>::infinity();
  }
  const double careful = objection_ * kCarefulFrom;
  const double next =
      rate_ < careful ? std::min(rate_ * kQuickGrowth, careful) : rate_ * kCarefulGrowth;
  if (rate_ >= highest_) return Change::kNone;
  rate_ = std::min(next, highest_);
  changed_ = now;
  return Change::kGrown;
}

AdaptiveRate::Change AdaptiveRate::Shrink(double rate, double objection, MonotonicTime now,
                                          Change why) {
  rate = std::max(rate, lowest_);
  if (rate >= rate_) return Change::kNone;
  rate_ = rate;
  objection_ = objection;
  changed_ = shrunk_ = now;
  StartOver(now);
  return why;
}

void AdaptiveRate::StartOver(MonotonicTime now) {
  since_ = now;
  delivered_ = 0;
  waited_ = refused_ = false;
  for (Latency& latency : latencies_) latency = {.usual = latency.usual};
}

}  // namespace capstan
