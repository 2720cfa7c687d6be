#pragma once

#include <string>

#include "api_server.h"
#include "process.h"
#include "scenarios/world.h"

namespace capstan::e2e {

// A running kube-controller-manager with its Deployment and ReplicaSet controllers alone. It takes
// no lease: whoever works with it says when another may begin.
class StockManager final : public scenarios::Manager {
 public:
  // Whether it has been built.
  static bool IsThere();

  // The name is that of its log file.
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
