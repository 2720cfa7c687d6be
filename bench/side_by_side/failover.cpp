#include <algorithm>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "bench/parts/failover_bench.h"
#include "bench/side_by_side/progress.h"
#include "bench/side_by_side/scenarios.h"

namespace capstan::bench {

void MeasureFailover(const Options& options, Report& report) {
  report.BeginSection("failover",
                      "From the leader's end to a new leader's first write, median of " +
                          std::to_string(options.failovers));
  for (const ManagerKind kind : options.managers) {
    Say("failover", kind, "starting");
    std::vector<std::string> command = CommandOf(kind);
    command.push_back("--secure-port=0");
    FailoverBench bench(NameOf(kind), std::move(command));
    for (const auto& [name, signal] : {std::pair{"SIGTERM", SIGTERM}, {"SIGKILL", SIGKILL}}) {
      Say("failover", kind, name);
      std::vector<double> times;
      times.reserve(static_cast<size_t>(options.failovers));
      for (int i = 0; i < options.failovers; ++i)
        times.push_back(static_cast<double>(bench.Round(signal).count()) / 1000);
      std::sort(times.begin(), times.end());
      report.Add(kind,
                 {.label = std::string("after ") + name,
                  .unit = "s",
                  .digits = 2,
                  .in_picture = signal == SIGTERM},
                 times[times.size() / 2]);
    }
  }
}

}  // namespace capstan::bench
