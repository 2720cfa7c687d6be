#include <capstan/controller/write_budget.h>

#include <algorithm>
#include <map>

#include <capstan/runtime/mutex.h>

#include "queue/token_bucket.h"

namespace capstan {
namespace {

// A write that nobody asks for within this time after it is due is forgotten.
constexpr Duration kForgottenAfter = std::chrono::minutes(1);

}  // namespace

struct WriteBudget::Impl {
  // A write that waits.
  struct Waiting {
    uint64_t state = 0;
    MonotonicTime settled;  // if the state does not change until then
    MonotonicTime latest;
    MonotonicTime not_before = {};  // after a failure

    MonotonicTime Due() const { return std::max(std::min(settled, latest), not_before); }
  };

  Impl(const Clock& c, const Options& o)
      : clock(c), options(o), bucket(o.per_second, o.burst, c.Monotonic()) {}

  void Sweep(MonotonicTime now) CAPSTAN_REQUIRES(mutex) {
    if (now < next_sweep) return;
    std::erase_if(waiting, [&](const auto& w) { return w.second.Due() + kForgottenAfter <= now; });
    next_sweep = now + kForgottenAfter;
  }
  // Takes a token. Once there was none, writes wait until the bucket is half full again: a token
  // that is gained under load is not given to whichever object comes first.
  bool MayWriteNow(MonotonicTime now) CAPSTAN_REQUIRES(mutex) {
    const bool taken = bucket.TryTake(now);
    busy = busy ? bucket.Tokens(now) < options.burst / 2.0 : !taken;
    return !busy;
  }

  const Clock& clock;
  const Options options;
  Mutex mutex;
  TokenBucket bucket CAPSTAN_GUARDED_BY(mutex);
  bool busy CAPSTAN_GUARDED_BY(mutex) = false;
  std::map<NamespacedName, Waiting> waiting CAPSTAN_GUARDED_BY(mutex);
  MonotonicTime next_sweep CAPSTAN_GUARDED_BY(mutex);
};

WriteBudget::WriteBudget(const Clock& clock, Options options)
    : impl_(std::make_unique<Impl>(clock, options)) {}
WriteBudget::~WriteBudget() = default;

Duration WriteBudget::WaitFor(const NamespacedName& object, uint64_t state) {
  Impl& impl = *impl_;
  const MonotonicTime now = impl.clock.Monotonic();
  MutexLock lock(impl.mutex);
  impl.Sweep(now);
  auto found = impl.waiting.find(object);
  if (found == impl.waiting.end()) {
    if (impl.MayWriteNow(now)) return Duration::zero();
    const Impl::Waiting waiting{
        .state = state, .settled = now + impl.options.settle, .latest = now + impl.options.wait};
    found = impl.waiting.emplace(object, waiting).first;
  } else if (found->second.state != state) {
    found->second.state = state;
    found->second.settled = now + impl.options.settle;
  }
  const MonotonicTime due = found->second.Due();
  if (due > now) return due - now;
  impl.waiting.erase(found);
  return Duration::zero();
}

Duration WriteBudget::Postpone(const NamespacedName& object) {
  Impl& impl = *impl_;
  const MonotonicTime now = impl.clock.Monotonic();
  const MonotonicTime again = now + impl.options.wait;
  MutexLock lock(impl.mutex);
  impl.waiting[object] = {.state = 0, .settled = again, .latest = again, .not_before = again};
  return impl.options.wait;
}

void WriteBudget::Forget(const NamespacedName& object) {
  MutexLock lock(impl_->mutex);
  impl_->waiting.erase(object);
}

}  // namespace capstan
