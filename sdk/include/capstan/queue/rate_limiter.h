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
  /// How long `item` should wait before it is tried again; counts as one try.
  virtual Duration When(const NamespacedName& item) = 0;
  /// `item` has succeeded, or is given up: its tries are forgotten.
  virtual void Forget(const NamespacedName& item) = 0;
  virtual int NumRequeues(const NamespacedName& item) const = 0;
};

/// base * 2^tries for each item, at most `max`.
CAPSTAN_EXPORT std::unique_ptr<RateLimiter> NewItemExponentialRateLimiter(Duration base,
                                                                          Duration max);
/// A token bucket for all items together: `burst` at once (at least 1), then `qps` a second. Each
/// call of When reserves the next free token. A `qps` of 0 or less: no limit.
CAPSTAN_EXPORT std::unique_ptr<RateLimiter> NewBucketRateLimiter(const Clock& clock, double qps,
                                                                 int burst);
/// The longest that either says.
CAPSTAN_EXPORT std::unique_ptr<RateLimiter> NewMaxOfRateLimiter(std::unique_ptr<RateLimiter> a,
                                                                std::unique_ptr<RateLimiter> b);
/// What controllers use: an item 5 ms to 1000 s, all items 10/s with a burst of 100.
CAPSTAN_EXPORT std::unique_ptr<RateLimiter> NewDefaultControllerRateLimiter(const Clock& clock);

}  // namespace capstan
