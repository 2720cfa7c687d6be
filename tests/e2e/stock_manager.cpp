#include "stock_manager.h"

#include <unistd.h>

#include <csignal>
#include <optional>
#include <stdexcept>
#include <vector>

namespace capstan::e2e {
namespace {

std::vector<std::string> StockCommandLine(const ApiServer& server) {
  const std::string kubeconfig = server.kubeconfig().string();
  return {ServerBinary("kube-controller-manager"),
          "--kubeconfig=" + kubeconfig,
          "--controllers=deployment-controller,replicaset-controller",
          "--leader-elect=false",
          "--kube-api-qps=200",
          "--kube-api-burst=400",
          "--secure-port=0",
          "-v=4"};
}

}  // namespace

bool StockManager::IsThere() {
  return access(ServerBinary("kube-controller-manager").c_str(), X_OK) == 0;
}

StockManager::StockManager(const ApiServer& server, const std::string& name)
    : process_(StockCommandLine(server), server.directory() / (name + ".log")) {}

void StockManager::Kill() {
  process_.Kill(SIGKILL);
  process_.Wait(Seconds(10));
}

int StockManager::Terminate() {
  process_.Kill(SIGTERM);
  const std::optional<int> exit_code = process_.Wait(Seconds(30));
  // It does not handle SIGTERM, so being terminated by the signal is a clean exit.
  if (exit_code == 128 + SIGTERM) return 0;
  if (exit_code) return *exit_code;
  throw std::runtime_error("kube-controller-manager still runs 30 s after SIGTERM; " + LogTail());
}

}  // namespace capstan::e2e
