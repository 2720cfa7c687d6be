#include "process/plugin_host.h"

#include <utility>

#include <capstan/log/log.h>
#include <capstan/runtime/format.h>

#include "base/cli/go_duration.h"
#include "base/text/joined.h"

namespace capstan::manager {

std::string_view ToText(PluginHost::State state) {
  switch (state) {
    case PluginHost::State::kStandby:
      return "standby";
    case PluginHost::State::kMissingResources:
      return "missing resources";
    case PluginHost::State::kRunning:
      return "running";
    case PluginHost::State::kStopped:
      break;
  }
  return "stopped";
}

PluginHost::PluginHost(const LoadedPlugin& plugin, const Client& client,
                       const Dependencies& dependencies, const Settings& settings)
    : name_(plugin.manifest.name),
      runtime_(dependencies.runtime),
      running_(dependencies.metrics.NewGauge(
          "running_managed_controllers", "1 while the controller runs here, else 0.",
          {{"name", name_}, {"manager", "capstan-controller-manager"}})),
      live_versions_(settings.live_versions),
      plugin_(name_, {.client = client.WithStop(calls_.get_token()).WithUserAgent(name_),
                      .informers = dependencies.informers,
                      .events = dependencies.events,
                      .scheme = dependencies.scheme,
                      .runtime = dependencies.runtime,
                      .metrics = dependencies.metrics,
                      .concurrent_syncs = settings.concurrent_syncs,
                      .confirm_first_writes = live_versions_ != nullptr,
                      .dry_run = settings.dry_run,
                      .instance_id = settings.instance_id,
                      .live_versions = live_versions_.get()}) {
  running_.Set(0);
}

PluginHost::~PluginHost() {
  RequestStop();
  controllers_.clear();
}

Result<std::unique_ptr<PluginHost>> PluginHost::SetUp(const LoadedPlugin& plugin,
                                                      const Client& client,
                                                      const Dependencies& dependencies,
                                                      const Settings& settings) {
  std::unique_ptr<PluginHost> host(new PluginHost(plugin, client, dependencies, settings));
  Status status = SetUpPlugin(plugin, host->plugin_.context());
  if (status.ok()) status = host->plugin_.CheckReads();
  host->controllers_ = host->plugin_.TakeControllers();
  if (!status.ok()) return status;
  return host;
}

PluginHost::State PluginHost::state() const {
  MutexLock lock(mutex_);
  return state_;
}

void PluginHost::SetState(State state) {
  running_.Set(state == State::kRunning ? 1 : 0);
  MutexLock lock(mutex_);
  state_ = state;
}

std::vector<std::string> PluginHost::MissingResources() const {
  MutexLock lock(mutex_);
  return missing_;
}

bool PluginHost::HasSynced() const {
  {
    MutexLock lock(mutex_);
    if (state_ == State::kMissingResources) return true;
    if (!informing_) return false;
  }
  return informers().HasSynced();
}

void PluginHost::StartInformers(RestMapper& mapper) {
  {
    MutexLock lock(mutex_);
    if (informing_) return;
  }
  const auto asked = mapper.Missing(informers().Informers());
  if (!asked) LogError(asked.status(), "Cannot discover the resources of the server");
  std::vector<std::string> missing = asked ? *asked : std::vector<std::string>();
  {
    MutexLock lock(mutex_);
    if (informing_ || state_ == State::kStopped) return;
    const bool news = missing != missing_;
    missing_ = missing;
    state_ = missing.empty() ? State::kStandby : State::kMissingResources;
    informing_ = missing.empty();
    if (!news) missing.clear();
  }
  if (!missing.empty()) {
    LogWarning("Skipping controller, the server does not serve its resources",
               {{"controller", name_}, {"missing", text::Joined(missing, ", ")}});
  }
  if (state() == State::kStandby) informers().Start();
}

void PluginHost::StartControllers() {
  {
    MutexLock lock(mutex_);
    if (state_ != State::kStandby || !informing_) return;
    started_ = runtime_.Now();
  }
  LogInfo("Starting controller", {{"controller", name_}});
  for (auto& controller : controllers_) controller->Start();
  SetState(State::kRunning);
  LogInfo("Started controller", {{"controller", name_}});
}

void PluginHost::RequestStop() {
  if (state() == State::kStopped) return;
  if (state() == State::kRunning) LogInfo("Shutting down controller", {{"controller", name_}});
  for (auto& controller : controllers_) controller->RequestStop();
  SetState(State::kStopped);
}

bool PluginHost::AwaitStopped(MonotonicTime deadline) {
  bool all = true;
  for (auto& controller : controllers_) {
    if (controller->AwaitStopped(deadline)) continue;
    LogWarning("Controller still has a busy worker",
               {{"plugin", name_}, {"controller", controller->name()}});
    all = false;
  }
  return all;
}

std::string PluginHost::StuckFor(Duration limit) const {
  const MonotonicTime now = runtime_.Now();
  {
    MutexLock lock(mutex_);
    if (state_ != State::kRunning || now < started_ + limit) return {};
  }
  if (!informers().HasSynced()) {
    return Format("the caches of {} are not filled after {}", name_, cli::FormatGoDuration(limit));
  }
  for (const auto& controller : controllers_) {
    const auto since = controller->state().all_busy_since;
    if (since && now >= *since + limit) {
      return Format("all workers of controller {} have been busy with one object each for {}",
                    controller->name(), cli::FormatGoDuration(now - *since));
    }
  }
  return {};
}

}  // namespace capstan::manager
