#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <capstan/testing/api_server.h>
#include <capstan/testing/fault_injector.h>

#include "in_process_manager.h"
#include "scenarios/world.h"

namespace capstan::scenarios {

// A world in this process: its own ApiServer, and managers as threads, all in virtual time. Only
// one may exist at a time, because it replaces the log sink.
class FakeWorld final : public World {
 public:
  FakeWorld();
  explicit FakeWorld(uint64_t seed);
  ~FakeWorld() override;

  Runtime& runtime() override;
  const Client& client() override;
  testing::Kubelet& kubelet() override;
  const std::string& namespace_name() const override;
  NamespacedName lease() const override;
  bool Until(const std::function<bool()>& done, Duration limit) override;
  std::unique_ptr<Manager> StartManager(const ManagerOptions& options) override;
  void StopServer() override;
  void StartServer() override;

  testing::ApiServer& server();
  // Injects faults between the managers and the server.
  testing::FaultInjector& faults();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

manager::Options InProcessOptions(const ManagerOptions& options, const NamespacedName& lease);
void CreateNamespaces(const Client& client, const std::vector<std::string>& names);

}  // namespace capstan::scenarios
