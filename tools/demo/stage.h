#pragma once

// What the demonstration runs on: a playground, and managers that compete for its lease. Each is a
// process of its own, with a log in one directory.

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

  // Returns when the playground answers and one of the managers leads.
  Status Start(const std::stop_token& stop);
  // Ends everything in good order.
  void Stop();

  const std::string& kubeconfig() const { return kubeconfig_; }
  const std::shared_ptr<Transport>& transport() const { return transport_; }
  // "manager-1", or "" while nobody leads.
  std::string Leader();
  // The managers that run and do not lead.
  std::vector<std::string> Standbys();
  // SIGKILL for the leader; its name.
  std::string KillLeader();
  // What is wrong when a process has ended by itself.
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
