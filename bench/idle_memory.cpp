// Measures the memory and the CPU time over half a minute of an idle manager with both controllers,
// compared with kube-controller-manager with the same two, on one real kube-apiserver.
//
//   idle_memory [seconds]

#include <unistd.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "e2e/api_server.h"
#include "e2e/process.h"
#include "support/paths.h"

namespace {

using capstan::e2e::Process;

struct Usage {
  double resident = 0, proportional = 0, private_dirty = 0;  // MiB
  double cpu = 0;                                            // seconds
};

// Returns a field of /proc/PID/smaps_rollup in MiB.
double RollupOf(pid_t pid, const std::string& field) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/smaps_rollup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(field + ":")) return std::atof(line.c_str() + field.size() + 1) / 1024;
  }
  throw std::runtime_error("no " + field + " of process " + std::to_string(pid));
}

double CpuSecondsOf(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

Usage UsageOf(pid_t pid) {
  return {RollupOf(pid, "Rss"), RollupOf(pid, "Pss"), RollupOf(pid, "Private_Dirty"),
          CpuSecondsOf(pid)};
}

}  // namespace

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 30;
  if (!exists(capstan::e2e::ServerBinary("kube-apiserver"))) {
    std::printf("idle_memory: skipped, as kube-apiserver is not built; see ./dev e2e\n");
    return 0;
  }
  const auto server = capstan::e2e::NewKubeApiServer();
  const capstan::e2e::TempDirectory files;
  const std::string kubeconfig = "--kubeconfig=" + server->kubeconfig().string();
  const std::string controllers = "--controllers=deployment-controller,replicaset-controller";
  const auto start = [&](const std::string& name, const std::string& binary,
                         const std::string& port) {
    return std::make_unique<Process>(
        std::vector<std::string>{binary, kubeconfig, controllers, "--secure-port=" + port},
        files.path() / (name + ".log"));
  };
  const std::vector<int> ports = capstan::e2e::FreePorts(2);
  const auto capstan = start("capstan", capstan::tests::ManagerProgram(), std::to_string(ports[0]));
  const auto stock =
      start("kcm", capstan::e2e::ServerBinary("kube-controller-manager"), std::to_string(ports[1]));
  // Memory that was needed only at start is released after half a minute.
  std::this_thread::sleep_for(std::chrono::seconds(35));
  const Usage before[] = {UsageOf(capstan->pid()), UsageOf(stock->pid())};
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  const Usage after[] = {UsageOf(capstan->pid()), UsageOf(stock->pid())};
  const char* names[] = {"capstan", "kcm"};
  for (int i = 0; i < 2; ++i) {
    std::printf(
        "%-8s resident %6.1f MiB, proportional %6.1f MiB, private dirty %6.1f MiB, CPU of "
        "%d s: %.2f s\n",
        names[i], after[i].resident, after[i].proportional, after[i].private_dirty, seconds,
        after[i].cpu - before[i].cpu);
  }
  std::printf("ratio    resident %.1f, private dirty %.1f\n", after[1].resident / after[0].resident,
              after[1].private_dirty / after[0].private_dirty);
  return 0;
}
