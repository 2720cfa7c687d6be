#pragma once

/// Rate limiters of a work queue. (client-go util/workqueue default_rate_limiters)
///
/// Threads: all methods may be called from any thread.

#include <memory>

#include <capstan/api/meta_v1.h>
#include <capstan/export.h>
#include <capstan/runtime/runtime.h>

namespace capstan {

class CAPSTAN_EXPORT RateLimiter {
 public:
  virtual ~RateLimiter();
  /// Returns the time that `item` must wait before the next try. Each call counts as a try.
  virtual Duration When(const NamespacedName& item) = 0;
  /// Forgets the tries of `item`, which has succeeded or is given up.
  virtual void Forget(const NamespacedName& item) = 0;
  virtual int NumRequeues(const NamespacedName& item) const = 0;
};

/// The delay is base * 2^tries per item, at most `max`.
CAPSTAN_EXPORT std::unique_ptr<RateLimiter> NewItemExponentialRateLimiter(Duration base,
                                                                          Duration max);
/// A token bucket for all items together: `burst` tokens at once (at least 1), then `qps` per
/// second. Each call of When reserves the next free token. A `qps` of 0 or less means no limit.
CAPSTAN_EXPORT std::unique_ptr<RateLimiter> NewBucketRateLimiter(const Clock& clock, double qps,
                                                                 int burst);
/// The delay is the longer delay of the two limiters.
CAPSTAN_EXPORT std::unique_ptr<RateLimiter> NewMaxOfRateLimiter(std::unique_ptr<RateLimiter> a,
                                                                std::unique_ptr<RateLimiter> b);
/// The default of controllers: 5 ms to 1000 s per item; 10/s with a burst of 100 for all items.
CAPSTAN_EXPORT std::unique_ptr<RateLimiter> NewDefaultControllerRateLimiter(const Clock& clock);

}  // namespace capstan
