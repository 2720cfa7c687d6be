#pragma once

/// PluginContext: what the manager gives a plugin's Setup.
///
/// Threads: Setup is called once a term of leading, on one thread, before anything is started.
/// Listers, recorders and clients made here may then be used by all workers. The context outlives
/// the plugin's controllers.

#include <functional>
#include <map>
#include <memory>
#include <optional>
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
  std::string body;
};
using PageFunction = std::function<PageAnswer(const PageRequest&)>;

class CAPSTAN_EXPORT PluginContext {
 public:
  /// What the host lends. All but `client` is borrowed and outlives the context.
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
  PluginContext(std::string plugin_name, Host host);
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
  SharedInformerFactory& informers() const;
  /// How many requests each controller shall serve at once, by flag or default.
  int concurrent_syncs() const;

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

  void ExplainWith(const TypeDescriptor& type, std::shared_ptr<Explainer> explainer);
  /// For the host. The descriptors are resources'.
  struct ExplainedType {
    const TypeDescriptor* type = nullptr;
    std::shared_ptr<Explainer> explainer;
  };
  std::vector<ExplainedType> Explainers() const;

  /// A page below /debug/controllers/<plugin name>/; `path` is "" for that itself, or "queue", or
  /// "queue/" for all that is below it. Called by any thread, also before the controllers start and
  /// while they stop; it must not block. The last one given for a path counts.
  void AddPage(std::string path, PageFunction page);
  /// A check of its own beside the manager's /healthz; an error makes the manager unhealthy, and in
  /// the end restarted. `name` is for /healthz/<plugin name>-<name>. As for pages, from any thread.
  void AddHealthCheck(std::string name, std::function<Status()> check);
  /// For the host: what the two above were given.
  std::map<std::string, PageFunction> Pages() const;
  std::map<std::string, std::function<Status()>> HealthChecks() const;

  /// For ControllerBuilder.
  const std::optional<std::string>& instance_id() const;
  /// For ControllerBuilder. Null in a dry run.
  const std::shared_ptr<OwnWrites>& own_writes() const;
  /// For ControllerBuilder: keeps the controller until the host takes it.
  void AddController(std::unique_ptr<Controller> controller);
  /// Whether a controller of this name was added, taken or not.
  bool HasController(std::string_view name) const;
  /// For the host: the controllers that Setup registered.
  std::vector<std::unique_ptr<Controller>> TakeControllers();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan
