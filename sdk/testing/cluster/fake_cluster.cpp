#include <capstan/testing/fake_cluster.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <stop_token>

#include <capstan/api/scheme.h>
#include <capstan/cache/shared_informer.h>
#include <capstan/controller/controller.h>
#include <capstan/events/event_recorder.h>
#include <capstan/plugin/hosted_plugin.h>

#include "json/value.h"

namespace capstan::testing {
namespace {

constexpr Duration kStopLimit = std::chrono::minutes(1);

ClientOptions Unlimited() { return {.qps = 0, .host = "fake"}; }

/// Returns the time in an event's name, which ends with its creation time in hexadecimal
/// nanoseconds.
uint64_t MadeAt(const api::core::v1::Event& event) {
  const std::string& name = event.metadata.name;
  const size_t dot = name.rfind('.');
  uint64_t time = 0;
  if (dot != std::string::npos) {
    std::from_chars(name.data() + dot + 1, name.data() + name.size(), time, 16);
  }
  return time;
}

}  // namespace

struct FakeCluster::Impl {
  /// A loaded plugin, with everything that a manager provides to it.
  struct Plugin {
    std::string name;
    std::unique_ptr<HostedPlugin> hosted;
    std::vector<std::unique_ptr<Controller>> controllers;
  };

  explicit Impl(Options options)
      : runtime(options.seed),
        server(runtime, options.server),
        client(server.NewTransport(), runtime, Unlimited()),
        faults(std::make_shared<FaultInjector>(server.NewTransport(), runtime, options.seed)),
        plugin_client(Client(faults, runtime, Unlimited()).WithStop(calls.get_token())),
        informers(plugin_client, runtime, Duration::zero()),
        events(plugin_client, runtime, "fake-cluster", metrics) {
    if (!options.with_kubelet) return;
    kubelet = std::make_unique<Kubelet>(client, runtime, std::move(options.kubelet));
  }

  ~Impl() {
    for (Plugin& plugin : plugins) {
      for (const auto& controller : plugin.controllers) controller->RequestStop();
    }
    // A fault can block a worker. After the limit all requests are cancelled.
    const MonotonicTime deadline = runtime.Now() + kStopLimit;
    for (Plugin& plugin : plugins) {
      for (const auto& controller : plugin.controllers) {
        if (!controller->AwaitStopped(deadline)) calls.request_stop();
      }
    }
    calls.request_stop();
    for (Plugin& plugin : plugins) plugin.controllers.clear();
    informers.Stop();
    events.Stop();
    kubelet.reset();
  }

  SimulatedRuntime runtime;
  MetricsRegistry metrics;
  ApiServer server;
  Client client;
  std::shared_ptr<FaultInjector> faults;
  std::stop_source calls;
  Client plugin_client;
  Scheme scheme;
  SharedInformerFactory informers;
  EventBroadcaster events;
  std::unique_ptr<Kubelet> kubelet;
  std::vector<Plugin> plugins;
};

FakeCluster::FakeCluster() : FakeCluster(Options{}) {}
FakeCluster::FakeCluster(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
FakeCluster::~FakeCluster() = default;

void FakeCluster::RunUntilIdle() { impl_->runtime.RunUntilIdle(); }
void FakeCluster::AdvanceBy(Duration duration) { impl_->runtime.AdvanceBy(duration); }
bool FakeCluster::RunUntil(const std::function<bool()>& done, Duration limit) {
  return impl_->runtime.RunUntil(done, limit);
}

void FakeCluster::Load(Status (*setup)(PluginContext& context), std::string_view plugin_name) {
  HostedPlugin::Host host{.client = impl_->plugin_client.WithUserAgent(plugin_name),
                          .informers = impl_->informers,
                          .events = impl_->events,
                          .scheme = impl_->scheme,
                          .runtime = impl_->runtime,
                          .metrics = impl_->metrics};
  auto hosted = std::make_unique<HostedPlugin>(std::string(plugin_name), std::move(host));
  Check(setup(hosted->context()));
  Check(hosted->CheckReads());
  auto controllers = hosted->TakeControllers();
  SharedInformerFactory& hosted_informers = hosted->informers();
  impl_->plugins.push_back({std::string(plugin_name), std::move(hosted), std::move(controllers)});
  hosted_informers.Start();
  for (const auto& controller : impl_->plugins.back().controllers) controller->Start();
}

PageAnswer FakeCluster::GetPage(std::string_view plugin_name, const std::string& path) const {
  for (const Impl::Plugin& plugin : impl_->plugins) {
    if (plugin.name != plugin_name) continue;
    const auto pages = plugin.hosted->Pages();
    if (const PageFunction* page = FindPage(pages, path))
      return (*page)({.path = path, .query = {}});
  }
  return {.status = 404};
}

Status FakeCluster::CheckHealth(std::string_view plugin_name, const std::string& name) const {
  for (const Impl::Plugin& plugin : impl_->plugins) {
    if (plugin.name != plugin_name) continue;
    const auto checks = plugin.hosted->HealthChecks();
    if (const auto check = checks.find(name); check != checks.end()) return check->second();
  }
  return {StatusReason::kNotFound, "unknown health check " + name};
}

void FakeCluster::CreateJson(std::string_view json) {
  auto parsed = json::ParseValue(std::string(json));
  Check(parsed.status());
  json::Value object = std::move(parsed->value);
  const std::string version = object.Get("apiVersion").AsString();
  const std::string& kind = object.Get("kind").AsString();
  const std::string root = (version.find('/') == std::string::npos ? "/api/" : "/apis/") + version;
  const auto resources = json::ParseValue(Checked(client().GetPath(root)));
  Check(resources.status());
  for (const json::Value& resource : resources->value.Get("resources").items()) {
    const std::string& name = resource.Get("name").AsString();
    if (resource.Get("kind").AsString() != kind || name.find('/') != std::string::npos) continue;
    std::string path = root;
    if (resource.Get("namespaced").AsBool()) {
      json::Value& namespace_ = object.Mutable("metadata", "namespace");
      if (namespace_.IsEmpty()) namespace_ = "default";
      path += "/namespaces/" + namespace_.AsString();
    }
    HttpRequest request{
        .method = "POST", .target = path.append("/").append(name), .headers = {}, .body = {}};
    request.headers.emplace_back("Content-Type", "application/json");
    request.body = ToJson(object);
    auto response = impl_->server.Serve(request, {}, {});
    Check(response.status());
    const std::string answer = Checked(ReadAll(**response, size_t{16} << 20));
    if ((*response)->status() >= 300) throw std::runtime_error(answer);
    return;
  }
  throw std::runtime_error("the server has no kind " + kind + " in " + version);
}

std::vector<api::core::v1::Event> FakeCluster::Events() {
  std::vector<api::core::v1::Event> events;
  for (const auto& event : List<api::core::v1::Event>()) events.push_back(*event);
  std::stable_sort(events.begin(), events.end(),
                   [](const auto& a, const auto& b) { return MadeAt(a) < MadeAt(b); });
  return events;
}

SimulatedRuntime& FakeCluster::runtime() { return impl_->runtime; }
ApiServer& FakeCluster::server() { return impl_->server; }
const Client& FakeCluster::client() { return impl_->client; }
Kubelet* FakeCluster::kubelet() { return impl_->kubelet.get(); }
FaultInjector& FakeCluster::faults() { return *impl_->faults; }
MetricsRegistry& FakeCluster::metrics() { return impl_->metrics; }

bool FakeCluster::IsNamespaced(const TypeDescriptor& type) {
  return type.resource && type.resource->namespaced;
}

void FakeCluster::Check(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

}  // namespace capstan::testing
