#pragma once

/// PluginHost: runs one plugin for one term, from its Setup until its last worker has finished.
///
/// Threads: SetUp, ShareReads, StartInformers, StartControllers, RequestStop and AwaitStopped must
/// be called from one thread. All other methods may be called from any thread.

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/api/scheme.h>
#include <capstan/cache/shared_informer.h>
#include <capstan/client/client.h>
#include <capstan/controller/controller.h>
#include <capstan/controller/live_versions.h>
#include <capstan/events/event_recorder.h>
#include <capstan/metrics/metrics.h>
#include <capstan/plugin/hosted_plugin.h>
#include <capstan/runtime/runtime.h>

#include "apiclient/api_discovery.h"
#include "plugins/plugin_loader.h"

namespace capstan::manager {

class PluginHost {
 public:
  /// What all plugins of a term share. The references are borrowed.
  struct Dependencies {
    SharedInformerFactory& informers;
    EventBroadcaster& events;
    Scheme& scheme;
    Runtime& runtime;
    MetricsRegistry& metrics;
  };
  struct Settings {
    int concurrent_syncs = 1;
    /// Shared by plugins that start together. Null: the caches are trusted, as nobody else writes.
    std::shared_ptr<LiveVersions> live_versions = {};
    bool dry_run = false;
    std::string instance_id = {};
  };
  enum class State : uint8_t { kStandby, kMissingResources, kRunning, kStopped };

  /// Calls the plugin's Setup.
  static Result<std::unique_ptr<PluginHost>> SetUp(const LoadedPlugin& plugin, const Client& client,
                                                   const Dependencies& dependencies,
                                                   const Settings& settings);
  ~PluginHost();  ///< waits for the workers

  const std::string& name() const { return name_; }
  State state() const;
  /// The resources that the plugin needs and the server does not have, "widgets.example.dev/v1".
  std::vector<std::string> MissingResources() const;
  /// Whether its caches are filled. Also true while resources are missing, because the caches are
  /// not filled then.
  bool HasSynced() const;

  /// Tells the informers which fields this plugin reads.
  void ShareReads() { informers().ShareReads(); }
  /// Starts the informers, unless a resource is missing. Logs the missing resources when they have
  /// changed. Must be called again to notice resources that have appeared. If discovery fails, the
  /// resources count as present, and the informers keep trying.
  void StartInformers(RestMapper& mapper);
  /// Starts the controllers, if the informers are started and the controllers are not.
  void StartControllers();

  /// Tells the workers to finish; returns at once.
  void RequestStop();
  /// Waits for the workers. Returns false if one is still busy at `deadline`.
  bool AwaitStopped(MonotonicTime deadline);
  /// Cancels all calls of this plugin to the API server, now and later.
  void CancelCalls() { calls_.request_stop(); }

  const std::vector<std::unique_ptr<Controller>>& controllers() const { return controllers_; }
  /// What the Setup of the plugin has registered.
  const HostedPlugin& plugin() const { return plugin_; }
  /// Why the plugin makes no progress, or "". It is stuck when all workers of a controller have
  /// each been in one reconcile for longer than `limit`, or when the caches are not filled within
  /// `limit` of the start.
  std::string StuckFor(Duration limit) const;

 private:
  PluginHost(const LoadedPlugin& plugin, const Client& client, const Dependencies& dependencies,
             const Settings& settings);
  void SetState(State state);
  SharedInformerFactory& informers() const { return plugin_.informers(); }

  const std::string name_;
  Runtime& runtime_;
  const Gauge running_;
  std::stop_source calls_;
  const std::shared_ptr<LiveVersions> live_versions_;  // may be null
  HostedPlugin plugin_;
  std::vector<std::unique_ptr<Controller>> controllers_;  // set by SetUp

  mutable Mutex mutex_;
  State state_ CAPSTAN_GUARDED_BY(mutex_) = State::kStandby;
  bool informing_ CAPSTAN_GUARDED_BY(mutex_) = false;
  MonotonicTime started_ CAPSTAN_GUARDED_BY(mutex_){};
  std::vector<std::string> missing_ CAPSTAN_GUARDED_BY(mutex_);
};

/// "standby", "missing resources", "running" or "stopped".
std::string_view ToText(PluginHost::State state);

}  // namespace capstan::manager
