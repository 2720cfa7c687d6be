#include "bench/side_by_side/full_cluster.h"

#include <chrono>
#include <stdexcept>
#include <thread>

#include <capstan/api/apps_v1.h>

#include "bench/side_by_side/progress.h"
#include "bench/side_by_side/report.h"
#include "bench/side_by_side/workload.h"

namespace capstan::bench {

const SeedTemplates& SharedTemplates() {
  static const SeedTemplates templates = [] {
    Say("making the templates of the seeded objects");
    return SeedTemplates();
  }();
  return templates;
}

std::unique_ptr<Cluster> NewFullCluster(const std::string& scenario, ManagerKind kind,
                                        const SeedSize& size) {
  const SeedTemplates& templates = SharedTemplates();
  auto cluster = std::make_unique<Cluster>(kind, [&](const std::string& etcd_url) {
    Say(scenario, kind, "seeding " + TextOf(size));
    Seed(etcd_url, templates, size);
    Say(scenario, kind, "starting kube-apiserver");
  });
  cluster->AwaitQuietServer();
  return cluster;
}

std::string TextOf(const SeedSize& size) {
  const auto count = [](int number) { return FigureText(number, {}); };
  return count(size.deployments() * kSeedPodsEach) + " pods, " + count(size.replica_sets()) +
         " ReplicaSets, " + count(size.deployments()) + " Deployments";
}

StartFigures StartInFullCluster(Cluster& cluster, const SeedSize& size,
                                const std::vector<std::string>& flags, int quiet_seconds) {
  const int number = size.deployments() / 2;
  const auto patched = cluster.client().Patch<api::apps::v1::Deployment>(
      {SeedNamespaceOf(size, number), DeploymentName(number)}, PatchType::kMerge,
      R"({"spec":{"replicas":)" + std::to_string(kSeedPodsEach + 1) + "}}");
  if (!patched) throw std::runtime_error(patched.status().ToString());
  StartFigures figures;
  cluster.BeginPhase();
  const auto start = std::chrono::system_clock::now();
  cluster.StartManager(flags);
  cluster.AwaitFirstWrite(std::chrono::seconds(300));
  figures.cost = cluster.EndWhenIdle();
  const std::chrono::duration<double> first_write = *figures.cost.first_write - start;
  figures.first_write = first_write.count();
  std::this_thread::sleep_for(std::chrono::seconds(quiet_seconds));
  figures.memory = MemoryOf(cluster.manager_pid());
  return figures;
}

}  // namespace capstan::bench
