#include <capstan/cache/reflector.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "cache/backoff.h"
#include "client/rest/client_target.h"

#include <capstan/log/log.h>
#include <capstan/metrics/metrics.h>
#include <capstan/runtime/format.h>
#include <capstan/runtime/mutex.h>

namespace capstan {
namespace {

constexpr int64_t kPageSize = 500;
constexpr Duration kShortestWatch = std::chrono::minutes(5);  // jittered, up to twice as long
constexpr Duration kVeryShortWatch = std::chrono::seconds(1);

// Whether a watch may resume from the same resourceVersion. Otherwise the objects are listed again.
bool MayResume(const Status& status) {
  switch (status.reason()) {
    case StatusReason::kOk:
    case StatusReason::kTransport:
    case StatusReason::kDeadlineExceeded:
    case StatusReason::kTooManyRequests:
    case StatusReason::kServerTimeout:
    case StatusReason::kServiceUnavailable:
      return true;
    case StatusReason::kTimeout:
      // A server that was restored to an older state never reaches that version.
      return !status.HasCause("ResourceVersionTooLarge");
    default:
      return false;
  }
}

}  // namespace

struct Reflector::Impl {
  Impl(const Client& c, const TypeDescriptor& t, InformerScope s, DeltaFifo& f, Runtime& r,
       Duration resync)
      : client(c),
        type(t),
        scope(std::move(s)),
        sink(f),
        runtime(r),
        resync_period(resync),
        resource(QualifiedResource(t)) {
    const MetricLabels labels = {{"resource", resource}};
    MetricsRegistry& metrics = DefaultMetrics();
    lists = metrics.NewCounter("reflector_lists_total",
                               "Number of lists that reflectors have started.", labels);
    watches = metrics.NewCounter("reflector_watches_total",
                                 "Number of watches that reflectors have started.", labels);
    short_watches = metrics.NewCounter(
        "reflector_short_watches_total",
        "Number of watches that ended within a second without an event.", labels);
  }

  // A list and the watches that follow it, with the same fields.
  struct Cycle {
    Client client;
    FieldSet fields;
    std::stop_token stop;  // also requested when Keep adds fields
  };

  std::stop_source BeginCycle(FieldSet& cycle_fields);
  // Lists and watches until the watch cannot resume, then backs off.
  void RunCycle(const Cycle& cycle, Backoff& backoff);
  Status List(const Cycle& cycle);
  Status WatchFromLastVersion(const Cycle& cycle, Backoff& backoff);
  Status Receive(WatchStream& stream, size_t& events);
  void Take(WatchEvent event);
  bool WaitAfter(const Status& failure, Backoff& backoff, const std::stop_token& stop);
  std::string LastVersion() const {
    MutexLock lock(mutex);
    return last_version;
  }

  const Client client;
  const TypeDescriptor& type;
  const InformerScope scope;
  DeltaFifo& sink;
  Runtime& runtime;
  const Duration resync_period;
  const std::string resource;
  Counter lists, watches, short_watches;

  mutable Mutex mutex;
  std::string last_version CAPSTAN_GUARDED_BY(mutex);
  std::optional<FieldSet> fields CAPSTAN_GUARDED_BY(mutex);
  std::stop_source cycle_stop CAPSTAN_GUARDED_BY(mutex);
};

std::stop_source Reflector::Impl::BeginCycle(FieldSet& cycle_fields) {
  MutexLock lock(mutex);
  cycle_fields = fields.value_or(FieldSet());
  cycle_stop = std::stop_source();
  return cycle_stop;
}

Status Reflector::Impl::List(const Cycle& cycle) {
  LogV(3, "Listing and watching", {{"type", resource}});
  lists.Increment();
  ListOptions options;
  options.label_selector = scope.label_selector;
  options.field_selector = scope.field_selector;
  options.limit = kPageSize;
  options.fields = cycle.fields;
  std::vector<ObjectPtr> objects;
  std::vector<NamespacedName> malformed;
  while (true) {
    Result<ObjectList> page = cycle.client.List(type, scope.namespace_, options);
    if (!page) {
      if (!page.status().IsGone() || options.continue_token.empty()) return page.status();
      LogV(2, "The paged list expired, falling back to a full list", {{"type", resource}});
      objects.clear();
      malformed.clear();
      options.continue_token.clear();
      options.limit = 0;
      continue;
    }
    objects.insert(objects.end(), std::make_move_iterator(page->items.begin()),
                   std::make_move_iterator(page->items.end()));
    malformed.insert(malformed.end(), page->malformed.begin(), page->malformed.end());
    options.continue_token = std::move(page->continue_token);
    if (!options.continue_token.empty()) continue;
    const size_t count = objects.size();
    {
      MutexLock lock(mutex);
      last_version = page->resource_version;
    }
    sink.Replace(std::move(objects), malformed, std::move(page->resource_version), cycle.fields);
    LogV(2, "Caches populated", {{"type", resource}, {"objects", count}});
    return Status::Ok();
  }
}

void Reflector::Impl::Take(WatchEvent event) {
  switch (event.type) {
    case WatchEvent::Type::kAdded:
      sink.Add(std::move(event.object));
      break;
    case WatchEvent::Type::kModified:
      sink.Update(std::move(event.object));
      break;
    case WatchEvent::Type::kDeleted:
      if (event.object) {
        sink.Delete(std::move(event.object));
      } else {
        sink.DeleteLastKnown(event.name);
      }
      break;
    case WatchEvent::Type::kBookmark:
      break;
  }
  if (event.resource_version.empty()) return;
  sink.SetResourceVersion(event.resource_version);
  MutexLock lock(mutex);
  last_version = std::move(event.resource_version);
}

Status Reflector::Impl::Receive(WatchStream& stream, size_t& events) {
  while (true) {
    Result<std::optional<WatchEvent>> event = stream.Next();
    if (!event) return event.status();
    if (!*event) return Status::Ok();
    ++events;
    Take(*std::move(*event));
  }
}

bool Reflector::Impl::WaitAfter(const Status& failure, Backoff& backoff,
                                const std::stop_token& stop) {
  const Duration asked = failure.retry_after().value_or(Duration::zero());
  return runtime.SleepFor(std::max(backoff.Next(), asked), stop);
}

Status Reflector::Impl::WatchFromLastVersion(const Cycle& cycle, Backoff& backoff) {
  WatchOptions options;
  options.fields = cycle.fields;
  options.label_selector = scope.label_selector;
  options.field_selector = scope.field_selector;
  while (true) {
    options.resource_version = LastVersion();
    options.timeout = runtime.Jitter(kShortestWatch, 1.0);
    watches.Increment();
    const MonotonicTime begin = runtime.Now();
    size_t events = 0;
    Result<std::unique_ptr<WatchStream>> stream =
        cycle.client.Watch(type, scope.namespace_, options);
    const bool open = stream.ok();
    Status end = open ? Receive(**stream, events) : stream.status();
    if (cycle.stop.stop_requested()) return Status::Canceled();
    if (!MayResume(end)) return end;
    const Duration lasted = runtime.Now() - begin;
    const bool very_short = open && events == 0 && lasted < kVeryShortWatch;
    if (very_short) short_watches.Increment();
    if (open && !very_short && (end.ok() || end.IsTransport())) {
      LogV(4, "Watch close, resuming",
           {{"type", resource}, {"totalItems", events}, {"err", end.ToString()}});
      continue;
    }
    LogWarning(
        "Watch failed, backing off",
        {{"type", resource},
         {"err", end.ok() ? "very short watch: no events in less than a second" : end.ToString()}});
    if (stream.ok()) stream->reset();
    if (!WaitAfter(end, backoff, cycle.stop)) return Status::Canceled();
  }
}

void Reflector::Impl::RunCycle(const Cycle& cycle, Backoff& backoff) {
  Status end = List(cycle);
  const bool listed = end.ok();
  if (listed) end = WatchFromLastVersion(cycle, backoff);
  if (cycle.stop.stop_requested()) return;
  if (!listed) {
    LogError(end, "Failed to list", {{"type", resource}});
  } else if (end.IsGone()) {
    LogV(4, "Watch closed, listing again", {{"type", resource}, {"err", end}});
  } else {
    LogError(end, "Failed to watch", {{"type", resource}});
  }
  WaitAfter(end, backoff, cycle.stop);
}

Reflector::Reflector(const Client& client, const TypeDescriptor& type, InformerScope scope,
                     DeltaFifo& sink, Runtime& runtime, Duration resync_period)
    : impl_(std::make_unique<Impl>(client, type, std::move(scope), sink, runtime, resync_period)) {}
Reflector::~Reflector() = default;

void Reflector::Run(std::stop_token stop) {
  Impl& impl = *impl_;
  LogV(3, "Starting reflector", {{"type", impl.resource}});
  std::unique_ptr<Thread> resync;
  if (impl.resync_period > Duration::zero()) {
    resync = impl.runtime.Start("resync", [&impl, stop] {
      while (impl.runtime.SleepFor(impl.resync_period, stop)) impl.sink.Resync();
    });
  }
  Backoff backoff(impl.runtime);
  while (!stop.stop_requested()) {
    FieldSet fields;
    std::stop_source cycle_stop = impl.BeginCycle(fields);
    const std::stop_callback stop_cycle(stop, [&cycle_stop] {
      // A copy outlives the cycle: NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
      std::stop_source source = cycle_stop;
      source.request_stop();
    });
    impl.RunCycle({impl.client.WithStop(cycle_stop.get_token()), fields, cycle_stop.get_token()},
                  backoff);
  }
  LogV(3, "Stopping reflector", {{"type", impl.resource}});
}

void Reflector::Keep(const FieldSet& fields) {
  std::stop_source cycle_stop{std::nostopstate};
  {
    MutexLock lock(impl_->mutex);
    const FieldSet all = impl_->fields ? impl_->fields->Union(fields) : fields;
    if (impl_->fields == all) return;
    impl_->fields = all;
    cycle_stop = impl_->cycle_stop;
  }
  cycle_stop.request_stop();
}

std::string Reflector::LastSyncResourceVersion() const { return impl_->LastVersion(); }

}  // namespace capstan
