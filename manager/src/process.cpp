#include "process.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <capstan/client/client.h>
#include <capstan/log/log.h>

#include "controller_group.h"
#include "health.h"
#include "host_name.h"
#include "http_server.h"
#include "leader_election.h"
#include "mux.h"
#include "why_page.h"

namespace capstan::manager {
namespace {

constexpr Duration kElectionEventGrace = std::chrono::seconds(1);
constexpr Duration kWatchdogTolerance = std::chrono::seconds(20);

/// "10.0.0.1:6443" of "https://10.0.0.1:6443/path".
std::string HostOf(const RestConfig& config) {
  const size_t scheme = config.server.find("://");
  const size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  return config.server.substr(begin, config.server.find('/', begin) - begin);
}

/// A request may take half the renew deadline, so that one that hangs leaves time for a second.
ClientOptions LeaseClientOptions(const Options& options, const RestConfig& config) {
  ClientOptions client;
  client.host = HostOf(config);
  client.qps = options.kube_api_qps;
  client.burst = options.kube_api_burst;
  client.timeout =
      std::max<Duration>(options.leader_election.renew_deadline / 2, std::chrono::seconds(1));
  return client;
}

class Process {
 public:
  Process(const Options& options, const std::vector<LoadedPlugin>& plugins,
          const Surroundings& surroundings)
      : options_(options),
        plugins_(plugins),
        surroundings_(surroundings),
        runtime_(surroundings.runtime),
        changed_(runtime_.NewCondition()) {}

  int Run(const std::stop_token& stop) {
    const Status status = Prepare();
    if (!status.ok()) {
      LogError(status, "Can not start");
      return 1;
    }
    int code = RunTerm(stop);
    while (IsLost() && !stop.stop_requested()) {
      LogError(Status(StatusReason::kTimeout, "another process may lead now"),
               "leaderelection lost, standing by again");
      code = RunTerm(stop);
    }
    if (election_events_) election_events_->Stop(kElectionEventGrace);
    LogInfo("Stopped", {{"code", code}});
    return code;
  }

 private:
  /// From standing by to the end of leading.
  int RunTerm(const std::stop_token& stop) {
    StartElection();
    Await(stop, [this]() CAPSTAN_REQUIRES(mutex_) { return leading_ || outcome_.has_value(); });
    int code = 0;
    if (!stop.stop_requested() && IsLeading()) code = Lead(stop);
    EndElection();
    return code;
  }

  Status Prepare() {
    auto config = ConnectionOf(options_);
    if (!config) return config.status();
    auto transport = surroundings_.new_transport(*config, runtime_);
    if (!transport) return transport.status();
    transport_ = *std::move(transport);
    server_host_ = HostOf(*config);
    if (Status status = PrepareElection(*config); !status.ok()) return status;
    AddPages();
    if (options_.serving.secure_port == 0) return Status::Ok();
    auto server = HttpsServer::Start(options_.serving, mux_);
    if (!server) return server.status();
    server_ = *std::move(server);
    return Status::Ok();
  }

  /// The lease has connections and a rate limit of its own: no load of the controllers' may cost
  /// it.
  Status PrepareElection(const RestConfig& config) {
    const LeaderElectionOptions& election = options_.leader_election;
    if (!election.enabled) return Status::Ok();
    auto transport = surroundings_.new_transport(config, runtime_);
    if (!transport) return transport.status();
    const Client client = Client(std::shared_ptr<Transport>(*std::move(transport)), runtime_,
                                 LeaseClientOptions(options_, config))
                              .WithUserAgent("leader-election");
    election_events_ = std::make_unique<EventBroadcaster>(client, runtime_, HostName());
    LeaderElector::Callbacks callbacks;
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
                             .retry_period = election.retry_period},
        client, runtime_, surroundings_.metrics, election_events_.get(), std::move(callbacks));
    return Status::Ok();
  }

  void AddPages() {
    std::vector<HealthCheck> live;
    if (elector_) {
      live.push_back({"leaderElection", [this] { return elector_->Check(kWatchdogTolerance); }});
    }
    std::vector<HealthCheck> ready = live;
    ready.push_back({"informer-sync", [this] {
                       const auto group = Group();
                       if (!group || group->HasSynced()) return Status::Ok();
                       return Status(StatusReason::kServiceUnavailable, "caches are not filled");
                     }});
    HealthPages health;
    health.Define("healthz", [live] { return live; });
    health.Define("livez", [live] { return live; });
    health.Define("readyz", [ready] { return ready; });
    health.AddTo(mux_);
    health.AddSlisTo(mux_);
    mux_.Handle("/metrics", [this](const ServerRequest&) {
      return ServerResponse{.content_type = "text/plain; version=0.0.4; charset=utf-8",
                            .body = surroundings_.metrics.Serialize()};
    });
    AddWhyPage(mux_, runtime_.clock(),
               {.explain = [this](std::string_view kind,
                                  const NamespacedName& name) -> Result<ExplainedObject> {
                  const auto group = Group();
                  return group ? group->Explain(kind, name) : NotLeading();
                },
                .unsettled = [this]() -> Result<std::vector<ExplainedObject>> {
                  const auto group = Group();
                  return group ? group->Unsettled() : NotLeading();
                }});
  }

  static Status NotLeading() {
    return {StatusReason::kServiceUnavailable,
            "this manager stands by and knows nothing of the objects; ask the one that leads"};
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
      {
        MutexLock lock(mutex_);
        outcome_ = outcome;
        changed_->NotifyAll();
      }
      // Here and not by the main thread, since from this moment on nothing may be written.
      const auto group = Group();
      if (group && outcome == LeaderElector::Outcome::kLost) group->CancelCalls();
    });
  }

  /// Stops trying, or gives the lease back. Nothing but events of the election may follow.
  void EndElection() {
    if (!election_) return;
    election_stop_.request_stop();
    election_->Join();
  }

  int Lead(const std::stop_token& stop) {
    auto group = std::make_shared<ControllerGroup>(
        options_, ControllerGroup::Server{transport_, server_host_}, runtime_,
        surroundings_.metrics, HostName());
    SetGroup(group);
    if (IsLost()) group->CancelCalls();  // it was lost before there was a group to cancel
    const Status status = group->SetUp(plugins_);
    if (status.ok()) {
      if (plugins_.empty()) LogWarning("No controller is enabled, see --controllers");
      if (!IsLost()) group->Start();
      Await(stop, [this]() CAPSTAN_REQUIRES(mutex_) { return outcome_.has_value(); });
    } else {
      LogError(status, "Can not set up a controller");
    }
    if (IsLost()) group->CancelCalls();
    const bool stopped = group->Stop(options_.controller_shutdown_timeout);
    if (!stopped) {
      // The lease is not given back: it runs out by itself, after whatever the worker still does.
      LogError(Status(StatusReason::kDeadlineExceeded, "a worker is still busy"),
               "Exiting at once");
      surroundings_.exit_at_once(1);
    }
    SetGroup(nullptr);
    return status.ok() ? 0 : 1;
  }

  template <class Done>
  void Await(const std::stop_token& stop, Done done) CAPSTAN_EXCLUDES(mutex_) {
    const StopWaker waker(stop, mutex_, *changed_);
    MutexLock lock(mutex_);
    while (!done() && !stop.stop_requested()) changed_->Wait(mutex_);
  }

  bool IsLeading() {
    MutexLock lock(mutex_);
    return leading_ && !outcome_.has_value();
  }
  bool IsLost() {
    MutexLock lock(mutex_);
    return outcome_ == LeaderElector::Outcome::kLost;
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
  const std::vector<LoadedPlugin>& plugins_;
  const Surroundings& surroundings_;
  Runtime& runtime_;
  std::shared_ptr<Transport> transport_;
  std::string server_host_;
  std::unique_ptr<EventBroadcaster> election_events_;
  std::unique_ptr<LeaderElector> elector_;
  std::stop_source election_stop_;

  Mutex mutex_;
  std::unique_ptr<Condition> changed_;
  bool leading_ CAPSTAN_GUARDED_BY(mutex_) = false;
  std::optional<LeaderElector::Outcome> outcome_ CAPSTAN_GUARDED_BY(mutex_);
  // Shared with the pages that look at it.
  std::shared_ptr<ControllerGroup> group_ CAPSTAN_GUARDED_BY(mutex_);

  Mux mux_;
  std::unique_ptr<HttpsServer> server_;
  std::unique_ptr<Thread> election_;
};

}  // namespace

Result<RestConfig> ConnectionOf(const Options& options) {
  if (!options.kubeconfig.empty()) {
    return LoadKubeconfig({.paths = {options.kubeconfig}, .context = {}, .master = options.master});
  }
  if (!options.master.empty()) {
    RestConfig config;
    config.server = options.master;
    return config;
  }
  auto config = InClusterConfig();
  if (config) return config;
  return config.status().WithContext(
      "neither --kubeconfig nor --master is given, and the process does not run in a pod");
}

int Run(const Options& options, const std::vector<LoadedPlugin>& plugins,
        const Surroundings& surroundings, const std::stop_token& stop) {
  return Process(options, plugins, surroundings).Run(stop);
}

}  // namespace capstan::manager
