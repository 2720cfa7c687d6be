// Measures the memory and the CPU time over half a minute of an idle manager with both controllers,
// compared with kube-controller-manager with the same two, on one real kube-apiserver.
//
//   idle_memory [seconds]

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/parts/manager_kind.h"
#include "bench/parts/process_usage.h"
#include "e2e/api_server.h"
#include "e2e/process.h"

namespace {

using capstan::bench::ManagerKind;
using capstan::e2e::Process;

struct Usage {
  capstan::bench::MemoryUse memory;
  double cpu = 0;  // seconds
};

Usage UsageOf(pid_t pid) {
  return {capstan::bench::MemoryOf(pid), capstan::bench::CpuSecondsOf(pid)};
}

}  // namespace

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 30;
  if (!capstan::bench::ServersAreThere("idle_memory")) return 0;
  const auto server = capstan::e2e::NewKubeApiServer();
  const capstan::e2e::TempDirectory files;
  const auto start = [&](ManagerKind kind, int port) {
    std::vector<std::string> command = capstan::bench::CommandOf(kind);
    command.push_back("--kubeconfig=" + server->kubeconfig().string());
    command.push_back("--secure-port=" + std::to_string(port));
    return std::make_unique<Process>(command, files.path() / (std::string(NameOf(kind)) + ".log"));
  };
  const std::vector<int> ports = capstan::e2e::FreePorts(2);
  const auto capstan = start(ManagerKind::kCapstan, ports[0]);
  const auto stock = start(ManagerKind::kKcm, ports[1]);
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
        names[i], after[i].memory.resident, after[i].memory.proportional,
        after[i].memory.private_dirty, seconds, after[i].cpu - before[i].cpu);
  }
  std::printf("ratio    resident %.1f, private dirty %.1f\n",
              after[1].memory.resident / after[0].memory.resident,
              after[1].memory.private_dirty / after[0].memory.private_dirty);
  return 0;
}
