#include <chrono>
#include <string>
#include <thread>

#include "bench/parts/process_usage.h"
#include "bench/side_by_side/cluster.h"
#include "bench/side_by_side/progress.h"
#include "bench/side_by_side/scenarios.h"

namespace capstan::bench {

void MeasureIdle(const Options& options, Report& report) {
  report.BeginSection("idle", "Idle: no object to control, pages served, leading");
  for (const ManagerKind kind : options.managers) {
    Say("idle", kind, "starting");
    Cluster cluster(kind);
    cluster.AwaitQuietServer();
    cluster.StartManagerAndWait({"--secure-port=" + std::to_string(e2e::FreePorts(1).front())});
    // Memory that was needed only at start is released after half a minute.
    std::this_thread::sleep_for(std::chrono::seconds(35));
    const pid_t pid = cluster.manager_pid();
    const double cpu = cluster.ManagerCpu();
    const uint64_t wake_ups = WakeUpsOf(pid);
    std::this_thread::sleep_for(std::chrono::seconds(options.idle_seconds));
    const MemoryUse memory = MemoryOf(pid);
    report.Add(kind, {.label = "resident", .unit = "MiB", .digits = 1, .in_picture = true},
               memory.resident);
    report.Add(kind, {.label = "proportional", .unit = "MiB", .digits = 1}, memory.proportional);
    report.Add(kind, {.label = "CPU for a minute", .unit = "ms"},
               (cluster.ManagerCpu() - cpu) * 60000 / options.idle_seconds);
    report.Add(kind, {.label = "wake-ups a second", .digits = 1, .goal = {.at_most = 2}},
               static_cast<double>(WakeUpsOf(pid) - wake_ups) / options.idle_seconds);
  }
}

}  // namespace capstan::bench
