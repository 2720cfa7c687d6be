#include "process/controller_group.h"

#include <algorithm>
#include <utility>

#include <capstan/log/log.h>
#include <capstan/runtime/format.h>

#include "base/text/ascii.h"

namespace capstan::manager {
namespace {

constexpr Duration kCancelGrace = std::chrono::seconds(1);

// Accepts "deployment" or "deployments", with or without ".apps".
bool IsNamed(const ResourceInfo& resource, std::string_view kind) {
  std::string name = text::Lower(kind);
  const std::string group = std::string(".") + resource.group;
  if (group.size() > 1 && name.ends_with(group)) name.resize(name.size() - group.size());
  return name == resource.resource || name == text::Lower(resource.kind);
}

}  // namespace

ControllerGroup::ControllerGroup(Parts parts)
    : parts_(std::move(parts)),
      events_(parts_.event_client.WithStop(calls_.get_token()), parts_.runtime, parts_.source_host,
              parts_.metrics),
      explaining_client_(parts_.explaining_client.WithStop(calls_.get_token())) {}

ControllerGroup::~ControllerGroup() {
  MutexLock lock(mutex_);
  hosts_.clear();
}

ControllerGroup::Hosts ControllerGroup::hosts() const {
  MutexLock lock(mutex_);
  return hosts_;
}

bool ControllerGroup::HasSynced() const {
  const Hosts all = hosts();
  return std::all_of(all.begin(), all.end(), [](const auto& host) { return host->HasSynced(); });
}

Result<std::shared_ptr<PluginHost>> ControllerGroup::SetUp(
    const LoadedPlugin& plugin, const std::shared_ptr<LiveVersions>& live_versions) {
  const PluginManifest& manifest = plugin.manifest;
  const auto client = parts_.new_plugin_client(manifest.name);
  if (!client) return client.status();
  const auto& syncs = parts_.options.concurrent_syncs;
  const auto found = syncs.find(manifest.name);
  auto host = PluginHost::SetUp(
      plugin, *client, {*parts_.informers, events_, scheme_, parts_.runtime, parts_.metrics},
      {.concurrent_syncs = found == syncs.end() ? manifest.concurrent_syncs : found->second,
       .live_versions = live_versions,
       .dry_run = parts_.options.dry_run,
       .instance_id = parts_.options.instance_id});
  if (!host) return host.status();
  return std::shared_ptr<PluginHost>(*std::move(host));
}

Status ControllerGroup::Select(const std::vector<LoadedPlugin>& plugins) {
  Hosts before = hosts();
  Hosts after;
  Hosts added;
  // Not shared with plugins that are selected later: until then, another manager may write.
  std::shared_ptr<LiveVersions> live_versions;
  if (parts_.options.leader_election.enabled && !parts_.options.dry_run) {
    live_versions = std::make_shared<LiveVersions>(parts_.informer_client, parts_.runtime);
  }
  for (const LoadedPlugin& plugin : plugins) {
    const auto known = std::find_if(before.begin(), before.end(), [&](const auto& host) {
      return host->name() == plugin.manifest.name;
    });
    if (known != before.end()) {
      after.push_back(*known);
      before.erase(known);
      continue;
    }
    auto host = SetUp(plugin, live_versions);
    if (!host) return host.status();
    added.push_back(*host);
    after.push_back(*std::move(host));
  }
  const bool stopped = StopHosts(before);
  {
    MutexLock lock(mutex_);
    hosts_ = std::move(after);
    // A plugin that does not stop is kept, because it cannot be destroyed.
    if (!stopped) hosts_.insert(hosts_.end(), before.begin(), before.end());
  }
  if (!stopped) return {StatusReason::kDeadlineExceeded, "a worker is still busy"};
  // All plugins register their fields first: an informer that needs more fields later must list
  // again.
  for (const auto& host : added) host->ShareReads();
  for (const auto& host : added) {
    if (informing_) host->StartInformers(parts_.mapper);
    if (leading_) host->StartControllers();
  }
  return Status::Ok();
}

void ControllerGroup::StartInformers() {
  informing_ = true;
  for (const auto& host : hosts()) {
    host->StartInformers(parts_.mapper);
    if (leading_) host->StartControllers();
  }
}

void ControllerGroup::Start(const std::function<bool()>& pause) {
  if (!informing_) StartInformers();
  leading_ = true;
  bool first = true;
  for (const auto& host : hosts()) {
    if (!std::exchange(first, false) && !pause()) return;
    host->StartControllers();
  }
}

bool ControllerGroup::StopHosts(const Hosts& hosts) const {
  const auto all_stopped = [&](Duration grace) {
    const MonotonicTime deadline = parts_.runtime.Now() + grace;
    bool all = true;
    for (const auto& host : hosts) all = host->AwaitStopped(deadline) && all;
    return all;
  };
  for (const auto& host : hosts) host->RequestStop();
  if (all_stopped(parts_.options.controller_shutdown_timeout)) return true;
  for (const auto& host : hosts) host->CancelCalls();
  return all_stopped(kCancelGrace);
}

bool ControllerGroup::Stop() { return StopHosts(hosts()); }

void ControllerGroup::Finish(Duration grace) {
  events_.Stop(calls_.stop_requested() ? Duration::zero() : grace);
}

void ControllerGroup::CancelCalls() {
  calls_.request_stop();
  for (const auto& host : hosts()) host->CancelCalls();
}

Status ControllerGroup::CheckExplains() const {
  const Hosts all = hosts();
  const bool running = std::all_of(all.begin(), all.end(), [](const auto& host) {
    return host->state() == PluginHost::State::kRunning || !host->MissingResources().empty();
  });
  if (running && HasSynced()) return Status::Ok();
  return {StatusReason::kServiceUnavailable, "the caches are not filled yet"};
}

Result<ExplainedObject> ControllerGroup::Explain(std::string_view kind,
                                                 const NamespacedName& name) const {
  if (Status status = CheckExplains(); !status.ok()) return status;
  for (const auto& host : hosts()) {
    for (const auto& [type, explainer] : host->plugin().Explainers()) {
      if (!IsNamed(*type->resource, kind)) continue;
      auto explanation = explainer->Explain(name, explaining_client_);
      if (!explanation) return explanation.status();
      return ExplainedObject{type->resource->kind, name, *std::move(explanation)};
    }
  }
  return Status::InvalidArgument(
      Format("no controller of this manager explains the kind \"{}\"", kind));
}

Result<std::vector<ExplainedObject>> ControllerGroup::Unsettled() const {
  if (Status status = CheckExplains(); !status.ok()) return status;
  std::vector<ExplainedObject> all;
  for (const auto& host : hosts()) {
    for (const auto& explained : host->plugin().Explainers()) {
      for (ExplainedObject& object : explained.explainer->Unsettled()) {
        all.push_back(std::move(object));
      }
    }
  }
  return all;
}

}  // namespace capstan::manager
