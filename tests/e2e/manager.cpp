#include "manager.h"

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace capstan::e2e {
namespace {

std::string Binary() {
  const char* binary = std::getenv("CAPSTAN_E2E_MANAGER");
  return binary != nullptr ? binary : CAPSTAN_MANAGER_BINARY;
}

std::vector<std::string> CommandLine(const ApiServer& server, const Manager::Options& options) {
  std::vector<std::string> argv{
      Binary(),
      "--kubeconfig=" + server.kubeconfig().string(),
      "--controllers=deployment-controller,replicaset-controller",
      "--leader-elect-resource-name=" + options.lease,
      "--leader-elect-resource-namespace=kube-system",
      "--leader-elect-lease-duration=" + std::to_string(options.lease_duration.count()) + "s",
      "--leader-elect-renew-deadline=" + std::to_string(options.renew_deadline.count()) + "s",
      "--leader-elect-retry-period=" + std::to_string(options.retry_period.count()) + "ms",
      "--kube-api-qps=200",
      "--kube-api-burst=400",
      "--secure-port=0",
      "-v=4"};
  argv.insert(argv.end(), options.more_flags.begin(), options.more_flags.end());
  return argv;
}

}  // namespace

Manager::Manager(const ApiServer& server, const Options& options)
    : process_(CommandLine(server, options), server.directory() / (options.name + ".log")) {}

void Manager::Kill() {
  process_.Kill(SIGKILL);
  process_.Wait(Seconds(10));
}

int Manager::Terminate() {
  process_.Kill(SIGTERM);
  if (const std::optional<int> exit_code = process_.Wait(Seconds(30))) return *exit_code;
  throw std::runtime_error("the manager runs on 30 s after SIGTERM; " + LogTail());
}

bool Manager::HasLogged(const std::string& text) const {
  return process_.LogText().find(text) != std::string::npos;
}

void Manager::WaitForLog(const std::string& text, Milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    const bool is_running = IsRunning();  // asked first: what it wrote last counts
    if (HasLogged(text)) return;
    if (!is_running) {
      throw std::runtime_error("the manager ended before it said '" + text + "'; " + LogTail());
    }
    if (std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error("the manager did not say '" + text + "' in time; " + LogTail());
    }
    std::this_thread::sleep_for(Milliseconds(20));
  }
}

}  // namespace capstan::e2e
