#include <memory>
#include <string>

#include "bench/side_by_side/full_cluster.h"
#include "bench/side_by_side/progress.h"
#include "bench/side_by_side/scenarios.h"

namespace capstan::bench {
namespace {

// The limits for memory are those of 50,000 pods.
Goal MemoryGoal(const SeedSize& size, double mebibytes) {
  return size.pods == 50000 ? Goal{.at_most = mebibytes} : Goal{};
}

}  // namespace

void MeasureColdStart(const Options& options, Report& report) {
  const SeedSize size{.pods = options.pods, .namespaces = 30};
  report.BeginSection("cold_start", "Start with " + TextOf(size));
  for (const ManagerKind kind : options.managers) {
    const auto cluster = NewFullCluster("cold_start", kind, size);
    Say("cold_start", kind, "measuring");
    const StartFigures figures = StartInFullCluster(*cluster, size, {}, options.quiet_seconds);
    report.Add(kind,
               {.label = "resident, " + std::to_string(options.quiet_seconds) + " s later",
                .unit = "MiB",
                .digits = 1,
                .goal = MemoryGoal(size, 40),
                .in_picture = true},
               figures.memory.resident);
    report.Add(
        kind,
        {.label = "peak while filling", .unit = "MiB", .digits = 1, .goal = MemoryGoal(size, 60)},
        figures.memory.peak);
    report.Add(kind,
               {.label = "from exec to the first write",
                .unit = "s",
                .digits = 2,
                .goal = {.ratio = 0.35},
                .in_picture = true},
               figures.first_write);
    report.Add(kind, CpuTime("the manager", {.ratio = 0.2}, true), figures.cost.manager_cpu);
    report.Add(kind, CpuTime("kube-apiserver", {.ratio = 0.6}, true), figures.cost.server_cpu);
    report.Add(kind, {.label = "requests"}, figures.cost.requests);
    report.Add(kind, {.label = "writes besides events"}, figures.cost.work);
  }
}

}  // namespace capstan::bench
