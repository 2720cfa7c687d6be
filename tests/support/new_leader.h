#pragma once

// NewLeader: a manager that is a standby with warm caches and then becomes the leader in a
// FakeCluster, as far as plugins can observe it.
//
//     NewLeader leader(cluster);
//     leader.StandBy<ReplicaSet>();
//     leader.faults().SetLagging(true);  // its caches go stale
//     leader.Lead(SetUp, {.confirms = true});
//
// Threads: use from the thread that drives the cluster. Must be destroyed before the cluster.

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <capstan/api/scheme.h>
#include <capstan/cache/shared_informer.h>
#include <capstan/client/client.h>
#include <capstan/controller/controller.h>
#include <capstan/events/event_recorder.h>
#include <capstan/plugin/hosted_plugin.h>
#include <capstan/testing/fake_cluster.h>
#include <capstan/testing/fault_injector.h>
#include <gtest/gtest.h>

namespace capstan::testing {

class NewLeader {
 public:
  struct Options {
    bool confirms = true;
    bool learns_live_versions = false;  // confirms with fewer reads
    int workers = 1;
    std::string name = "test";
  };

  explicit NewLeader(FakeCluster& cluster)
      : cluster_(cluster),
        faults_(std::make_shared<FaultInjector>(TransportOf(cluster), cluster.runtime())),
        client_(Client(faults_, cluster.runtime(), {.qps = 0, .host = "fake"})
                    .WithStop(calls_.get_token())),
        informers_(client_, cluster.runtime(), Duration::zero()),
        events_(client_, cluster.runtime(), "new-leader", metrics_),
        live_versions_(client_, cluster.runtime()) {}
  ~NewLeader() {
    for (const auto& controller : controllers_) controller->RequestStop();
    calls_.request_stop();
    for (const auto& controller : controllers_) {
      EXPECT_TRUE(controller->AwaitStopped(cluster_.runtime().Now() + std::chrono::minutes(1)));
    }
    controllers_.clear();
    informers_.Stop();
    events_.Stop();
  }
  NewLeader(const NewLeader&) = delete;
  NewLeader& operator=(const NewLeader&) = delete;

  // Injects faults between this manager and the cluster's own faults.
  FaultInjector& faults() { return *faults_; }
  SharedInformerFactory& informers() { return informers_; }
  LiveVersions& live_versions() { return live_versions_; }
  // Fills the caches of these types.
  template <ApiObject... T>
  void StandBy() {
    (informers_.InformerFor(DescriptorOf<T>()), ...);
    informers_.Start();
    cluster_.RunUntilIdle();
  }
  // Sets up a plugin and runs its controllers.
  void Lead(const std::function<Status(PluginContext&)>& setup, const Options& options) {
    HostedPlugin::Host host{
        .client = client_.WithUserAgent(options.name),
        .informers = informers_,
        .events = events_,
        .scheme = scheme_,
        .runtime = cluster_.runtime(),
        .metrics = metrics_,
        .concurrent_syncs = options.workers,
        .confirm_first_writes = options.confirms,
        .live_versions = options.learns_live_versions ? &live_versions_ : nullptr};
    auto& plugin =
        plugins_.emplace_back(std::make_unique<HostedPlugin>(options.name, std::move(host)));
    const Status status = setup(plugin->context());
    ASSERT_TRUE(status.ok()) << status.ToString();
    plugin->informers().Start();
    for (auto& controller : plugin->TakeControllers()) {
      controllers_.emplace_back(std::move(controller))->Start();
    }
    cluster_.RunUntilIdle();
  }
  // The number of reconciles with this result: "success", "error", "awaits_own_writes".
  double Reconciles(const std::string& controller, const std::string& result) {
    return metrics_
        .NewCounter("capstan_reconcile_total", "Number of reconciles by controller and result.",
                    {{"controller", controller}, {"result", result}})
        .Value();
  }

 private:
  // The cluster owns the transport.
  static std::shared_ptr<Transport> TransportOf(FakeCluster& cluster) {
    return {std::shared_ptr<void>(), &cluster.faults()};
  }

  FakeCluster& cluster_;
  MetricsRegistry metrics_;
  std::stop_source calls_;
  const std::shared_ptr<FaultInjector> faults_;
  const Client client_;
  Scheme scheme_;
  SharedInformerFactory informers_;
  EventBroadcaster events_;
  LiveVersions live_versions_;
  std::vector<std::unique_ptr<HostedPlugin>> plugins_;
  std::vector<std::unique_ptr<Controller>> controllers_;
};

}  // namespace capstan::testing
