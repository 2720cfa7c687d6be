// Measures the control gap after the leading manager ends: from the signal to the first write of
// its successor, as recorded in the audit log of a real kube-apiserver. It runs three replicas of
// each kind of manager. Each kind has a separate kube-apiserver, and both run at the same time. All
// leader election flags have their defaults.
//
//   failover [rounds] [TERM|KILL|both] [capstan|kcm|both]

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/parts/failover_bench.h"
#include "bench/parts/manager_kind.h"
#include "e2e/process.h"

namespace {

using capstan::bench::FailoverBench;
using capstan::bench::ManagerKind;
using capstan::e2e::Milliseconds;

void Print(const std::string& kind, const char* signal, std::vector<Milliseconds> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    const long index = std::lround(share * static_cast<double>(times.size() - 1));
    return static_cast<long>(times[static_cast<size_t>(index)].count());
  };
  std::printf("%-8s SIG%-4s %3zu rounds: min %ld, median %ld, p90 %ld, p99 %ld, max %ld ms\n",
              kind.c_str(), signal, times.size(), at(0), at(0.5), at(0.9), at(0.99), at(1));
  std::fflush(stdout);
}

void Run(const std::string& kind, const std::vector<std::string>& command, int rounds,
         const std::string& signals) {
  try {
    FailoverBench bench(kind, command);
    for (const auto& [name, number] : {std::pair{"TERM", SIGTERM}, std::pair{"KILL", SIGKILL}}) {
      if (signals != "both" && signals != name) continue;
      std::vector<Milliseconds> times;
      times.reserve(static_cast<size_t>(rounds));
      for (int i = 0; i < rounds; ++i) times.push_back(bench.Round(number));
      Print(kind, name, std::move(times));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "failover: %s: %s\n", kind.c_str(), error.what());
    std::exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 30;
  const std::string signals = argc > 2 ? argv[2] : "both";
  const std::string kinds = argc > 3 ? argv[3] : "both";
  if (rounds < 1) {
    std::fprintf(stderr, "usage: failover [rounds] [TERM|KILL|both] [capstan|kcm|both]\n");
    return 2;
  }
  if (!capstan::bench::ServersAreThere("failover")) return 0;
  std::vector<std::thread> benches;
  for (const ManagerKind kind : {ManagerKind::kCapstan, ManagerKind::kKcm}) {
    const std::string name = capstan::bench::NameOf(kind);
    if (kinds != "both" && kinds != name) continue;
    std::vector<std::string> command = capstan::bench::CommandOf(kind);
    command.push_back("--secure-port=0");
    benches.emplace_back(Run, name, std::move(command), rounds, signals);
  }
  for (std::thread& bench : benches) bench.join();
  return 0;
}
