#pragma once

/// HostedPlugin: the host's side of a PluginContext. For programs that run plugins, such as the
/// manager and FakeCluster; a plugin needs nothing of it.
///
///     HostedPlugin plugin("hello-controller", {.client = client, ...});
///     Status status = setup(plugin.context());
///     plugin.informers().Start();
///     for (auto& controller : plugin.TakeControllers()) controller->Start();
///
/// Threads: construct it and take the controllers on one thread. The other methods may be called
/// from any thread, also while the plugin registers something. It outlives the controllers.

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
#include <capstan/events/event_recorder.h>
#include <capstan/export.h>
#include <capstan/metrics/metrics.h>
#include <capstan/plugin/plugin_context.h>
#include <capstan/runtime/runtime.h>

namespace capstan {

class CAPSTAN_EXPORT HostedPlugin {
 public:
  /// What the plugin works with. All but `client` is borrowed and outlives the HostedPlugin.
  struct Host {
    Client client;
    SharedInformerFactory& informers;
    EventBroadcaster& events;
    Scheme& scheme;
    Runtime& runtime;
    MetricsRegistry& metrics;
    int concurrent_syncs = 1;
    /// Another manager may have written until just now: before the first creation or deletion for
    /// an object, what there is of its children is read from the server.
    bool confirm_first_writes = false;
    /// Nothing is written, so no cache will ever show it.
    bool dry_run = false;
    /// Which objects are for this manager; nullopt: all (capstan/controller/controller.h).
    std::optional<std::string> instance_id = {};
  };
  struct ExplainedType {
    const TypeDescriptor* type = nullptr;  ///< a resource's
    std::shared_ptr<Explainer> explainer;
  };

  HostedPlugin(std::string plugin_name, Host host);
  ~HostedPlugin();
  HostedPlugin(const HostedPlugin&) = delete;
  HostedPlugin& operator=(const HostedPlugin&) = delete;

  /// For the plugin's Setup.
  PluginContext& context() { return *context_; }

  /// The host's informers, as far as the plugin uses them. Its Start tells them which fields the
  /// plugin reads; a host with several plugins calls ShareReads of all of them first.
  SharedInformerFactory& informers() const { return context_->informers(); }
  /// InvalidArgument when PluginContext::Reads was given a path that the kind does not have.
  Status CheckReads() const;
  /// The controllers that were registered since the last call.
  std::vector<std::unique_ptr<Controller>> TakeControllers();
  /// What PluginContext::ExplainWith was given.
  std::vector<ExplainedType> Explainers() const;
  /// What PluginContext::AddPage was given, by path.
  std::map<std::string, PageFunction> Pages() const;
  /// What PluginContext::AddHealthCheck was given, by name.
  std::map<std::string, std::function<Status()>> HealthChecks() const;

 private:
  const std::unique_ptr<PluginContext> context_;
};

/// The page for `path` itself, else the one with the longest beginning of `path` that ends in '/'.
/// Null when there is none.
CAPSTAN_EXPORT const PageFunction* FindPage(const std::map<std::string, PageFunction>& pages,
                                            const std::string& path);

}  // namespace capstan
