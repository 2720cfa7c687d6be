#include "in_process_manager.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "plugins/plugin_catalog.h"
#include "process/process.h"
#include "support/paths.h"

namespace capstan::scenarios {
namespace {

// All connections of a manager share one transport.
class SharedTransport final : public Transport {
 public:
  explicit SharedTransport(std::shared_ptr<Transport> inner) : inner_(std::move(inner)) {}
  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override {
    return inner_->RoundTrip(request, std::move(stop));
  }

 private:
  const std::shared_ptr<Transport> inner_;
};

std::vector<manager::LoadedPlugin> LoadBundledPlugins() {
  auto catalog = manager::ReadPluginCatalog(tests::PluginFolder());
  if (!catalog) throw std::runtime_error(catalog.status().ToString());
  std::vector<manager::LoadedPlugin> plugins;
  for (const manager::PluginManifest& manifest : catalog->plugins) {
    if (manifest.name != "deployment-controller" && manifest.name != "replicaset-controller") {
      continue;
    }
    auto plugin = manager::LoadPlugin(manifest);
    if (!plugin) throw std::runtime_error(plugin.status().ToString());
    plugins.push_back(*std::move(plugin));
  }
  if (plugins.size() != 2)
    throw std::runtime_error("a plugin is missing in " + tests::PluginFolder());
  return plugins;
}

}  // namespace

const std::vector<manager::LoadedPlugin>& BundledPlugins() {
  static const std::vector<manager::LoadedPlugin> plugins = LoadBundledPlugins();
  return plugins;
}

InProcessManager::InProcessManager(Runtime& runtime, std::string name,
                                   const manager::Options& options,
                                   std::shared_ptr<Transport> transport)
    : runtime_(runtime),
      name_(std::move(name)),
      options_(options),
      faults_(std::make_shared<testing::FaultInjector>(std::move(transport), runtime)),
      plugins_(BundledPlugins()),
      leading_(metrics_.NewGauge("leader_election_master_status",
                                 "1 while this process holds the lease, else 0.",
                                 {{"name", options_.leader_election.resource_name}})) {
  thread_ = runtime_.Start(name_, [this] { Run(); });
}

InProcessManager::~InProcessManager() {
  if (!exit_code_) Kill();
  thread_->Join();
}

bool InProcessManager::IsLeading() const {
  return IsRunning() && (leading_.Value() == 1 || !options_.leader_election.enabled);
}

void InProcessManager::Kill() {
  killed_ = true;
  faults_->SetDown(true);
  stop_.request_stop();
}

void InProcessManager::Run() {
  const manager::Dependencies dependencies{
      .runtime = runtime_,
      .metrics = metrics_,
      .new_transport = [this](const RestConfig&, Runtime&) -> Result<std::unique_ptr<Transport>> {
        return std::unique_ptr<Transport>(std::make_unique<SharedTransport>(faults_));
      },
      .exit_at_once = [this](int) { Kill(); }};
  exit_code_ = manager::Run(options_, plugins_, dependencies, stop_.get_token());
}

}  // namespace capstan::scenarios
