#pragma once

#include <string>

#include "api_server.h"
#include "process.h"
#include "scenarios/world.h"

namespace capstan::e2e {

// A running kube-controller-manager with only its Deployment and ReplicaSet controllers. It takes
// no lease, so the test decides when another manager may start.
class StockManager final : public scenarios::Manager {
 public:
  // Whether kube-controller-manager has been built.
  static bool IsThere();

  // `name` is the name of the log file.
  StockManager(const ApiServer& server, const std::string& name);

  bool IsRunning() override { return process_.IsRunning(); }
  bool IsLeading() override { return IsRunning(); }
  void Kill() override;
  int Terminate() override;
  std::string LogTail() override { return process_.LogTail(40); }

 private:
  Process process_;
};

}  // namespace capstan::e2e
