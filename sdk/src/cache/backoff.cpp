#include "cache/backoff.h"

#include <algorithm>

namespace capstan {

Duration Backoff::Next() {
  const MonotonicTime now = runtime_.Now();
  if (last_ && now - *last_ > kForgetAfter) next_ = kFirst;
  last_ = now;
  const Duration delay = next_;
  next_ = std::min(next_ * 2, kLongest);
  return runtime_.Jitter(delay, kJitter);
}

}  // namespace capstan
