#pragma once

/// The processes of the demonstration: a playground, and managers that compete for its lease. Each
/// is a separate process with a log file in one directory.

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <capstan/client/client.h>

#include "process/child_process.h"

namespace capstan::demo {

using tools::ChildProcess;

struct StageOptions {
  std::string bin_directory;  // where the other programs are
  std::string directory;      // for logs and the kubeconfig
  int managers = 3;
  int secure_port = 0;  // of the playground; 0 = any
};

class Stage {
 public:
  explicit Stage(StageOptions options) : options_(std::move(options)) {}

  /// Returns when the playground responds and one manager leads.
  Status Start(const std::stop_token& stop);
  /// Stops all processes in order.
  void Stop();

  const std::string& kubeconfig() const { return kubeconfig_; }
  const std::shared_ptr<Transport>& transport() const { return transport_; }
  /// The name of the leader, such as "manager-1", or "" if there is none.
  std::string Leader();
  /// The running managers that do not lead.
  std::vector<std::string> Standbys();
  /// Kills the leader with SIGKILL. Returns its name.
  std::string KillLeader();
  /// Returns an error if a process has ended by itself.
  Status Check();

 private:
  struct Manager {
    std::string name;
    ChildProcess process;
    bool killed = false;
  };
  Status StartPlayground(const std::stop_token& stop);
  Status StartManager(const std::string& name);
  Manager* FindLeader();

  const StageOptions options_;
  std::string kubeconfig_;
  std::shared_ptr<Transport> transport_;
  std::optional<ChildProcess> playground_;
  std::vector<Manager> managers_;
};

}  // namespace capstan::demo
