#pragma once

/// ControllerGroup: all that runs only while this process leads: informers, events and the plugins'
/// controllers.
///
/// Threads: SetUp, Start and Stop from one thread; all others from any.

#include <atomic>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/api/scheme.h>
#include <capstan/cache/shared_informer.h>
#include <capstan/client/client.h>
#include <capstan/controller/controller.h>
#include <capstan/events/event_recorder.h>
#include <capstan/metrics/metrics.h>
#include <capstan/plugin/plugin_context.h>
#include <capstan/runtime/runtime.h>

#include "options.h"
#include "plugin_loader.h"

namespace capstan::manager {

class ControllerGroup {
 public:
  struct Server {
    std::shared_ptr<Transport> transport;
    std::string host;  ///< "host:port", for metrics
  };

  /// `source_host` is what events name as their source's host. References are borrowed.
  ControllerGroup(const Options& options, Server server, Runtime& runtime, MetricsRegistry& metrics,
                  const std::string& source_host);
  ~ControllerGroup();  ///< waits for the workers

  /// Calls the plugins' Setup. The first error ends it.
  Status SetUp(const std::vector<LoadedPlugin>& plugins);
  void Start();
  /// Tells the workers to finish and waits for them, at most for `grace`; then cancels the calls
  /// they are in. False when one of them does not come back even so: the group can not be
  /// destroyed.
  bool Stop(Duration grace);

  bool HasSynced() const { return informers_.HasSynced(); }
  /// Asks the plugin that knows `kind` ("deployment", "deployments.apps") about one object, or all
  /// plugins about all objects. ServiceUnavailable until the caches are filled; InvalidArgument
  /// for a kind that nobody explains.
  Result<ExplainedObject> Explain(std::string_view kind, const NamespacedName& name) const;
  Result<std::vector<ExplainedObject>> Unsettled() const;
  /// From now on every call of a plugin to the API server ends with Canceled.
  void CancelCalls() { calls_.request_stop(); }

 private:
  struct Plugin {
    std::string name;
    std::unique_ptr<PluginContext> context;
    std::vector<std::unique_ptr<Controller>> controllers;
  };

  Client NewClient() const;
  Client NewExplainingClient() const;
  Status CheckExplains() const;
  Gauge RunningGauge(const std::string& plugin) const;
  bool AwaitControllers(MonotonicTime deadline);

  const Options& options_;
  const Server server_;
  Runtime& runtime_;
  MetricsRegistry& metrics_;
  std::stop_source calls_;
  Scheme scheme_;
  EventBroadcaster events_;
  SharedInformerFactory informers_;
  const Client explaining_client_;
  std::vector<Plugin> plugins_;
  std::atomic<bool> started_ = false;  // from then on plugins_ stays as it is
};

}  // namespace capstan::manager
