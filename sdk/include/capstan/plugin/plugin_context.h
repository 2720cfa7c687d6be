#pragma once

/// PluginContext: the interface of the manager to a plugin, passed to the plugin's Setup.
///
/// Threads: the manager calls Setup once per leadership term, on one thread, before it starts
/// anything. All workers may use the listers, recorders and clients that Setup creates. The context
/// outlives the plugin's controllers. Hosts of plugins create it with
/// capstan/plugin/hosted_plugin.h.

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/api/scheme.h>
#include <capstan/cache/pending_statuses.h>
#include <capstan/cache/shared_informer.h>
#include <capstan/client/client.h>
#include <capstan/controller/controller.h>
#include <capstan/controller/explainer.h>
#include <capstan/events/event_recorder.h>
#include <capstan/export.h>
#include <capstan/metrics/metrics.h>
#include <capstan/runtime/runtime.h>

namespace capstan {

/// A request for a plugin's page.
struct PageRequest {
  std::string path;  ///< relative to /debug/controllers/<plugin name>/
  std::vector<std::pair<std::string, std::string>> query;
};
struct PageAnswer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body = {};
};
using PageFunction = std::function<PageAnswer(const PageRequest&)>;

class CAPSTAN_EXPORT PluginContext {
 public:
  ~PluginContext();
  PluginContext(const PluginContext&) = delete;
  PluginContext& operator=(const PluginContext&) = delete;

  const std::string& plugin_name() const;
  /// The client for writes, and for reads that must bypass the cache. Controllers read their own
  /// writes if the writes use this client (capstan/controller/controller.h).
  const Client& client() const;
  Runtime& runtime() const;
  const Clock& clock() const { return runtime().clock(); }
  MetricsRegistry& metrics() const;
  Scheme& scheme() const;
  /// The subset of the host's informers that this plugin uses.
  SharedInformerFactory& informers() const;
  /// The number of requests that each controller processes concurrently, by flag or default.
  int concurrent_syncs() const;

  /// Declares the fields of objects of type T that the plugin reads from listers and events. The
  /// plugin reads no other fields. The paths are JSON paths (capstan/api/field_set.h). The metadata
  /// is always included, except the annotations:
  ///
  ///     context.Reads<Pod>({"spec.nodeName", "status.conditions[type=Ready]"});
  ///
  /// The cache of T keeps the union of the fields that plugins read. A plugin that has a lister or
  /// events of T and does not call this method reads all fields of T. Objects that a Client returns
  /// are always complete.
  ///
  /// Call it in Setup, before ControllerBuilder::Run, which reports paths that T does not have.
  template <ApiObject T>
  void Reads(std::initializer_list<std::string_view> paths) {
    Reads(DescriptorOf<T>(), {paths.begin(), paths.size()});
  }
  template <ApiObject T>
  void Reads(std::span<const std::string_view> paths) {
    Reads(DescriptorOf<T>(), paths);
  }
  void Reads(const TypeDescriptor& type, std::span<const std::string_view> paths);

  /// Returns a reader of the shared cache of T. The cache is filled before any controller runs.
  template <ApiObject T>
  Lister<T> ListerFor(InformerScope scope = {}) {
    return informers().template ListerFor<T>(std::move(scope));
  }
  /// Returns a reader of the statuses of T that a controller of this process has calculated and not
  /// written yet.
  template <ApiObject T>
  PendingStatuses<T> PendingStatusesOf(InformerScope scope = {}) {
    return PendingStatuses<T>(
        informers().template InformerFor<T>(std::move(scope)).pending_statuses());
  }
  /// Returns a publisher of such statuses. Destroy it with the controller, i.e. make it a member of
  /// the reconciler.
  template <ApiObject T>
  StatusPublisher<T> NewStatusPublisher(InformerScope scope = {}) {
    return StatusPublisher<T>(
        informers().template InformerFor<T>(std::move(scope)).pending_statuses());
  }
  capstan::EventRecorder EventRecorder(std::string_view component) const;
  ControllerBuilder NewController(std::string name) {
    return ControllerBuilder(*this, std::move(name));
  }
  /// Sets the explainer for objects of type T. A later call replaces it.
  template <ApiObject T>
  void ExplainWith(std::shared_ptr<Explainer> explainer) {
    ExplainWith(DescriptorOf<T>(), std::move(explainer));
  }

  /// Adds a page below /debug/controllers/<plugin name>/. `path` is "" for the root page, "queue"
  /// for one page, or "queue/" for all pages below it. The page is called from any thread, also
  /// before the controllers start and while they stop. It must not block. A later call for the same
  /// path replaces it.
  void AddPage(std::string path, PageFunction page);
  /// Adds a check to the manager's /healthz, also served as /healthz/<plugin name>-<name>. An error
  /// makes the manager unhealthy, which finally leads to its restart. The check is called from any
  /// thread, like a page.
  void AddHealthCheck(std::string name, std::function<Status()> check);

  /// The core of ExplainWith, over type descriptors. `type` must be a resource.
  void ExplainWith(const TypeDescriptor& type, std::shared_ptr<Explainer> explainer);

 private:
  friend class ControllerBuilder;
  friend class HostedPlugin;
  struct Impl;
  explicit PluginContext(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace capstan
