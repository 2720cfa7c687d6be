#include "manager.h"

#include <csignal>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "support/paths.h"

namespace capstan::e2e {
namespace {

std::vector<std::string> CommandLine(const ApiServer& server, const NamespacedName& lease,
                                     const scenarios::ManagerOptions& options) {
  return {ManagerBinary(),
          "--kubeconfig=" + server.kubeconfig().string(),
          "--controllers=deployment-controller,replicaset-controller",
          std::string("--leader-elect=") + (options.leader_elect ? "true" : "false"),
          "--leader-elect-resource-name=" + lease.name,
          "--leader-elect-resource-namespace=" + lease.namespace_,
          "--leader-elect-lease-duration=" + std::to_string(options.lease_duration.count()) + "s",
          "--leader-elect-renew-deadline=" + std::to_string(options.renew_deadline.count()) + "s",
          "--leader-elect-retry-period=" + std::to_string(options.retry_period.count()) + "ms",
          "--kube-api-qps=200",
          "--kube-api-burst=400",
          std::string("--kube-api-content-type=application/") +
              (options.protobuf ? "vnd.kubernetes.protobuf" : "json"),
          "--secure-port=0",
          "-v=4"};
}

}  // namespace

std::string ManagerBinary() {
  const char* binary = std::getenv("CAPSTAN_E2E_MANAGER");
  return binary != nullptr ? binary : tests::ManagerProgram();
}

ManagerProcess::ManagerProcess(const ApiServer& server, const std::string& name,
                               const NamespacedName& lease,
                               const scenarios::ManagerOptions& options)
    : elects_(options.leader_elect),
      process_(CommandLine(server, lease, options), server.directory() / (name + ".log")) {}

bool ManagerProcess::IsLeading() {
  if (!elects_) return IsRunning();
  const std::string log = process_.LogText();
  const size_t won = log.rfind("Successfully acquired lease");
  const size_t lost = log.rfind("Failed to renew lease");
  return won != std::string::npos && (lost == std::string::npos || lost < won) && IsRunning();
}

void ManagerProcess::Kill() {
  process_.Kill(SIGKILL);
  process_.Wait(Seconds(10));
}

int ManagerProcess::Terminate() {
  process_.Kill(SIGTERM);
  if (const std::optional<int> exit_code = process_.Wait(Seconds(30))) return *exit_code;
  throw std::runtime_error("the manager still runs 30 s after SIGTERM; " + LogTail());
}

}  // namespace capstan::e2e
