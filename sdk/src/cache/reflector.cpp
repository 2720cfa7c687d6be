#include <capstan/cache/reflector.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "cache/backoff.h"
#include "cache/initial_events.h"
#include "client/rest/client_target.h"

#include <capstan/log/log.h>
#include <capstan/metrics/metrics.h>
#include <capstan/runtime/format.h>
#include <capstan/runtime/mutex.h>

namespace capstan {
namespace {

constexpr int64_t kPageSize = 500;
// The first list by watch is handed to the sink in parts of so many objects.
constexpr size_t kPartSize = 500;
constexpr Duration kShortestWatch = std::chrono::minutes(5);  // jittered, up to twice as long
constexpr Duration kVeryShortWatch = std::chrono::seconds(1);
// After failed lists by watch, lists are requested for this time.
constexpr Duration kListsByRequest = std::chrono::minutes(10);
constexpr int kFailuresOfWatchLists = 2;  // in a row

// Whether the server cannot read at this version: it no longer has it, or does not have it yet.
bool IsUnavailableVersion(const Status& status) {
  return status.IsGone() || status.HasCause("ResourceVersionTooLarge");
}

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

  // A watch, and what it has received.
  struct Watching {
    explicit Watching(const std::stop_token& cycle_stop)
        : on_stop(cycle_stop, [this] {
            std::stop_source source = stop;  // may outlive this object
            source.request_stop();
          }) {}
    std::stop_source stop;
    std::stop_callback<std::function<void()>> on_stop;
    std::unique_ptr<WatchStream> stream;
    MonotonicTime begin;
    size_t events = 0;
  };

  // All objects of a list, of one page or more.
  struct Listed {
    std::vector<ObjectPtr> objects;
    std::vector<NamespacedName> malformed;
    std::string version;
  };

  std::stop_source BeginCycle(FieldSet& cycle_fields);
  // Lists and watches until the watch cannot resume, then backs off.
  void RunCycle(const Cycle& cycle, Backoff& backoff);
  // Lists by watch, or else by request. `watching` is the watch of a list by watch.
  Status List(const Cycle& cycle, Watching& watching);
  Status ListByWatch(const Cycle& cycle, Watching& watching);
  Status ReceiveInitialEvents(const Cycle& cycle, Watching& watching, InitialEventsTimer& timer);
  Status ListByRequest(const Cycle& cycle);
  Result<Listed> RequestList(const Cycle& cycle);
  void Replace(const Cycle& cycle, Listed listed);
  // Ends a first list of which the sink has parts.
  void EndFirstList(const Cycle& cycle, InitialObjects rest, std::string version);
  void NoteList(const std::string& version);
  // Watches on `watching`, or from the last version if it has no stream.
  Status Watch(const Cycle& cycle, Watching& watching, Backoff& backoff);
  Status Open(const Cycle& cycle, Watching& watching, bool send_initial_events);
  Status Receive(Watching& watching);
  void Take(WatchEvent event);
  void Apply(WatchEvent event, const std::string& version = {});
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

  // Used by the thread of Run.
  bool sink_is_new = true;           // it has received nothing
  bool version_unavailable = false;  // the server cannot read at last_version
  bool list_is_paged = false;        // also with resourceVersion=0: the server has no watch cache
  int failed_watch_lists = 0;        // in a row
  MonotonicTime watch_list_from;     // the next list by watch is not before this time

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

Status Reflector::Impl::Open(const Cycle& cycle, Watching& watching, bool send_initial_events) {
  WatchOptions options;
  options.fields = cycle.fields;
  options.label_selector = scope.label_selector;
  options.field_selector = scope.field_selector;
  options.send_initial_events = send_initial_events;
  if (!send_initial_events || !version_unavailable) options.resource_version = LastVersion();
  options.timeout = runtime.Jitter(kShortestWatch, 1.0);
  watches.Increment();
  watching.begin = runtime.Now();
  watching.events = 0;
  watching.stream.reset();
  const Client client =
      send_initial_events ? cycle.client.WithStop(watching.stop.get_token()) : cycle.client;
  Result<std::unique_ptr<WatchStream>> stream = client.Watch(type, scope.namespace_, options);
  if (!stream) return stream.status();
  watching.stream = std::move(*stream);
  return Status::Ok();
}

void Reflector::Impl::NoteList(const std::string& version) {
  version_unavailable = sink_is_new = false;
  MutexLock lock(mutex);
  last_version = version;
}

void Reflector::Impl::Replace(const Cycle& cycle, Listed listed) {
  NoteList(listed.version);
  const size_t count = listed.objects.size();
  sink.Replace(std::move(listed.objects), listed.malformed, std::move(listed.version),
               cycle.fields);
  LogV(2, "Caches populated", {{"type", resource}, {"objects", count}});
}

void Reflector::Impl::EndFirstList(const Cycle& cycle, InitialObjects rest, std::string version) {
  NoteList(version);
  sink.AddListed(std::move(rest.objects));
  for (WatchEvent& change : rest.TakeChanges()) Apply(std::move(change));
  sink.EndFirstList(std::move(version), cycle.fields);
  LogV(2, "Caches populated", {{"type", resource}});
}

Status Reflector::Impl::ReceiveInitialEvents(const Cycle& cycle, Watching& watching,
                                             InitialEventsTimer& timer) {
  InitialObjects initial(type);
  bool in_parts = false;
  while (true) {
    Result<std::optional<WatchEvent>> event = watching.stream->Next();
    if (!event) return event.status();
    if (!*event) {
      return Status(StatusReason::kTransport, "a watch ended before its initial events did");
    }
    // Changes and bookmarks may come for ever from a server that does not know the parameter.
    if ((*event)->type == WatchEvent::Type::kAdded) timer.Progress();
    ++watching.events;
    if ((*event)->initial_events_end) {
      std::string version = std::move((*event)->resource_version);
      if (version.empty()) return Status::Malformed("initial events without a resourceVersion");
      if (in_parts) {
        EndFirstList(cycle, std::move(initial), std::move(version));
        return Status::Ok();
      }
      initial.Finish();
      Replace(cycle, {std::move(initial.objects), std::move(initial.unread), std::move(version)});
      return Status::Ok();
    }
    initial.Take(*std::move(*event));
    // Of the first list nothing can be missing in the store, so it need not be held as a whole.
    if ((in_parts || sink_is_new) && initial.objects.size() == kPartSize) {
      in_parts = true;
      sink_is_new = false;
      sink.AddListed(std::exchange(initial.objects, {}));
    }
  }
}

Status Reflector::Impl::ListByWatch(const Cycle& cycle, Watching& watching) {
  InitialEventsTimer timer(runtime, resource, watching.stop);
  Status status = Open(cycle, watching, true);
  if (status.ok()) {
    timer.Progress();
    status = ReceiveInitialEvents(cycle, watching, timer);
    if (status.IsTransport()) ++failed_watch_lists;
  }
  if (timer.Expired()) {
    failed_watch_lists = kFailuresOfWatchLists;
    status = Status(StatusReason::kDeadlineExceeded, "the initial events of a watch do not come");
  }
  if (status.ok()) {
    failed_watch_lists = 0;
  } else {
    watching.stream.reset();
  }
  return status;
}

Status Reflector::Impl::List(const Cycle& cycle, Watching& watching) {
  LogV(3, "Listing and watching", {{"type", resource}});
  lists.Increment();
  if (runtime.Now() < watch_list_from) return ListByRequest(cycle);
  Status status = ListByWatch(cycle, watching);
  if (IsUnavailableVersion(status) && !std::exchange(version_unavailable, true)) {
    status = ListByWatch(cycle, watching);
  }
  if (status.ok() || cycle.stop.stop_requested()) return status;
  if (failed_watch_lists >= kFailuresOfWatchLists) {
    failed_watch_lists = 0;
    watch_list_from = runtime.Now() + kListsByRequest;
  } else if (status.IsTransport() || status.IsTooManyRequests()) {
    // A list would fail too, or cost a busy server more than the next list by watch.
    return status;
  }
  LogV(4, "No list by watch, falling back to a regular list",
       {{"type", resource}, {"err", status}});
  return ListByRequest(cycle);
}

Status Reflector::Impl::ListByRequest(const Cycle& cycle) {
  Result<Listed> listed = RequestList(cycle);
  if (!listed && IsUnavailableVersion(listed.status()) &&
      !std::exchange(version_unavailable, true)) {
    listed = RequestList(cycle);
  }
  if (!listed) return listed.status();
  Replace(cycle, *std::move(listed));
  return Status::Ok();
}

// As client-go's reflector: the first list may be any state of the server's watch cache, since
// nothing is known yet. Later ones are not older than what was seen. The server serves both from
// its watch cache if they are not paged; it ignores the limit of a list with resourceVersion=0.
// Where it does not have that version, the list is a consistent read in pages.
Result<Reflector::Impl::Listed> Reflector::Impl::RequestList(const Cycle& cycle) {
  std::string version;
  if (!version_unavailable) version = LastVersion();
  if (!version_unavailable && version.empty()) version = "0";
  ListOptions options;
  options.label_selector = scope.label_selector;
  options.field_selector = scope.field_selector;
  options.fields = cycle.fields;
  options.resource_version = version;
  if (version.empty() || version == "0" || list_is_paged) options.limit = kPageSize;
  Listed listed;
  while (true) {
    Result<ObjectList> page = cycle.client.List(type, scope.namespace_, options);
    if (!page) {
      if (!page.status().IsGone() || options.continue_token.empty()) return page.status();
      LogV(2, "The paged list expired, falling back to a full list", {{"type", resource}});
      listed = {};
      options.continue_token.clear();
      options.resource_version = version;
      options.limit = 0;
      continue;
    }
    if (!page->continue_token.empty() && version == "0") list_is_paged = true;
    listed.objects.insert(listed.objects.end(), std::make_move_iterator(page->items.begin()),
                          std::make_move_iterator(page->items.end()));
    listed.malformed.insert(listed.malformed.end(), page->malformed.begin(), page->malformed.end());
    options.continue_token = std::move(page->continue_token);
    options.resource_version.clear();  // the token contains it
    if (!options.continue_token.empty()) continue;
    listed.version = std::move(page->resource_version);
    return listed;
  }
}

// The object of an addition or update is null only in initial events, if it does not decode.
// `version` is that of the event; "" if it is not up to date with all that came before.
void Reflector::Impl::Apply(WatchEvent event, const std::string& version) {
  const bool has_object = event.object != nullptr;
  if (has_object && event.type == WatchEvent::Type::kAdded) {
    sink.Add(std::move(event.object), version);
  } else if (has_object && event.type == WatchEvent::Type::kModified) {
    sink.Update(std::move(event.object), version);
  } else if (has_object && event.type == WatchEvent::Type::kDeleted) {
    sink.Delete(std::move(event.object), version);
  } else {
    if (event.type == WatchEvent::Type::kDeleted) sink.DeleteLastKnown(event.name);
    if (!version.empty()) sink.SetResourceVersion(version);
  }
}

void Reflector::Impl::Take(WatchEvent event) {
  std::string version = std::move(event.resource_version);
  Apply(std::move(event), version);
  if (version.empty()) return;
  MutexLock lock(mutex);
  last_version = std::move(version);
}

Status Reflector::Impl::Receive(Watching& watching) {
  while (true) {
    Result<std::optional<WatchEvent>> event = watching.stream->Next();
    if (!event) return event.status();
    if (!*event) return Status::Ok();
    ++watching.events;
    Take(*std::move(*event));
  }
}

bool Reflector::Impl::WaitAfter(const Status& failure, Backoff& backoff,
                                const std::stop_token& stop) {
  const Duration asked = failure.retry_after().value_or(Duration::zero());
  return runtime.SleepFor(std::max(backoff.Next(), asked), stop);
}

Status Reflector::Impl::Watch(const Cycle& cycle, Watching& watching, Backoff& backoff) {
  while (true) {
    Status end;
    if (!watching.stream) end = Open(cycle, watching, false);
    const bool open = end.ok();
    if (open) end = Receive(watching);
    watching.stream.reset();
    if (cycle.stop.stop_requested()) return Status::Canceled();
    if (!MayResume(end)) return end;
    const Duration lasted = runtime.Now() - watching.begin;
    const bool very_short = open && watching.events == 0 && lasted < kVeryShortWatch;
    if (very_short) short_watches.Increment();
    if (open && !very_short && (end.ok() || end.IsTransport())) {
      LogV(4, "Watch close, resuming",
           {{"type", resource}, {"totalItems", watching.events}, {"err", end.ToString()}});
      continue;
    }
    LogWarning(
        "Watch failed, backing off",
        {{"type", resource},
         {"err", end.ok() ? "very short watch: no events in less than a second" : end.ToString()}});
    if (!WaitAfter(end, backoff, cycle.stop)) return Status::Canceled();
  }
}

void Reflector::Impl::RunCycle(const Cycle& cycle, Backoff& backoff) {
  Watching watching(cycle.stop);
  Status end = List(cycle, watching);
  const bool listed = end.ok();
  if (listed) end = Watch(cycle, watching, backoff);
  if (listed && end.HasCause("ResourceVersionTooLarge")) version_unavailable = true;
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
