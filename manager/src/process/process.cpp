#include "process/process.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <capstan/client/client.h>
#include <capstan/log/log.h>

#include "apiclient/api_connections.h"
#include "base/io/host_name.h"
#include "config/build_info.h"
#include "election/leader_election.h"
#include "election/lease_fence.h"
#include "process/controller_group.h"
#include "process/manager_server.h"

namespace capstan::manager {
namespace {

constexpr Duration kEventGrace = std::chrono::seconds(2);
constexpr Duration kWatchdogTolerance = std::chrono::seconds(20);
/// How often the discovery cache is reset and stuck workers are detected.
constexpr Duration kLookAgainPeriod = std::chrono::seconds(30);
/// The same as in kube-controller-manager.
constexpr double kStartJitter = 1.0;

/// A period between `shortest` and twice that, so that managers and informers do not resync at the
/// same time.
Duration ResyncPeriod(Runtime& runtime, Duration shortest) { return runtime.Jitter(shortest, 1.0); }

class Process {
 public:
  Process(const Options& options, PluginSelection& plugins, const Dependencies& dependencies)
      : options_(options),
        plugins_(plugins),
        dependencies_(dependencies),
        runtime_(dependencies.runtime),
        changed_(runtime_.NewCondition()),
        selected_(plugins.Get()) {
    plugins_.OnChange([this] {
      MutexLock lock(mutex_);
      selection_changed_ = true;
      changed_->NotifyAll();
    });
  }
  ~Process() { plugins_.OnChange(nullptr); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int Run(const std::stop_token& stop) {
    if (const Status status = Prepare(); !status.ok()) {
      LogError(status, "Cannot start");
      return 1;
    }
    if (!AwaitApiServer(stop)) return 0;
    if (selected_.empty()) LogWarning("No controller is enabled, see --controllers");
    End end = RunTerm(stop);
    while (end == End::kLease) {
      LogError(Status(StatusReason::kTimeout, "another process may lead now"),
               "leaderelection lost, standing by again");
      end = RunTerm(stop);
    }
    if (election_events_) election_events_->Stop(kEventGrace);
    const int code = end == End::kFailure ? 1 : 0;
    LogInfo("Stopped", {{"code", code}});
    return code;
  }

 private:
  /// Why a term ended.
  enum class End { kStop, kLease, kFailure };

  Status Prepare() {
    auto connections =
        ApiConnections::Open(options_, dependencies_.runtime, dependencies_.new_transport);
    if (!connections) return connections.status();
    connections_ = *std::move(connections);
    auto scope = NamespaceInScope(options_, connections_->namespace_name());
    if (!scope) return scope.status();
    namespace_ = *std::move(scope);
    mapper_.emplace(connections_->discovery());
    PrepareElection();
    server_ = std::make_unique<ManagerServer>(options_, dependencies_, *connections_, View());
    return server_->Start();
  }

  /// Waits without a time limit. Returns false if `stop` is triggered first.
  bool AwaitApiServer(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const Status status = AwaitServer(connections_->discovery(), connections_->host(), runtime_,
                                        kServerTimeout, stop);
      {
        MutexLock lock(mutex_);
        server_status_ = status;
      }
      if (status.ok()) return true;
      if (!stop.stop_requested()) LogError(status, "Failed to wait for apiserver being healthy");
    }
    return false;
  }

  void PrepareElection() {
    const LeaderElectionOptions& election = options_.leader_election;
    if (!election.enabled || options_.dry_run) return;
    election_events_ =
        std::make_unique<EventBroadcaster>(connections_->lease(), runtime_, io::HostName());
    LeaderElector::Callbacks callbacks;
    // Called by the election's thread. From this moment on nothing may be written.
    callbacks.on_stopped_leading = [this] {
      const auto group = Group();
      if (group && !election_stop_.stop_requested()) group->CancelCalls();
    };
    callbacks.on_started_leading = [this] {
      MutexLock lock(mutex_);
      leading_ = true;
      changed_->NotifyAll();
    };
    elector_ = std::make_unique<LeaderElector>(
        LeaderElectionConfig{.lease = {election.resource_namespace, election.resource_name},
                             .identity = NewIdentity(runtime_),
                             .lease_duration = election.lease_duration,
                             .renew_deadline = election.renew_deadline,
                             .retry_period = election.retry_period,
                             .coordinated = options_.feature_gates.at("CoordinatedLeaderElection"),
                             .binary_version = ThisBuild().version,
                             .emulation_version = ThisBuild().version},
        connections_->lease(), runtime_, dependencies_.metrics, election_events_.get(),
        std::move(callbacks));
  }

  ManagerView View() {
    ManagerView view{.group = [this] { return Group(); },
                     .is_leading = [this] { return IsLeading(); },
                     .election = {},
                     .api_server = [this] { return ServerStatus(); },
                     .caches = [this] { return CheckSync(); }};
    if (elector_) view.election = [this] { return elector_->Check(kWatchdogTolerance); };
    return view;
  }

  Status ServerStatus() {
    MutexLock lock(mutex_);
    return server_status_;
  }

  /// A standby is ready when it can lead at once. A standby without caches is always ready.
  Status CheckSync() {
    const auto group = Group();
    const bool cold = options_.standby_cache == StandbyCache::kCold && !IsLeading();
    if (group && (cold || group->HasSynced())) return Status::Ok();
    return {StatusReason::kServiceUnavailable, "caches are not filled"};
  }

  /// Runs one term, from standby to the end of leading.
  End RunTerm(const std::stop_token& stop) {
    const auto fence = elector_ ? std::make_shared<LeaseFence>(*elector_, runtime_) : nullptr;
    const auto group = NewGroup(fence);
    trimmed_ = false;
    if (const Status status = group->Select(selected_); !status.ok()) {
      LogError(status, "Cannot set up a controller");
      return End::kFailure;
    }
    SetGroup(group);
    if (options_.standby_cache == StandbyCache::kWarm) group->StartInformers();
    StartElection();
    bool going = ServeUntil(stop, *group, [this]() CAPSTAN_REQUIRES(mutex_) {
      return leading_ || outcome_.has_value();
    });
    if (going && IsLeading()) {
      group->Start([&] { return PauseBetweenStarts(stop); });
      going = ServeUntil(stop, *group,
                         [this]() CAPSTAN_REQUIRES(mutex_) { return outcome_.has_value(); });
    }
    if (HasEnded()) group->CancelCalls();
    if (!group->Stop() || !going) {
      // The lease is not released, because the worker may still write. It expires by itself.
      LogError(Status(StatusReason::kDeadlineExceeded, "a worker is still busy"),
               "Exiting immediately");
      dependencies_.exit_at_once(1);
    }
    EndElection();
    if (fence && !HasEnded()) fence->Open();
    group->Finish(kEventGrace);
    SetGroup(nullptr);
    return stop.stop_requested() ? End::kStop : End::kLease;
  }

  std::shared_ptr<ControllerGroup> NewGroup(const std::shared_ptr<LeaseFence>& fence) {
    if (!informers_ || options_.standby_cache == StandbyCache::kCold) {
      informers_ = std::make_shared<SharedInformerFactory>(
          connections_->informers(), runtime_, ResyncPeriod(runtime_, options_.min_resync_period),
          namespace_);
    }
    const auto fenced = [fence](const Client& client) {
      return fence ? client.WithWriteFence(fence) : client;
    };
    return std::make_shared<ControllerGroup>(ControllerGroup::Parts{
        .options = options_,
        .runtime = runtime_,
        .metrics = dependencies_.metrics,
        .informers = informers_,
        .new_plugin_client = [this, fenced](const std::string& plugin) -> Result<Client> {
          auto client = connections_->ForPlugin(plugin);
          if (!client) return client.status();
          return fenced(*client);
        },
        .informer_client = connections_->informers(),
        .event_client = fenced(connections_->events()),
        .explaining_client = connections_->explaining(),
        .mapper = *mapper_,
        .source_host = io::HostName()});
  }

  void StartElection() {
    {
      MutexLock lock(mutex_);
      leading_ = !elector_;
      outcome_.reset();
    }
    if (!elector_) return;
    election_stop_ = std::stop_source();
    election_ = runtime_.Start("leader-election", [this] {
      const auto outcome = elector_->Run(election_stop_.get_token());
      MutexLock lock(mutex_);
      outcome_ = outcome;
      changed_->NotifyAll();
    });
  }

  /// Stops the election and releases the lease if it is held. Only events may be written after
  /// this.
  void EndElection() {
    if (!election_) return;
    election_stop_.request_stop();
    election_->Join();
  }

  /// Waits for `done`. Meanwhile applies changes of the selected plugins and does the periodic
  /// checks. Returns false if a worker does not stop.
  template <class Done>
  bool ServeUntil(const std::stop_token& stop, ControllerGroup& group, Done done)
      CAPSTAN_EXCLUDES(mutex_) {
    MonotonicTime look_again = runtime_.Now() + kLookAgainPeriod;
    while (true) {
      const bool waited = AwaitUntil(look_again, stop, [&]() CAPSTAN_REQUIRES(mutex_) {
        return selection_changed_ || done();
      });
      if (stop.stop_requested()) return true;
      if (!waited) {
        look_again += kLookAgainPeriod;
        LookAgain(group);
      } else if (!SelectAgain(group)) {
        return false;
      }
      MutexLock lock(mutex_);
      if (done()) return true;
    }
  }

  /// Returns false if `deadline` passes first.
  template <class Done>
  bool AwaitUntil(MonotonicTime deadline, const std::stop_token& stop, Done done)
      CAPSTAN_EXCLUDES(mutex_) {
    const StopWaker waker(stop, mutex_, *changed_);
    MutexLock lock(mutex_);
    while (!done() && !stop.stop_requested()) {
      if (!changed_->WaitUntil(mutex_, deadline)) return done();
    }
    return true;
  }

  bool PauseBetweenStarts(const std::stop_token& stop) {
    if (options_.controller_start_interval <= Duration::zero()) return true;
    const Duration pause = runtime_.Jitter(options_.controller_start_interval, kStartJitter);
    return !AwaitUntil(runtime_.Now() + pause, stop,
                       [this]() CAPSTAN_REQUIRES(mutex_) { return outcome_.has_value(); });
  }

  void LookAgain(ControllerGroup& group) {
    if (!std::exchange(trimmed_, true) && dependencies_.trim_memory) dependencies_.trim_memory();
    mapper_->Reset();
    if (options_.standby_cache == StandbyCache::kWarm || IsLeading()) group.StartInformers();
    if (!IsLeading() || !elector_ || options_.controller_stuck_timeout <= Duration::zero()) return;
    for (const auto& host : group.hosts()) {
      const std::string why = host->StuckFor(options_.controller_stuck_timeout);
      if (why.empty()) continue;
      LogError(Status(StatusReason::kDeadlineExceeded, why), "Releasing the lease");
      return elector_->GiveUp(why);
    }
  }

  /// Returns false if a worker of a deselected controller does not stop.
  bool SelectAgain(ControllerGroup& group) {
    {
      MutexLock lock(mutex_);
      if (!selection_changed_) return true;
      selection_changed_ = false;
    }
    auto plugins = plugins_.Get();
    const Status status = group.Select(plugins);
    if (status.ok()) {
      selected_ = std::move(plugins);
      return true;
    }
    LogError(status, "Cannot change the controllers");
    return status.reason() != StatusReason::kDeadlineExceeded;
  }

  bool IsLeading() {
    MutexLock lock(mutex_);
    return leading_ && !outcome_.has_value();
  }
  /// Whether the term has ended for a reason other than a stop.
  bool HasEnded() {
    MutexLock lock(mutex_);
    return outcome_.has_value() && outcome_ != LeaderElector::Outcome::kStopped;
  }
  std::shared_ptr<ControllerGroup> Group() {
    MutexLock lock(mutex_);
    return group_;
  }
  void SetGroup(std::shared_ptr<ControllerGroup> group) {
    MutexLock lock(mutex_);
    group_.swap(group);
  }

  const Options& options_;
  PluginSelection& plugins_;
  const Dependencies& dependencies_;
  Runtime& runtime_;
  std::unique_ptr<ApiConnections> connections_;
  std::string namespace_;  // of the controlled objects; "" = all
  std::optional<RestMapper> mapper_;
  std::unique_ptr<EventBroadcaster> election_events_;
  std::unique_ptr<LeaderElector> elector_;
  std::shared_ptr<SharedInformerFactory> informers_;
  std::stop_source election_stop_;

  Mutex mutex_;
  std::unique_ptr<Condition> changed_;
  // Used only by the main thread.
  std::vector<LoadedPlugin> selected_;  // those that could be set up
  bool trimmed_ = false;
  bool selection_changed_ CAPSTAN_GUARDED_BY(mutex_) = false;
  bool leading_ CAPSTAN_GUARDED_BY(mutex_) = false;
  std::optional<LeaderElector::Outcome> outcome_ CAPSTAN_GUARDED_BY(mutex_);
  // Shared with the pages that show it.
  std::shared_ptr<ControllerGroup> group_ CAPSTAN_GUARDED_BY(mutex_);
  Status server_status_ CAPSTAN_GUARDED_BY(mutex_);  // of the wait for the API server at the start

  std::unique_ptr<ManagerServer> server_;
  std::unique_ptr<Thread> election_;
};

}  // namespace

int Run(const Options& options, PluginSelection& plugins, const Dependencies& dependencies,
        const std::stop_token& stop) {
  return Process(options, plugins, dependencies).Run(stop);
}

}  // namespace capstan::manager
