#pragma once

/// HostedPlugin: the host side of a PluginContext. It is for programs that run plugins, such as the
/// manager and FakeCluster. Plugins do not need it.
///
///     HostedPlugin plugin("hello-controller", {.client = client, ...});
///     Status status = setup(plugin.context());
///     plugin.informers().Start();
///     for (auto& controller : plugin.TakeControllers()) controller->Start();
///
/// Threads: construct it and call TakeControllers on one thread. The other methods may be called
/// from any thread, also while the plugin registers something. It must outlive the controllers.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/api/scheme.h>
#include <capstan/cache/shared_informer.h>
#include <capstan/client/client.h>
#include <capstan/controller/controller.h>
#include <capstan/controller/explainer.h>
#include <capstan/controller/live_versions.h>
#include <capstan/events/event_recorder.h>
#include <capstan/export.h>
#include <capstan/metrics/metrics.h>
#include <capstan/plugin/plugin_context.h>
#include <capstan/runtime/runtime.h>

namespace capstan {

class CAPSTAN_EXPORT HostedPlugin {
 public:
  /// The dependencies of the plugin. All members except `client` are borrowed and must outlive the
  /// HostedPlugin.
  struct Host {
    Client client;
    SharedInformerFactory& informers;
    EventBroadcaster& events;
    Scheme& scheme;
    Runtime& runtime;
    MetricsRegistry& metrics;
    int concurrent_syncs = 1;
    /// True if another manager may have written until just now. Before the first creation or
    /// deletion for an object, the plugin's client then reads the object's children from the
    /// server, unless `live_versions` shows that the caches are up to date.
    bool confirm_first_writes = false;
    /// Nothing is written, so the caches never show the plugin's writes.
    bool dry_run = false;
    /// The instance id of the objects that this manager reconciles; nullopt: all objects
    /// (capstan/controller/controller.h).
    std::optional<std::string> instance_id = {};
    /// Shared by plugins whose controllers start in the same term of leadership. May be null.
    LiveVersions* live_versions = nullptr;
  };
  struct ExplainedType {
    const TypeDescriptor* type = nullptr;  ///< the type of a resource
    std::shared_ptr<Explainer> explainer;
  };

  HostedPlugin(std::string plugin_name, Host host);
  ~HostedPlugin();
  HostedPlugin(const HostedPlugin&) = delete;
  HostedPlugin& operator=(const HostedPlugin&) = delete;

  /// The argument of the plugin's Setup.
  PluginContext& context() { return *context_; }

  /// The subset of the host's informers that the plugin uses. Its Start passes the fields that the
  /// plugin reads to the informers. A host with several plugins first calls ShareReads on each of
  /// them.
  SharedInformerFactory& informers() const { return context_->informers(); }
  /// InvalidArgument if PluginContext::Reads was given a path that the kind does not have.
  Status CheckReads() const;
  /// Returns the controllers that were registered since the last call.
  std::vector<std::unique_ptr<Controller>> TakeControllers();
  /// The explainers given to PluginContext::ExplainWith.
  std::vector<ExplainedType> Explainers() const;
  /// The pages given to PluginContext::AddPage, by path.
  std::map<std::string, PageFunction> Pages() const;
  /// The checks given to PluginContext::AddHealthCheck, by name.
  std::map<std::string, std::function<Status()>> HealthChecks() const;

 private:
  const std::unique_ptr<PluginContext> context_;
};

/// Returns the page for `path`, or else the page with the longest prefix of `path` that ends in
/// '/', or else null.
CAPSTAN_EXPORT const PageFunction* FindPage(const std::map<std::string, PageFunction>& pages,
                                            const std::string& path);

}  // namespace capstan
