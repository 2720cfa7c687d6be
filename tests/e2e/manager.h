#pragma once

#include <string>

#include "api_server.h"
#include "process.h"
#include "scenarios/world.h"

namespace capstan::e2e {

// The path of capstan-controller-manager ($CAPSTAN_E2E_MANAGER, else the one of this build).
std::string ManagerBinary();

// A running capstan-controller-manager. It finds the plugins by itself, as in an installation.
class ManagerProcess final : public scenarios::Manager {
 public:
  // `name` is the name of the log file.
  ManagerProcess(const ApiServer& server, const std::string& name, const NamespacedName& lease,
                 const scenarios::ManagerOptions& options);

  bool IsRunning() override { return process_.IsRunning(); }
  bool IsLeading() override;
  void Kill() override;
  int Terminate() override;
  std::string LogTail() override { return process_.LogTail(40); }

 private:
  const bool elects_;
  Process process_;
};

}  // namespace capstan::e2e
