#include <capstan/queue/rate_limiter.h>

#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <utility>

#include "queue/name_hash.h"
#include "queue/token_bucket.h"

namespace capstan {
namespace {

class ItemExponentialRateLimiter final : public RateLimiter {
 public:
  ItemExponentialRateLimiter(Duration base, Duration max) : base_(base), max_(max) {}

  Duration When(const NamespacedName& item) override {
    MutexLock lock(mutex_);
    return DelayAfter(tries_[item]++);
  }
  void Forget(const NamespacedName& item) override {
    MutexLock lock(mutex_);
    tries_.erase(item);
  }
  int NumRequeues(const NamespacedName& item) const override {
    MutexLock lock(mutex_);
    const auto found = tries_.find(item);
    return found == tries_.end() ? 0 : found->second;
  }

 private:
  Duration DelayAfter(int tries) const {
    Duration delay = base_;
    for (int i = 0; i < tries; ++i) {
      if (delay >= max_ / 2) return max_;
      delay *= 2;
    }
    return std::min(delay, max_);
  }

  const Duration base_;
  const Duration max_;
  mutable Mutex mutex_;
  std::unordered_map<NamespacedName, int, NameHash> tries_ CAPSTAN_GUARDED_BY(mutex_);
};

class BucketRateLimiter final : public RateLimiter {
 public:
  BucketRateLimiter(const Clock& clock, double qps, int burst)
      : clock_(clock), bucket_(qps, burst, clock.Monotonic()) {}

  Duration When(const NamespacedName&) override {
    const MonotonicTime now = clock_.Monotonic();
    MutexLock lock(mutex_);
    return bucket_.Reserve(now);
  }
  void Forget(const NamespacedName&) override {}
  int NumRequeues(const NamespacedName&) const override { return 0; }

 private:
  const Clock& clock_;
  Mutex mutex_;
  TokenBucket bucket_ CAPSTAN_GUARDED_BY(mutex_);
};

class MaxOfRateLimiter final : public RateLimiter {
 public:
  MaxOfRateLimiter(std::unique_ptr<RateLimiter> a, std::unique_ptr<RateLimiter> b)
      : a_(std::move(a)), b_(std::move(b)) {}

  Duration When(const NamespacedName& item) override {
    const Duration a = a_->When(item);
    return std::max(a, b_->When(item));
  }
  void Forget(const NamespacedName& item) override {
    a_->Forget(item);
    b_->Forget(item);
  }
  int NumRequeues(const NamespacedName& item) const override {
    return std::max(a_->NumRequeues(item), b_->NumRequeues(item));
  }

 private:
  const std::unique_ptr<RateLimiter> a_, b_;
};

}  // namespace

RateLimiter::~RateLimiter() = default;

std::unique_ptr<RateLimiter> NewItemExponentialRateLimiter(Duration base, Duration max) {
  return std::make_unique<ItemExponentialRateLimiter>(base, max);
}

std::unique_ptr<RateLimiter> NewBucketRateLimiter(const Clock& clock, double qps, int burst) {
  return std::make_unique<BucketRateLimiter>(clock, qps, burst);
}

std::unique_ptr<RateLimiter> NewMaxOfRateLimiter(std::unique_ptr<RateLimiter> a,
                                                 std::unique_ptr<RateLimiter> b) {
  return std::make_unique<MaxOfRateLimiter>(std::move(a), std::move(b));
}

std::unique_ptr<RateLimiter> NewDefaultControllerRateLimiter(const Clock& clock) {
  return NewMaxOfRateLimiter(
      NewItemExponentialRateLimiter(std::chrono::milliseconds(5), std::chrono::seconds(1000)),
      NewBucketRateLimiter(clock, 10, 100));
}

}  // namespace capstan
