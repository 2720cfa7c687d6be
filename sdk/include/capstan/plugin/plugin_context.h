#pragma once

/// PluginContext: what the manager gives a plugin's Setup.
///
/// Threads: Setup is called once a term of leading, on one thread, before anything is started.
/// Listers, recorders and clients made here may then be used by all workers. The context outlives
/// the plugin's controllers. Who runs plugins makes it with capstan/plugin/hosted_plugin.h.

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/api/scheme.h>
#include <capstan/cache/shared_informer.h>
#include <capstan/client/client.h>
#include <capstan/controller/controller.h>
#include <capstan/controller/explainer.h>
#include <capstan/events/event_recorder.h>
#include <capstan/export.h>
#include <capstan/metrics/metrics.h>
#include <capstan/runtime/runtime.h>

namespace capstan {

/// What is asked of a plugin's page.
struct PageRequest {
  std::string path;  ///< behind /debug/controllers/<plugin name>/
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
  /// For writes, and for reads that must not come from the cache. Controllers read their own
  /// writes that go through it (capstan/controller/controller.h).
  const Client& client() const;
  Runtime& runtime() const;
  const Clock& clock() const { return runtime().clock(); }
  MetricsRegistry& metrics() const;
  Scheme& scheme() const;
  /// The host's informers, as far as this plugin uses them.
  SharedInformerFactory& informers() const;
  /// How many requests each controller shall serve at once, by flag or default.
  int concurrent_syncs() const;

  /// The plugin reads these fields of objects of type T, and no others, in what listers and events
  /// show. Paths are those of the JSON (capstan/api/field_set.h); the metadata is always there, but
  /// for annotations:
  ///
  ///     context.Reads<Pod>({"spec.nodeName", "status.conditions[type=Ready]"});
  ///
  /// The cache of T keeps what its plugins read together. A plugin that does not call this for a
  /// type T that it has a lister or events of reads all fields of T. What a Client gives is whole.
  ///
  /// Call it in Setup, before ControllerBuilder::Run, which reports a path that T does not have.
  template <ApiObject T>
  void Reads(std::initializer_list<std::string_view> paths) {
    Reads(DescriptorOf<T>(), {paths.begin(), paths.size()});
  }
  template <ApiObject T>
  void Reads(std::span<const std::string_view> paths) {
    Reads(DescriptorOf<T>(), paths);
  }
  void Reads(const TypeDescriptor& type, std::span<const std::string_view> paths);

  /// A reader of the shared cache of T; the cache is filled before any controller runs.
  template <ApiObject T>
  Lister<T> ListerFor(InformerScope scope = {}) {
    return informers().template ListerFor<T>(std::move(scope));
  }
  capstan::EventRecorder EventRecorder(std::string_view component) const;
  ControllerBuilder NewController(std::string name) {
    return ControllerBuilder(*this, std::move(name));
  }
  /// Who tells why objects of type T are not as they should be; the last one given counts.
  template <ApiObject T>
  void ExplainWith(std::shared_ptr<Explainer> explainer) {
    ExplainWith(DescriptorOf<T>(), std::move(explainer));
  }

  /// A page below /debug/controllers/<plugin name>/; `path` is "" for that itself, or "queue", or
  /// "queue/" for all that is below it. Called by any thread, also before the controllers start and
  /// while they stop; it must not block. The last one given for a path counts.
  void AddPage(std::string path, PageFunction page);
  /// A check of its own beside the manager's /healthz; an error makes the manager unhealthy, and in
  /// the end restarted. `name` is for /healthz/<plugin name>-<name>. As for pages, from any thread.
  void AddHealthCheck(std::string name, std::function<Status()> check);

  /// The core of ExplainWith, over type descriptors. The type is a resource's.
  void ExplainWith(const TypeDescriptor& type, std::shared_ptr<Explainer> explainer);

 private:
  friend class ControllerBuilder;
  friend class HostedPlugin;
  struct Impl;
  explicit PluginContext(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace capstan
