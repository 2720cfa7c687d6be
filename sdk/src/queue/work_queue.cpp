#include <capstan/queue/work_queue.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "queue/fair_order.h"
#include "queue/name_hash.h"
#include "queue/queue_metrics.h"

namespace capstan {
namespace {

// The minimum time between two attempts of a failing item, however often it is added.
constexpr Duration kBetweenFailures = std::chrono::seconds(10);

// The retry times of an item that failed.
struct Backoff {
  MonotonicTime earliest;  // additions do not bring the next attempt before this
  MonotonicTime due;       // the next attempt without additions
};

// An item that needs work. It is not in `ready` while a worker processes it.
struct Wanted : FairOrder::Place {
  MonotonicTime added;
  const NamespacedName* item = nullptr;  // the key of the map entry that holds this
};

// An item to be added at a later time. Items with equal times keep the order of their additions.
struct Delayed {
  MonotonicTime ready_at;
  uint64_t sequence;
  NamespacedName item;

  friend bool operator<(const Delayed& a, const Delayed& b) {
    if (a.ready_at != b.ready_at) return a.ready_at < b.ready_at;
    return a.sequence < b.sequence;
  }
};

MonotonicTime After(MonotonicTime now, Duration delay) {
  return delay > MonotonicTime::max() - now ? MonotonicTime::max() : now + delay;
}

}  // namespace

struct WorkQueue::Impl {
  Impl(Runtime& runtime, MetricsRegistry& registry, const MetricLabels& labels,
       std::unique_ptr<RateLimiter> rate_limiter)
      : runtime(runtime),
        limiter(std::move(rate_limiter)),
        metrics(registry, labels),
        condition(runtime.NewCondition()) {}

  void Push(Wanted& wanted) CAPSTAN_REQUIRES(mutex) {
    ready.Push(wanted.item->namespace_, wanted);
    condition->NotifyOne();
  }

  void AddLocked(const NamespacedName& item, MonotonicTime now) CAPSTAN_REQUIRES(mutex) {
    if (shutting_down) return;
    const auto [place, is_new] = dirty.try_emplace(item);
    if (!is_new) return;
    place->second.added = now;
    place->second.item = &place->first;
    metrics.adds.Increment();
    if (!processing.contains(item)) Push(place->second);
  }

  NamespacedName TakeNext(MonotonicTime now) CAPSTAN_REQUIRES(mutex) {
    const auto& wanted = static_cast<const Wanted&>(ready.Pop());
    auto taken = dirty.extract(*wanted.item);
    metrics.queue_duration.Observe(Seconds(now - taken.mapped().added));
    processing.emplace(taken.key(), now);
    return std::move(taken.key());
  }

  // When the pending retry of the item is due; nullopt if no retry is pending.
  std::optional<MonotonicTime> PendingRetry(const NamespacedName& item) {
    const MonotonicTime now = runtime.Now();
    MutexLock lock(mutex);
    const auto known = backoffs.find(item);
    if (known == backoffs.end() || known->second.due <= now) return std::nullopt;
    return known->second.due;
  }

  void BackOff(const NamespacedName& item, const Backoff& backoff) CAPSTAN_REQUIRES(mutex) {
    backoffs[item] = backoff;
    // An item added during the failed attempt is ready no earlier than one added after it.
    const bool added_meanwhile = processing.contains(item) && dirty.erase(item) > 0;
    MonotonicTime next = added_meanwhile ? backoff.earliest : backoff.due;
    const auto known = delayed_items.find(item);
    if (known != delayed_items.end()) {
      next = std::min(next, std::max(known->second->ready_at, backoff.earliest));
      delayed.erase(known->second);
      delayed_items.erase(known);
    }
    Delay(item, next);
  }

  // Whether an addition has to wait. If so, the item is delayed until the earliest permitted time.
  bool HoldBack(const NamespacedName& item, MonotonicTime now) CAPSTAN_REQUIRES(mutex) {
    const auto known = backoffs.find(item);
    if (known == backoffs.end() || known->second.earliest <= now) return false;
    if (processing.contains(item) || dirty.contains(item)) return false;
    Delay(item, known->second.earliest);
    return true;
  }

  void Delay(const NamespacedName& item, MonotonicTime ready_at) CAPSTAN_REQUIRES(mutex) {
    const auto known = delayed_items.find(item);
    if (known != delayed_items.end()) {
      if (known->second->ready_at <= ready_at) return;
      delayed.erase(known->second);
      delayed_items.erase(known);
    }
    const auto place = delayed.insert({ready_at, next_sequence++, item}).first;
    delayed_items.emplace(item, place);
    // Wakes all workers: any of them may be busy when the delay ends, so each waiting worker needs
    // the new time.
    if (place == delayed.begin()) condition->NotifyAll();
  }

  // Adds the items that are due, each as of the time at which it became due.
  void AddDue(MonotonicTime now) CAPSTAN_REQUIRES(mutex) {
    while (!delayed.empty() && delayed.begin()->ready_at <= now) {
      const auto due = delayed.extract(delayed.begin());
      delayed_items.erase(due.value().item);
      AddLocked(due.value().item, due.value().ready_at);
    }
  }

  void DropDelayed() CAPSTAN_REQUIRES(mutex) {
    backoffs.clear();
    delayed_items.clear();
    delayed.clear();
  }

  // The values of the gauges.
  double Depth() {
    MutexLock lock(mutex);
    AddDue(runtime.Now());
    return static_cast<double>(dirty.size());
  }
  double UnfinishedSeconds() {
    const MonotonicTime now = runtime.Now();
    MutexLock lock(mutex);
    double sum = 0;
    for (const auto& [item, started] : processing) sum += Seconds(now - started);
    return std::max(sum, 0.0);
  }
  double LongestRunningSeconds() {
    const MonotonicTime now = runtime.Now();
    MutexLock lock(mutex);
    double longest = 0;
    for (const auto& [item, started] : processing) {
      longest = std::max(longest, Seconds(now - started));
    }
    return longest;
  }

  Runtime& runtime;
  const std::unique_ptr<RateLimiter> limiter;
  const QueueMetrics metrics;
  const std::unique_ptr<Condition> condition;

  Mutex mutex;
  std::unordered_map<NamespacedName, Wanted, NameHash> dirty CAPSTAN_GUARDED_BY(mutex);
  FairOrder ready CAPSTAN_GUARDED_BY(mutex);  // the items of `dirty` that no worker processes
  // The items being processed, with their start times.
  std::unordered_map<NamespacedName, MonotonicTime, NameHash> processing CAPSTAN_GUARDED_BY(mutex);
  std::set<Delayed> delayed CAPSTAN_GUARDED_BY(mutex);
  std::unordered_map<NamespacedName, std::set<Delayed>::iterator, NameHash> delayed_items
      CAPSTAN_GUARDED_BY(mutex);
  std::unordered_map<NamespacedName, Backoff, NameHash> backoffs CAPSTAN_GUARDED_BY(mutex);
  uint64_t next_sequence CAPSTAN_GUARDED_BY(mutex) = 0;
  bool shutting_down CAPSTAN_GUARDED_BY(mutex) = false;
  std::vector<std::shared_ptr<void>> gauges;  // set by the constructor, cleared by the destructor
};

WorkQueue::WorkQueue(std::string name, Runtime& runtime, MetricsRegistry& metrics,
                     std::unique_ptr<RateLimiter> limiter) {
  if (!limiter) limiter = NewDefaultControllerRateLimiter(runtime.clock());
  const MetricLabels labels = {{"name", std::move(name)}};
  impl_ = std::make_shared<Impl>(runtime, metrics, labels, std::move(limiter));
  const std::weak_ptr<Impl> weak = impl_;
  const auto gauge = [&](const char* metric, const char* help, double (Impl::*value)()) {
    impl_->gauges.push_back(metrics.RegisterGaugeFunction(metric, help, labels, [weak, value] {
      const std::shared_ptr<Impl> impl = weak.lock();
      return impl ? (*impl.*value)() : 0;
    }));
  };
  gauge("workqueue_depth", "Current depth of workqueue", &Impl::Depth);
  gauge("workqueue_unfinished_work_seconds",
        "How many seconds of work has done that is in progress and hasn't been observed by "
        "work_duration. Large values indicate stuck threads.",
        &Impl::UnfinishedSeconds);
  gauge("workqueue_longest_running_processor_seconds",
        "How many seconds has the longest running processor for workqueue been running.",
        &Impl::LongestRunningSeconds);
}

WorkQueue::~WorkQueue() { impl_->gauges.clear(); }

void WorkQueue::Add(const NamespacedName& item) {
  const MonotonicTime now = impl_->runtime.Now();
  MutexLock lock(impl_->mutex);
  impl_->AddDue(now);
  if (impl_->shutting_down || impl_->HoldBack(item, now)) return;
  impl_->AddLocked(item, now);
}

void WorkQueue::AddAfter(const NamespacedName& item, Duration delay) {
  const MonotonicTime now = impl_->runtime.Now();
  MutexLock lock(impl_->mutex);
  if (impl_->shutting_down) return;
  impl_->metrics.retries.Increment();
  impl_->AddDue(now);
  if (delay <= Duration::zero()) {
    impl_->AddLocked(item, now);
  } else {
    impl_->Delay(item, After(now, delay));
  }
}

void WorkQueue::AddRateLimited(const NamespacedName& item, Duration at_least) {
  const std::optional<MonotonicTime> pending = impl_->PendingRetry(item);
  const Duration delay = pending ? Duration::zero() : impl_->limiter->When(item);
  const MonotonicTime now = impl_->runtime.Now();
  const MonotonicTime due = std::max(pending.value_or(After(now, delay)), After(now, at_least));
  const Backoff backoff = {std::min(due, After(now, std::max(at_least, kBetweenFailures))), due};
  MutexLock lock(impl_->mutex);
  if (impl_->shutting_down) return;
  impl_->metrics.retries.Increment();
  impl_->AddDue(now);
  impl_->BackOff(item, backoff);
}

void WorkQueue::Forget(const NamespacedName& item) {
  {
    MutexLock lock(impl_->mutex);
    impl_->backoffs.erase(item);
  }
  impl_->limiter->Forget(item);
}

int WorkQueue::NumRequeues(const NamespacedName& item) const {
  return impl_->limiter->NumRequeues(item);
}

std::optional<NamespacedName> WorkQueue::Get() {
  Impl& impl = *impl_;
  MutexLock lock(impl.mutex);
  while (true) {
    const MonotonicTime now = impl.runtime.Now();
    impl.AddDue(now);
    if (!impl.ready.empty()) return impl.TakeNext(now);
    if (impl.shutting_down) return std::nullopt;
    if (impl.delayed.empty()) {
      impl.condition->Wait(impl.mutex);
    } else {
      (void)impl.condition->WaitUntil(impl.mutex, impl.delayed.begin()->ready_at);
    }
  }
}

void WorkQueue::Done(const NamespacedName& item) {
  const MonotonicTime now = impl_->runtime.Now();
  MutexLock lock(impl_->mutex);
  impl_->AddDue(now);  // first: an item being processed is not queued
  const auto work = impl_->processing.extract(item);
  if (work.empty()) return;
  impl_->metrics.work_duration.Observe(Seconds(now - work.mapped()));
  const auto wanted = impl_->dirty.find(item);
  if (wanted != impl_->dirty.end()) impl_->Push(wanted->second);
}

void WorkQueue::ShutDown() {
  MutexLock lock(impl_->mutex);
  impl_->AddDue(impl_->runtime.Now());
  impl_->shutting_down = true;
  impl_->DropDelayed();
  impl_->condition->NotifyAll();
}

void WorkQueue::ShutDownNow() {
  MutexLock lock(impl_->mutex);
  impl_->shutting_down = true;
  impl_->DropDelayed();
  impl_->ready.Clear();
  impl_->dirty.clear();
  impl_->condition->NotifyAll();
}

bool WorkQueue::ShuttingDown() const {
  MutexLock lock(impl_->mutex);
  return impl_->shutting_down;
}

size_t WorkQueue::Length() const {
  MutexLock lock(impl_->mutex);
  impl_->AddDue(impl_->runtime.Now());
  return impl_->ready.size();
}

}  // namespace capstan
