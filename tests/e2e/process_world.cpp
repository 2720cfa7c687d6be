#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>
#include <capstan/client/rest_config.h>
#include <gtest/gtest.h>

#include "api_server.h"
#include "garbage_collector.h"
#include "manager.h"
#include "scenarios/world.h"

namespace capstan::e2e {
namespace {

using scenarios::World;
using scenarios::WorldKind;

constexpr char kLeaseNamespace[] = "kube-system";

Client NewClient(const ApiServer& server) {
  KubeconfigOptions options;
  options.paths = {server.kubeconfig().string()};
  Result<RestConfig> config = LoadKubeconfig(options);
  if (!config) throw std::runtime_error(config.status().ToString());
  Result<std::unique_ptr<Transport>> transport = NewHttpTransport(*config, SystemRuntime());
  if (!transport) throw std::runtime_error(transport.status().ToString());
  ClientOptions client_options;
  client_options.qps = 0;
  client_options.user_agent = "capstan-e2e";
  return Client(std::move(*transport), SystemRuntime(), client_options);
}

std::string NewNamespace(const Client& client) {
  static int count = 0;
  api::core::v1::Namespace object;
  object.metadata.name = "e2e-" + std::to_string(++count);
  const Status status = client.Create(object).status();
  if (!status.ok()) throw std::runtime_error(status.ToString());
  return object.metadata.name;
}

// A namespace on a shared server, with managers as processes.
class ProcessWorld final : public World {
 public:
  explicit ProcessWorld(ServerKind kind)
      : server_(ApiServer::Shared(kind)),
        client_(NewClient(server_)),
        namespace_(NewNamespace(client_)),
        kubelet_(client_, SystemRuntime(), {.namespace_ = namespace_}) {
    if (kind == ServerKind::kReal) garbage_collector_.emplace(client_, namespace_);
  }
  ~ProcessWorld() override {
    DeleteAll<api::apps::v1::Deployment>();
    DeleteAll<api::apps::v1::ReplicaSet>();
    DeleteAll<api::core::v1::Pod>();
  }

  Runtime& runtime() override { return SystemRuntime(); }
  const Client& client() override { return client_; }
  testing::Kubelet& kubelet() override { return kubelet_; }
  const std::string& namespace_name() const override { return namespace_; }
  NamespacedName lease() const override { return {kLeaseNamespace, "capstan-" + namespace_}; }

  bool Until(const std::function<bool()>& done, Duration limit) override {
    const MonotonicTime deadline = SystemRuntime().Now() + limit;
    while (!done()) {
      if (SystemRuntime().Now() > deadline) return false;
      std::this_thread::sleep_for(Milliseconds(10));
    }
    return true;
  }

  std::unique_ptr<scenarios::Manager> StartManager(
      const scenarios::ManagerOptions& options) override {
    const std::string name = namespace_ + "-manager-" + std::to_string(++managers_);
    return std::make_unique<ManagerProcess>(server_, name, lease(), options);
  }
  void StopServer() override { server_.Stop(); }
  void StartServer() override { server_.Start(); }

 private:
  // The namespace itself is kept: kube-apiserver alone does not finalize its deletion.
  template <class T>
  void DeleteAll() {
    auto all = client_.ListAll<T>(namespace_);
    if (!all) return;
    for (const auto& object : *all) {
      (void)client_.Delete<T>(api::NameOf(object->metadata), {.grace_period_seconds = 0});
    }
  }

  ApiServer& server_;
  const Client client_;
  const std::string namespace_;
  testing::Kubelet kubelet_;
  std::optional<GarbageCollector> garbage_collector_;  // for servers without one
  int managers_ = 0;
};

class Servers : public ::testing::Environment {
 public:
  void TearDown() override { ApiServer::EndShared(); }
};
const ::testing::Environment* const kServers =
    ::testing::AddGlobalTestEnvironment(new Servers);  // owned by GoogleTest

}  // namespace
}  // namespace capstan::e2e

namespace capstan::scenarios {

std::vector<WorldKind> Worlds() {
  std::vector<WorldKind> worlds;
  for (const e2e::ServerKind kind : e2e::ServerKinds()) {
    worlds.push_back(kind == e2e::ServerKind::kReal ? WorldKind::kReal : WorldKind::kPlayground);
  }
  return worlds;
}

std::unique_ptr<World> NewWorld(WorldKind kind) {
  return std::make_unique<e2e::ProcessWorld>(
      kind == WorldKind::kReal ? e2e::ServerKind::kReal : e2e::ServerKind::kPlayground);
}

}  // namespace capstan::scenarios
