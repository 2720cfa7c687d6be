// Many Deployments at once: they are created, get another image, and are scaled down to one pod.

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
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
using DeploymentResult = Result<std::shared_ptr<const Deployment>>;

constexpr char kNamespace[] = "default";
constexpr std::chrono::seconds kBurstLimit{1200};
constexpr int kClients = 4;

struct BurstFigures {
  double wall = 0;  // seconds, from before the first request until all is as it should be
  Cost cost;        // until the last write, events included
};

class Bursts {
 public:
  Bursts(ManagerKind kind, const Options& options, const std::vector<std::string>& flags)
      : options_(options),
        cluster_(kind),
        view_(cluster_.client(), kNamespace),
        starter_(cluster_.client(), {.namespace_name = kNamespace}) {
    cluster_.AwaitQuietServer();
    cluster_.StartManagerAndWait(flags);
  }

  BurstFigures Create() {
    return Run(options_.pods_each, [&](const std::string& name) -> DeploymentResult {
      auto made = cluster_.client().Create(DescriptorOf<Deployment>(), kNamespace,
                                           DeploymentJson(name, options_.pods_each, 1));
      if (!made) return made.status();
      return std::static_pointer_cast<const Deployment>(*made);
    });
  }
  BurstFigures ChangeImage() { return Patch(options_.pods_each, ImagePatch(2)); }
  BurstFigures ScaleDown() { return Patch(1, R"({"spec":{"replicas":1}})"); }

 private:
  BurstFigures Patch(int replicas, const std::string& patch) {
    return Run(replicas, [&](const std::string& name) {
      return cluster_.client().Patch<Deployment>({kNamespace, name}, PatchType::kStrategicMerge,
                                                 patch);
    });
  }

  // Changes all Deployments, and waits until they have `replicas` pods each, all of them new.
  BurstFigures Run(int replicas,
                   const std::function<DeploymentResult(const std::string& name)>& change) {
    BurstFigures figures;
    cluster_.BeginPhase();
    const auto start = std::chrono::steady_clock::now();
    const auto generations = ChangeAll(change);
    const auto pods = static_cast<size_t>(replicas) * static_cast<size_t>(options_.deployments);
    view_.AwaitComplete(
        generations, replicas, [&] { return starter_.HasReadyPods(pods); }, kBurstLimit);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    figures.wall = wall.count();
    figures.cost = cluster_.EndWhenWritten();
    return figures;
  }

  // Returns the generations that the changes made.
  std::map<std::string, int64_t> ChangeAll(
      const std::function<DeploymentResult(const std::string& name)>& change) {
    std::mutex mutex;
    std::map<std::string, int64_t> generations;
    Status failure;
    std::vector<std::thread> clients;
    clients.reserve(kClients);
    for (int first = 0; first < kClients; ++first) {
      clients.emplace_back([&, first] {
        for (int i = first; i < options_.deployments; i += kClients) {
          const DeploymentResult changed = change(DeploymentName(i));
          const std::lock_guard lock(mutex);
          if (changed) {
            generations[DeploymentName(i)] = (*changed)->metadata.generation;
          } else {
            failure = changed.status();
          }
        }
      });
    }
    for (std::thread& client : clients) client.join();
    if (!failure.ok()) throw std::runtime_error(failure.ToString());
    return generations;
  }

  const Options& options_;
  Cluster cluster_;
  DeploymentView view_;
  PodStarter starter_;
};

struct BurstGoals {
  Goal wall = {};
  Goal writes = {};
  Goal manager_cpu = {};
  Goal server_cpu = {};
};

void AddFigures(Report& report, ManagerKind kind, const BurstFigures& figures,
                const BurstGoals& goals, bool in_picture) {
  report.Add(
      kind,
      {.label = "time", .unit = "s", .digits = 2, .goal = goals.wall, .in_picture = in_picture},
      figures.wall);
  report.Add(kind,
             {.label = "writes besides events", .goal = goals.writes, .in_picture = in_picture},
             figures.cost.work);
  report.Add(kind, CpuTime("the manager", goals.manager_cpu, in_picture), figures.cost.manager_cpu);
  report.Add(kind, CpuTime("kube-apiserver", goals.server_cpu, in_picture),
             figures.cost.server_cpu);
  report.Add(kind, {.label = "events written"}, figures.cost.events);
  for (const auto& [what, count] : figures.cost.writes)
    report.Add(kind, {.label = "  " + what}, count);
}

std::string SizeText(const Options& options) {
  return std::to_string(options.deployments) + " Deployments of " +
         std::to_string(options.pods_each) + " pods";
}

}  // namespace

void MeasureBursts(const Options& options, Report& report) {
  std::map<ManagerKind, std::vector<BurstFigures>> figures;
  for (const ManagerKind kind : options.managers) {
    Say("bursts", kind, "starting");
    Bursts bursts(kind, options, FastFlags());
    Say("bursts", kind, "create");
    figures[kind].push_back(bursts.Create());
    Say("bursts", kind, "image change");
    figures[kind].push_back(bursts.ChangeImage());
    Say("bursts", kind, "scale-down");
    figures[kind].push_back(bursts.ScaleDown());
  }
  const bool is_issue_size = options.deployments == 100 && options.pods_each == 10;
  const struct {
    const char* scenario;
    std::string title;
    BurstGoals goals;
    bool in_picture;
  } sections[] = {
      {"create", "Create " + SizeText(options), {.wall = {.ratio = 0.8}}, false},
      {"image_change",
       "Image change of " + SizeText(options),
       {.wall = {.ratio = 0.55},
        .writes = is_issue_size ? Goal{.at_most = 2900} : Goal{},
        .manager_cpu = {.ratio = 0.2},
        .server_cpu = {.ratio = 0.55}},
       true},
      {"scale_down",
       "Scale-down of " + SizeText(options) + " to 1",
       {.wall = {.ratio = 0.8}},
       false},
  };
  for (size_t i = 0; i < std::size(sections); ++i) {
    report.BeginSection(sections[i].scenario, sections[i].title);
    for (const ManagerKind kind : options.managers)
      AddFigures(report, kind, figures[kind][i], sections[i].goals, sections[i].in_picture);
  }
}

void MeasureDefaultFlags(const Options& options, Report& report) {
  report.BeginSection("default_flags", SizeText(options) + " with the default request rate");
  for (const ManagerKind kind : options.managers) {
    Say("default_flags", kind, "starting");
    Bursts bursts(kind, options, {});
    // Of Capstan's own time at a rate that limits nothing, if that was measured.
    const auto goal = [&](const char* scenario) -> Goal {
      const auto fast = report.Find(scenario, "time", ManagerKind::kCapstan);
      if (!fast) return {};
      return {.at_most = *fast * 1.1,
              .text = "≤ 1.1 × " + FigureText(*fast, {.label = "", .unit = "s", .digits = 2}) +
                      " (--kube-api-qps=1000)"};
    };
    Say("default_flags", kind, "create");
    report.Add(kind, {.label = "create", .unit = "s", .digits = 2, .goal = goal("create")},
               bursts.Create().wall);
    Say("default_flags", kind, "image change");
    report.Add(kind,
               {.label = "image change",
                .unit = "s",
                .digits = 2,
                .goal = goal("image_change"),
                .in_picture = true},
               bursts.ChangeImage().wall);
  }
}

}  // namespace capstan::bench
