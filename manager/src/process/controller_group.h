#pragma once

/// ControllerGroup: the plugins of one term, from standing by to the end of leading, and what they
/// share.
///
/// Threads: Select, StartInformers, Start, Stop and Finish from one thread; all others from any.

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
    /// They outlive the group: what it has cached serves the next one.
    std::shared_ptr<SharedInformerFactory> informers;
    /// What a plugin calls the API server with.
    std::function<Result<Client>(const std::string& plugin)> new_plugin_client;
    Client event_client;
    Client explaining_client;
    RestMapper& mapper;
    std::string source_host;  ///< what events name as their source's host
  };
  using Hosts = std::vector<std::shared_ptr<PluginHost>>;

  explicit ControllerGroup(Parts parts);
  ~ControllerGroup();  ///< waits for the workers

  /// Runs these plugins and no others: sets up and starts, as far as the group is, those that are
  /// new, and drains those that are not wanted any more. When one cannot be set up nothing
  /// changes. DeadlineExceeded names a plugin that does not stop: the group cannot be destroyed.
  Status Select(const std::vector<LoadedPlugin>& plugins);
  /// Fills the caches of plugins whose resources the server has; again for those it did not have.
  void StartInformers();
  /// Starts the controllers, one after the other; between two of them `pause` is called, and when
  /// that says no it ends.
  void Start(const std::function<bool()>& pause);
  /// Tells the workers to finish and waits for them, at most for the shutdown time-out; then
  /// cancels the calls they are in. False when one of them does not come back even so: the group
  /// cannot be destroyed.
  bool Stop();
  /// Writes the events that are left, for at most `grace`.
  void Finish(Duration grace);

  bool HasSynced() const;
  Hosts hosts() const;
  /// Asks the plugin that knows `kind` ("deployment", "deployments.apps") about one object, or all
  /// plugins about all objects. ServiceUnavailable until the caches are filled; InvalidArgument
  /// for a kind that nobody explains.
  Result<ExplainedObject> Explain(std::string_view kind, const NamespacedName& name) const;
  Result<std::vector<ExplainedObject>> Unsettled() const;
  /// From now on every call of a plugin to the API server ends with Canceled.
  void CancelCalls();

 private:
  Result<std::shared_ptr<PluginHost>> SetUp(const LoadedPlugin& plugin);
  bool StopHosts(const Hosts& hosts) const;
  Status CheckExplains() const;

  const Parts parts_;
  std::stop_source calls_;
  Scheme scheme_;
  EventBroadcaster events_;
  const Client explaining_client_;
  bool informing_ = false;  // these two: of the thread that starts
  bool leading_ = false;

  mutable Mutex mutex_;
  Hosts hosts_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::manager
