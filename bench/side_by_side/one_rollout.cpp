// One Deployment of ten pods in an otherwise idle cluster gets another image.

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <capstan/api/apps_v1.h>

#include "bench/side_by_side/cluster.h"
#include "bench/side_by_side/pod_starter.h"
#include "bench/side_by_side/progress.h"
#include "bench/side_by_side/scenarios.h"
#include "bench/side_by_side/workload.h"

namespace capstan::bench {
namespace {

using api::apps::v1::Deployment;
using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kPods = 10;
constexpr milliseconds kReadyAfter{500};
// With the default strategy (3 more pods than 10, 8 available) no controller needs fewer than two
// rounds of pods that start: 5 new ones while 8 old ones serve, then the other 5.
constexpr int kRounds = 2;

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The seconds of each rollout.
std::vector<double> RollOut(Cluster& cluster, int rollouts) {
  const std::string name = DeploymentName(0);
  const Client& client = cluster.client();
  DeploymentView view(client, "default");
  PodStarter starter(client, {.namespace_name = "default", .ready_after = kReadyAfter});
  const auto await = [&](int64_t generation) {
    view.AwaitComplete(
        {{name, generation}}, kPods, [&] { return starter.HasReadyPods(kPods); }, seconds(120));
  };
  const auto made =
      client.Create(DescriptorOf<Deployment>(), "default", DeploymentJson(name, kPods, 1));
  if (!made) throw std::runtime_error(made.status().ToString());
  await(1);
  cluster.EndWhenWritten();
  cluster.BeginPhase();
  std::vector<double> times;
  for (int i = 0; i < rollouts; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto patched =
        client.Patch<Deployment>({"default", name}, PatchType::kStrategicMerge, ImagePatch(i + 2));
    if (!patched) throw std::runtime_error(patched.status().ToString());
    await((*patched)->metadata.generation);
    times.push_back(duration<double>(std::chrono::steady_clock::now() - start).count());
    std::this_thread::sleep_for(seconds(2));
  }
  return times;
}

}  // namespace

void MeasureOneRollout(const Options& options, Report& report) {
  const double pods_take = kRounds * duration<double>(kReadyAfter).count();
  report.BeginSection("one_rollout", "Image change of one Deployment of 10 pods, median of " +
                                         std::to_string(options.rollouts));
  for (const ManagerKind kind : options.managers) {
    Say("one_rollout", kind, "starting");
    Cluster cluster(kind);
    cluster.AwaitQuietServer();
    cluster.StartManagerAndWait({});
    Say("one_rollout", kind, "measuring");
    const std::vector<double> times = RollOut(cluster, options.rollouts);
    const Cost cost = cluster.EndWhenWritten();
    report.Add(kind, {.label = "time", .unit = "s", .digits = 3}, Median(times));
    report.Add(kind,
               {.label = "beyond what pods take (" +
                         FigureText(pods_take, {.label = "", .digits = 1}) + " s)",
                .unit = "s",
                .digits = 3,
                .goal = {.ratio = 0.5},
                .in_picture = true},
               Median(times) - pods_take);
    report.Add(kind, {.label = "writes besides events, for each", .digits = 1},
               static_cast<double>(cost.work) / options.rollouts);
    report.Add(kind, {.label = "CPU of the manager, for each", .unit = "ms", .digits = 1},
               cost.manager_cpu * 1000 / options.rollouts);
  }
}

}  // namespace capstan::bench
