#pragma once

/// ControllerGroup: the plugins of one term, from standby to the end of leading, and what they
/// share.
///
/// Threads: Select, StartInformers, Start, Stop and Finish must be called from one thread. All
/// other methods may be called from any thread.

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/api/scheme.h>
#include <capstan/cache/shared_informer.h>
#include <capstan/client/client.h>
#include <capstan/controller/explainer.h>
#include <capstan/events/event_recorder.h>
#include <capstan/metrics/metrics.h>
#include <capstan/runtime/runtime.h>

#include "config/options.h"
#include "process/plugin_host.h"

namespace capstan::manager {

class ControllerGroup {
 public:
  struct Parts {
    const Options& options;
    Runtime& runtime;
    MetricsRegistry& metrics;
    /// Outlives the group, so that the next group can use its caches.
    std::shared_ptr<SharedInformerFactory> informers;
    /// Creates the client with which a plugin calls the API server.
    std::function<Result<Client>(const std::string& plugin)> new_plugin_client;
    Client informer_client;
    Client event_client;
    Client explaining_client;
    RestMapper& mapper;
    std::string source_host;  ///< the source host of events
  };
  using Hosts = std::vector<std::shared_ptr<PluginHost>>;

  explicit ControllerGroup(Parts parts);
  ~ControllerGroup();  ///< waits for the workers

  /// Runs exactly these plugins. New ones are set up, and started as far as the group is started.
  /// Plugins that are no longer selected are stopped. If a plugin cannot be set up, nothing
  /// changes. DeadlineExceeded means that a plugin does not stop. The group cannot be destroyed
  /// then.
  Status Select(const std::vector<LoadedPlugin>& plugins);
  /// Fills the caches of the plugins whose resources the server has. May be called again for
  /// plugins whose resources were missing.
  void StartInformers();
  /// Starts the controllers one after the other. `pause` is called between two of them. If it
  /// returns false, no further ones are started.
  void Start(const std::function<bool()>& pause);
  /// Tells the workers to finish and waits for them, at most for the shutdown timeout. Then cancels
  /// their calls. Returns false if a worker still does not finish. The group cannot be destroyed
  /// then.
  bool Stop();
  /// Writes the remaining events, for at most `grace`.
  void Finish(Duration grace);

  bool HasSynced() const;
  Hosts hosts() const;
  /// Asks the plugin that explains `kind` ("deployment", "deployments.apps") about one object.
  /// Returns ServiceUnavailable until the caches are filled, and InvalidArgument for a kind that no
  /// plugin explains.
  Result<ExplainedObject> Explain(std::string_view kind, const NamespacedName& name) const;
  /// Asks all plugins about all objects. Returns ServiceUnavailable until the caches are filled.
  Result<std::vector<ExplainedObject>> Unsettled() const;
  /// Cancels all calls of the plugins to the API server, now and later.
  void CancelCalls();

 private:
  Result<std::shared_ptr<PluginHost>> SetUp(const LoadedPlugin& plugin,
                                            const std::shared_ptr<LiveVersions>& live_versions);
  bool StopHosts(const Hosts& hosts) const;
  Status CheckExplains() const;

  const Parts parts_;
  std::stop_source calls_;
  Scheme scheme_;
  EventBroadcaster events_;
  const Client explaining_client_;
  bool informing_ = false;  // both are used only by the thread that calls Start
  bool leading_ = false;

  mutable Mutex mutex_;
  Hosts hosts_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::manager
