#include <capstan/controller/status_budget.h>

#include <chrono>
#include <map>

#include <capstan/runtime/mutex.h>

#include "queue/token_bucket.h"

namespace capstan {
namespace {

// A turn that is not used within this time after it is due is dropped.
constexpr Duration kForgottenAfter = std::chrono::minutes(1);

}  // namespace

struct StatusBudget::Impl {
  Impl(const Clock& c, const Options& options)
      : clock(c), wait(options.wait), bucket(options.per_second, options.burst, c.Monotonic()) {}

  const Clock& clock;
  const Duration wait;
  Mutex mutex;
  TokenBucket bucket CAPSTAN_GUARDED_BY(mutex);
  std::map<NamespacedName, MonotonicTime> turns CAPSTAN_GUARDED_BY(mutex);
  MonotonicTime next_sweep CAPSTAN_GUARDED_BY(mutex);
};

StatusBudget::StatusBudget(const Clock& clock, Options options)
    : impl_(std::make_unique<Impl>(clock, options)) {}
StatusBudget::~StatusBudget() = default;

Duration StatusBudget::WaitFor(const NamespacedName& object) {
  Impl& impl = *impl_;
  const MonotonicTime now = impl.clock.Monotonic();
  MutexLock lock(impl.mutex);
  if (now >= impl.next_sweep) {
    std::erase_if(impl.turns, [&](const auto& t) { return t.second + kForgottenAfter <= now; });
    impl.next_sweep = now + kForgottenAfter;
  }
  const auto found = impl.turns.find(object);
  if (found != impl.turns.end()) {
    if (found->second > now) return found->second - now;
    impl.turns.erase(found);
    return Duration::zero();
  }
  if (impl.bucket.TryTake(now)) return Duration::zero();
  impl.turns.emplace(object, now + impl.wait);
  return impl.wait;
}

}  // namespace capstan
