#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <capstan/client/transport.h>
#include <capstan/metrics/metrics.h>
#include <capstan/runtime/runtime.h>
#include <capstan/testing/fault_injector.h>

#include "config/options.h"
#include "plugins/plugin_loader.h"
#include "plugins/plugin_selection.h"

namespace capstan::scenarios {

// The Deployment and ReplicaSet controllers of this build, loaded at the first call.
const std::vector<manager::LoadedPlugin>& BundledPlugins();

// A whole controller manager as a thread of a Runtime, which must outlive it. The methods are
// called by the test.
class InProcessManager {
 public:
  // All requests of the manager go through `transport`.
  InProcessManager(Runtime& runtime, std::string name, const manager::Options& options,
                   std::shared_ptr<Transport> transport);
  // Kills the manager if it is still running.
  ~InProcessManager();
  InProcessManager(const InProcessManager&) = delete;
  InProcessManager& operator=(const InProcessManager&) = delete;

  const std::string& name() const { return name_; }
  bool IsRunning() const { return !killed_ && !exit_code_; }
  bool IsLeading() const;
  // Nothing that the manager does after this call reaches the server.
  void Kill();
  // The manager drains and releases the lease while time advances.
  void RequestStop() { stop_.request_stop(); }
  // Replaces the running plugins, initially BundledPlugins(), by these.
  void Select(std::vector<manager::LoadedPlugin> plugins) { plugins_.Set(std::move(plugins)); }
  bool IsStopping() const { return stop_.stop_requested(); }
  std::optional<int> exit_code() const { return exit_code_; }

 private:
  void Run();

  Runtime& runtime_;
  const std::string name_;
  const manager::Options options_;
  const std::shared_ptr<testing::FaultInjector> faults_;  // down after a kill
  manager::PluginSelection plugins_;
  MetricsRegistry metrics_;
  const Gauge leading_;
  std::stop_source stop_;
  bool killed_ = false;
  std::optional<int> exit_code_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace capstan::scenarios
