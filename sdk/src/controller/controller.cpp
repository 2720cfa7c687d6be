#include <capstan/controller/controller.h>

#include <array>
#include <exception>
#include <optional>
#include <utility>

#include <capstan/log/log.h>
#include <capstan/metrics/metrics.h>
#include <capstan/runtime/mutex.h>

#include "controller/own_writes.h"

namespace capstan {
namespace {

enum class Outcome { kSuccess, kRequeueAfter, kError, kTerminalError, kAwaitsOwnWrites };
constexpr std::array kOutcomeNames = {"success", "requeue_after", "error", "terminal_error",
                                      "awaits_own_writes"};

struct ReconcileMetrics {
  ReconcileMetrics(MetricsRegistry& registry, const std::string& controller)
      : duration(registry.NewHistogram(
            "capstan_reconcile_duration_seconds", "How long a reconcile takes, in seconds.",
            {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 60},
            {{"controller", controller}})),
        active(registry.NewGauge("capstan_active_workers", "Number of workers that are busy.",
                                 {{"controller", controller}})) {
    for (size_t i = 0; i < outcomes.size(); ++i) {
      outcomes[i] = registry.NewCounter("capstan_reconcile_total",
                                        "Number of reconciles by controller and result.",
                                        {{"controller", controller}, {"result", kOutcomeNames[i]}});
    }
  }

  std::array<Counter, kOutcomeNames.size()> outcomes;
  Histogram duration;
  Gauge active;
};

Result<Action> ReconcileSafely(Reconciler& reconciler, const Request& request) {
  try {
    return reconciler.Reconcile(request);
  } catch (const std::exception& error) {
    return Status(StatusReason::kUnknown, std::string("the reconciler threw: ") + error.what());
  } catch (...) {
    return Status(StatusReason::kUnknown,
                  "the reconciler threw an exception that is not a std::exception");
  }
}

}  // namespace

Reconciler::~Reconciler() = default;

struct Controller::Impl {
  void Supervise();
  bool AwaitSync();
  void Work();
  void Process(const NamespacedName& name);
  void Turn(int more_busy);
  void NoteError(const Status& error);
  bool IsForOthers(const NamespacedName& name) const;
  Uid UidOf(const NamespacedName& name) const;
  Outcome Serve(const NamespacedName& name);
  Outcome Conclude(const NamespacedName& name, const Result<Action>& result);

  const std::string name;
  const std::shared_ptr<WorkQueue> queue;
  const std::shared_ptr<Reconciler> reconciler;
  std::vector<Source> sources;
  const int workers;
  Runtime& runtime;
  const ReconcileMetrics metrics;
  const std::shared_ptr<OwnWrites> own_writes;  // may be null
  const std::optional<std::string> instance_id;
  const std::unique_ptr<Condition> changed;
  std::stop_source stop;

  mutable Mutex mutex;
  bool running CAPSTAN_GUARDED_BY(mutex) = false;
  bool started CAPSTAN_GUARDED_BY(mutex) = false;
  int busy CAPSTAN_GUARDED_BY(mutex) = 0;
  MonotonicTime last_turn CAPSTAN_GUARDED_BY(mutex){};  // of the start or end of a reconcile
  std::string last_error CAPSTAN_GUARDED_BY(mutex);
  WallTime last_error_time CAPSTAN_GUARDED_BY(mutex){};
  std::vector<std::shared_ptr<void>> registrations;  // this and `supervisor`: starting thread only
  std::unique_ptr<Thread> supervisor;

  explicit Impl(Options options)
      : name(std::move(options.name)),
        queue(std::move(options.queue)),
        reconciler(std::move(options.reconciler)),
        sources(std::move(options.sources)),
        workers(options.workers),
        runtime(options.runtime),
        metrics(options.metrics, name),
        own_writes(std::move(options.own_writes)),
        instance_id(std::move(options.instance_id)),
        changed(runtime.NewCondition()) {}
};

Controller::Controller(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}

Controller::~Controller() {
  RequestStop();
  impl_->registrations.clear();
  impl_->supervisor.reset();
}

const std::string& Controller::name() const { return impl_->name; }
int Controller::workers() const { return impl_->workers; }

void Controller::Start() {
  if (impl_->supervisor || impl_->stop.stop_requested()) return;
  {
    MutexLock lock(impl_->mutex);
    impl_->running = true;
  }
  if (impl_->own_writes) impl_->own_writes->LearnLiveVersions();
  for (Source& source : impl_->sources) {
    impl_->registrations.push_back(
        source.informer->AddEventHandler(std::exchange(source.handler, {})));
  }
  impl_->supervisor = impl_->runtime.Start(impl_->name, [impl = impl_.get()] {
    impl->Supervise();
    MutexLock lock(impl->mutex);
    impl->running = false;
    impl->changed->NotifyAll();
  });
}

void Controller::RequestStop() {
  impl_->stop.request_stop();
  impl_->queue->ShutDownNow();
}

ControllerState Controller::state() const {
  ControllerState state{.workers = impl_->workers, .queued = impl_->queue->Length()};
  MutexLock lock(impl_->mutex);
  state.started = impl_->started && impl_->running;
  state.busy = impl_->busy;
  if (impl_->busy >= impl_->workers) state.all_busy_since = impl_->last_turn;
  state.last_error = impl_->last_error;
  state.last_error_time = impl_->last_error_time;
  return state;
}

bool Controller::AwaitStopped(MonotonicTime deadline) {
  MutexLock lock(impl_->mutex);
  while (impl_->running) {
    if (!impl_->changed->WaitUntil(impl_->mutex, deadline)) return !impl_->running;
  }
  return true;
}

void Controller::Impl::Supervise() {
  LogInfo("Starting controller", {{"controller", name}});
  if (!AwaitSync()) return;
  LogInfo("Starting workers", {{"controller", name}, {"workers", workers}});
  {
    MutexLock lock(mutex);
    started = true;
  }
  std::vector<std::unique_ptr<Thread>> others;
  for (int i = 1; i < workers; ++i) others.push_back(runtime.Start(name, [this] { Work(); }));
  Work();
  others.clear();
  LogInfo("All workers finished", {{"controller", name}});
}

bool Controller::Impl::AwaitSync() {
  for (const Source& source : sources) {
    if (source.informer->WaitForSync(stop.get_token())) continue;
    LogInfo("Stopped before the caches were synced",
            {{"controller", name}, {"type", source.informer->type().name}});
    return false;
  }
  return true;
}

void Controller::Impl::Work() {
  while (const std::optional<NamespacedName> name_of_next = queue->Get()) {
    if (!stop.stop_requested()) Process(*name_of_next);
    queue->Done(*name_of_next);
  }
}

bool Controller::Impl::IsForOthers(const NamespacedName& request) const {
  if (!instance_id || sources.empty()) return false;
  const SharedInformer& primary = *sources.front().informer;
  const ObjectPtr object = primary.indexer()->Get(request);
  if (!object) return false;
  const StringMap& labels = MetadataOf(primary.type(), object.get()).labels;
  if (instance_id->empty()) return labels.Contains(kInstanceIdLabel);
  return labels.Get(kInstanceIdLabel) != *instance_id;
}

// Empty if the cache does not show the object.
Uid Controller::Impl::UidOf(const NamespacedName& request) const {
  const SharedInformer& primary = *sources.front().informer;
  const ObjectPtr object = primary.indexer()->Get(request);
  return object ? MetadataOf(primary.type(), object.get()).uid : Uid();
}

Outcome Controller::Impl::Serve(const NamespacedName& request) {
  if (IsForOthers(request)) return Conclude(request, Action::AwaitChange());
  const Uid owner = own_writes ? UidOf(request) : Uid();
  if (owner.empty()) return Conclude(request, ReconcileSafely(*reconciler, Request{request}));
  const OwnWrites::Sync sync(*own_writes, owner, request);
  Result<bool> caught_up = own_writes->CaughtUp(owner, request, queue);
  if (!caught_up) return Conclude(request, caught_up.status());
  if (!*caught_up) return Outcome::kAwaitsOwnWrites;
  const Result<Action> result = ReconcileSafely(*reconciler, Request{request});
  if (!sync.HeldBack()) return Conclude(request, result);
  // This is not a failure. Its error, if any, only says that the object must be reconciled again.
  LogV(2, "The cache does not yet show the writes of another manager",
       {{"controller", name}, {"request", request}});
  caught_up = own_writes->CaughtUp(owner, request, queue);
  if (!caught_up) return Conclude(request, caught_up.status());
  if (*caught_up) queue->Add(request);
  return Outcome::kAwaitsOwnWrites;
}

void Controller::Impl::Turn(int more_busy) {
  metrics.active.Add(more_busy);
  MutexLock lock(mutex);
  busy += more_busy;
  last_turn = runtime.Now();
}

void Controller::Impl::NoteError(const Status& error) {
  const WallTime now = runtime.clock().Now();
  MutexLock lock(mutex);
  last_error = error.ToString();
  last_error_time = now;
}

void Controller::Impl::Process(const NamespacedName& request) {
  const MonotonicTime start = runtime.Now();
  Turn(1);
  const Outcome outcome = Serve(request);
  Turn(-1);
  const std::chrono::duration<double> took = runtime.Now() - start;
  metrics.duration.Observe(took.count());
  metrics.outcomes[static_cast<size_t>(outcome)].Increment();
  if (LogEnabled(4)) {
    LogV(4, "Finished reconciling",
         {{"controller", name},
          {"request", request},
          {"result", kOutcomeNames[static_cast<size_t>(outcome)]},
          {"seconds", took.count()}});
  }
}

Outcome Controller::Impl::Conclude(const NamespacedName& request, const Result<Action>& result) {
  if (result) {
    queue->Forget(request);
    const std::optional<Duration> delay = result->requeue_after();
    if (!delay) return Outcome::kSuccess;
    queue->AddAfter(request, *delay);
    return Outcome::kRequeueAfter;
  }
  const Status error = result.status();
  // A stop cancels the reconcile in progress.
  const bool stopping = error.IsCanceled() && stop.stop_requested();
  if (!stopping) NoteError(error);
  if (error.IsTerminal()) {
    LogError(error, "Reconciler error",
             {{"controller", name}, {"request", request}, {"terminal", true}});
    queue->Forget(request);
    return Outcome::kTerminalError;
  }
  if (!stopping) {
    LogError(error, "Reconciler error", {{"controller", name}, {"request", request}});
  }
  queue->AddRateLimited(request, error.retry_after().value_or(Duration::zero()));
  return Outcome::kError;
}

}  // namespace capstan
