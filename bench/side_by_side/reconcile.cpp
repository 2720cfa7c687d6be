// The CPU time of the manager for one reconcile, in a small and in a large cluster. The same fifty
// Deployments are touched again and again, so that the clusters differ only in what is not touched.
//
// A change of a label makes the Deployment controller reconcile, and nothing is written. A change
// of an annotation is copied to the ReplicaSet: one write, and a reconcile of the ReplicaSet.

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include <capstan/api/apps_v1.h>

#include "bench/side_by_side/full_cluster.h"
#include "bench/side_by_side/progress.h"
#include "bench/side_by_side/scenarios.h"
#include "bench/side_by_side/workload.h"

namespace capstan::bench {
namespace {

using api::apps::v1::Deployment;
using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Steady = std::chrono::steady_clock;

constexpr int kTouched = 50;       // Deployments
constexpr milliseconds kPace{10};  // from one touch to the next

struct Touch {
  const char* name;
  const char* field;
};
constexpr Touch kTouches[] = {{"without a write", "labels"}, {"with a write", "annotations"}};

// Milliseconds of the manager's CPU for one touch, without what it uses anyway.
double MeasureTouches(Cluster& cluster, const SeedSize& size, const Touch& touch,
                      const Options& options) {
  const int count = options.touches;
  const seconds idle_time{options.quick ? 2 : 5};
  const double before_idle = cluster.ManagerCpu();
  std::this_thread::sleep_for(idle_time);
  const double idle = (cluster.ManagerCpu() - before_idle) / duration<double>(idle_time).count();

  const int touched = std::min(kTouched, size.deployments());
  cluster.BeginPhase();
  const double before = cluster.ManagerCpu();
  const auto start = Steady::now();
  for (int i = 0; i < count; ++i) {
    std::this_thread::sleep_until(start + i * kPace);
    const int number = i % touched;
    const auto patched = cluster.client().Patch<Deployment>(
        {SeedNamespaceOf(size, number), DeploymentName(number)}, PatchType::kMerge,
        std::string(R"({"metadata":{")") + touch.field + R"(":{"example.com/touched":")" +
            std::to_string(i) + R"("}}})");
    if (!patched) throw std::runtime_error(patched.status().ToString());
  }
  std::this_thread::sleep_for(seconds(1));
  const double used =
      cluster.ManagerCpu() - before - idle * duration<double>(Steady::now() - start).count();
  const Cost cost = cluster.EndWhenWritten();
  const bool writes = touch.field == std::string("annotations");
  if (writes ? cost.work < count / 2 : cost.work > count / 10) {
    throw std::runtime_error("touching " + std::string(touch.field) + " made " +
                             std::to_string(cost.work) + " writes for " + std::to_string(count));
  }
  return std::max(used, 0.0) * 1000 / count;
}

struct Layout {
  SeedSize size;
  std::optional<size_t> compared_with;  // another layout
};

std::string LayoutText(const SeedSize& size) {
  return FigureText(size.deployments() * kSeedPodsEach, {}) + " pods in " +
         (size.namespaces == 1 ? "one namespace" : std::to_string(size.namespaces) + " namespaces");
}

void AddStart(Report& report, ManagerKind kind, const StartFigures& figures) {
  report.Add(kind, {.label = "resident", .unit = "MiB", .digits = 1}, figures.memory.resident);
  report.Add(kind, {.label = "from exec to the first write", .unit = "s", .digits = 2},
             figures.first_write);
}

}  // namespace

void MeasureReconcile(const Options& options, Report& report) {
  constexpr int kSmall = 1000;
  const Layout layouts[] = {{{.pods = kSmall, .namespaces = 30}, {}},
                            {{.pods = options.reconcile_pods, .namespaces = 30}, 0},
                            {{.pods = options.reconcile_pods, .namespaces = 1}, 0}};
  std::array<std::array<std::array<double, 2>, std::size(kTouches)>, std::size(layouts)> costs{};
  for (size_t i = 0; i < std::size(layouts); ++i) {
    const SeedSize& size = layouts[i].size;
    report.BeginSection("reconcile", "One reconcile among " + LayoutText(size));
    for (const ManagerKind kind : options.managers) {
      const auto cluster = NewFullCluster("reconcile", kind, size);
      Say("reconcile", kind, "measuring");
      AddStart(report, kind, StartInFullCluster(*cluster, size, FastFlags(), 3));
      for (size_t k = 0; k < std::size(kTouches); ++k) {
        double& cost = costs[i][k][static_cast<size_t>(kind)];
        cost = MeasureTouches(*cluster, size, kTouches[k], options);
        const std::string name = kTouches[k].name;
        report.Add(kind, {.label = "CPU " + name, .unit = "ms", .digits = 3}, cost);
        const auto& other = layouts[i].compared_with;
        if (!other) continue;
        const double small = costs[*other][k][static_cast<size_t>(kind)];
        if (small <= 0) continue;
        report.Add(kind,
                   {.label = "CPU " + name + ", times that of " + FigureText(kSmall, {}) + " pods",
                    .digits = 2,
                    .goal = {.at_most = 1.1}},
                   cost / small);
      }
    }
  }
}

}  // namespace capstan::bench
