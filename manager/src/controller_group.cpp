#include "controller_group.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <capstan/log/log.h>
#include <capstan/runtime/format.h>

namespace capstan::manager {
namespace {

constexpr Duration kEventGrace = std::chrono::seconds(2);
constexpr Duration kCancelGrace = std::chrono::seconds(1);
// Whoever asks for explanations must neither delay the controllers nor load the server.
constexpr double kExplainingQps = 5;
constexpr int kExplainingBurst = 10;
constexpr Duration kExplainingTimeout = std::chrono::seconds(5);

/// Between `shortest` and twice that, so that managers and informers do not resync in step.
Duration ResyncPeriod(Runtime& runtime, Duration shortest) { return runtime.Jitter(shortest, 1.0); }

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// "deployment" or "deployments", either with ".apps" behind it or without.
bool IsNamed(const ResourceInfo& resource, std::string_view kind) {
  std::string name = LowerCase(kind);
  const std::string group = std::string(".") + resource.group;
  if (group.size() > 1 && name.ends_with(group)) name.resize(name.size() - group.size());
  return name == resource.resource || name == LowerCase(resource.kind);
}

}  // namespace

ControllerGroup::ControllerGroup(const Options& options, Server server, Runtime& runtime,
                                 MetricsRegistry& metrics, const std::string& source_host)
    : options_(options),
      server_(std::move(server)),
      runtime_(runtime),
      metrics_(metrics),
      events_(NewClient().WithStop(calls_.get_token()), runtime, source_host),
      informers_(NewClient(), runtime, ResyncPeriod(runtime, options.min_resync_period)),
      explaining_client_(NewExplainingClient()) {}

ControllerGroup::~ControllerGroup() {
  for (Plugin& plugin : plugins_) plugin.controllers.clear();
  informers_.Stop();
}

/// A rate limit of its own, so that nobody's burst delays another.
Client ControllerGroup::NewClient() const {
  ClientOptions client;
  client.qps = options_.kube_api_qps;
  client.burst = options_.kube_api_burst;
  client.host = server_.host;
  return Client(server_.transport, runtime_, std::move(client));
}

Client ControllerGroup::NewExplainingClient() const {
  ClientOptions client;
  client.qps = kExplainingQps;
  client.burst = kExplainingBurst;
  client.timeout = kExplainingTimeout;
  client.host = server_.host;
  return Client(server_.transport, runtime_, std::move(client))
      .WithStop(calls_.get_token())
      .WithUserAgent("whyz");
}

Status ControllerGroup::CheckExplains() const {
  if (started_.load(std::memory_order_acquire) && HasSynced()) return Status::Ok();
  return {StatusReason::kServiceUnavailable, "the caches are not filled yet"};
}

Result<ExplainedObject> ControllerGroup::Explain(std::string_view kind,
                                                 const NamespacedName& name) const {
  if (Status status = CheckExplains(); !status.ok()) return status;
  for (const Plugin& plugin : plugins_) {
    for (const auto& [type, explainer] : plugin.context->Explainers()) {
      if (!IsNamed(*type->resource, kind)) continue;
      auto explanation = explainer->Explain(name, explaining_client_);
      if (!explanation) return explanation.status();
      return ExplainedObject{type->resource->kind, name, *std::move(explanation)};
    }
  }
  return Status::InvalidArgument(Format("no controller here explains the kind \"{}\"", kind));
}

Result<std::vector<ExplainedObject>> ControllerGroup::Unsettled() const {
  if (Status status = CheckExplains(); !status.ok()) return status;
  std::vector<ExplainedObject> all;
  for (const Plugin& plugin : plugins_) {
    for (const auto& explained : plugin.context->Explainers()) {
      for (ExplainedObject& object : explained.explainer->Unsettled()) {
        all.push_back(std::move(object));
      }
    }
  }
  return all;
}

Status ControllerGroup::SetUp(const std::vector<LoadedPlugin>& plugins) {
  for (const LoadedPlugin& plugin : plugins) {
    const std::string& name = plugin.manifest.name;
    const auto syncs = options_.concurrent_syncs.find(name);
    PluginContext::Host host{.client = NewClient().WithStop(calls_.get_token()).WithUserAgent(name),
                             .informers = informers_,
                             .events = events_,
                             .scheme = scheme_,
                             .runtime = runtime_,
                             .metrics = metrics_,
                             .concurrent_syncs = syncs == options_.concurrent_syncs.end()
                                                     ? plugin.manifest.concurrent_syncs
                                                     : syncs->second};
    auto context = std::make_unique<PluginContext>(name, std::move(host));
    Status status = SetUpPlugin(plugin, *context);
    auto controllers = context->TakeControllers();
    plugins_.push_back({name, std::move(context), std::move(controllers)});
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Gauge ControllerGroup::RunningGauge(const std::string& plugin) const {
  return metrics_.NewGauge("running_managed_controllers",
                           "1 while the controller runs here, else 0.",
                           {{"name", plugin}, {"manager", "capstan-controller-manager"}});
}

void ControllerGroup::Start() {
  informers_.Start();
  started_.store(true, std::memory_order_release);
  for (Plugin& plugin : plugins_) {
    LogInfo("Starting controller", {{"controller", plugin.name}});
    for (auto& controller : plugin.controllers) controller->Start();
    RunningGauge(plugin.name).Set(1);
    LogInfo("Started controller", {{"controller", plugin.name}});
  }
}

bool ControllerGroup::AwaitControllers(MonotonicTime deadline) {
  bool all = true;
  for (Plugin& plugin : plugins_) {
    for (auto& controller : plugin.controllers) {
      if (controller->AwaitStopped(deadline)) continue;
      LogWarning("Controller still has a busy worker",
                 {{"plugin", plugin.name}, {"controller", controller->name()}});
      all = false;
    }
  }
  return all;
}

bool ControllerGroup::Stop(Duration grace) {
  for (Plugin& plugin : plugins_) {
    LogInfo("Shutting down controller", {{"controller", plugin.name}});
    for (auto& controller : plugin.controllers) controller->RequestStop();
    RunningGauge(plugin.name).Set(0);
  }
  bool stopped = AwaitControllers(runtime_.Now() + grace);
  if (!stopped) {
    CancelCalls();
    stopped = AwaitControllers(runtime_.Now() + kCancelGrace);
  }
  informers_.Stop();
  events_.Stop(calls_.stop_requested() ? Duration::zero() : kEventGrace);
  return stopped;
}

}  // namespace capstan::manager
