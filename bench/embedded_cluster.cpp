// Measures the embedded cluster: simple writes per second over its in-process transport, and the
// CPU time of a rolling update of N pods with the Deployment and ReplicaSet plugins, a kubelet and
// all events, in virtual time.
//
//   embedded_cluster [pods] [writes]

#include <ctime>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <capstan/api/apps_v1.h>
#include <capstan/testing/fake_cluster.h>

#include "load_plugins.h"

namespace {

using capstan::HttpRequest;
using capstan::PatchType;
using capstan::api::apps::v1::Deployment;
using capstan::testing::FakeCluster;

constexpr int kRounds = 5;

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Patches one lease, as a leader elector does.
void MeasureWrites(int writes) {
  FakeCluster cluster({.with_kubelet = false});
  cluster.CreateJson(
      R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"bench"},)"
      R"("spec":{"holderIdentity":"a","leaseDurationSeconds":15,"leaseTransitions":0}})");
  const auto transport = cluster.server().NewTransport();
  const double start = CpuSeconds();
  for (int i = 1; i <= writes; ++i) {
    HttpRequest request{.method = "PATCH",
                        .target = "/apis/coordination.k8s.io/v1/namespaces/default/leases/bench",
                        .headers = {{"Content-Type", "application/merge-patch+json"}},
                        .body = R"({"spec":{"leaseTransitions":)" + std::to_string(i) + "}}"};
    auto response = transport->RoundTrip(request, {});
    if (!response || (*response)->status() != 200) throw std::runtime_error("a write failed");
  }
  const double seconds = CpuSeconds() - start;
  std::printf("%d merge patches of a Lease: %.0f a second, %.1f us each\n", writes,
              writes / seconds, seconds / writes * 1e6);
}

std::string DeploymentJson(int pods) {
  return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{)"
         R"("replicas":)" +
         std::to_string(pods) +
         R"(,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{)"
         R"("app":"web"}},"spec":{"containers":[{"name":"web","image":"web:1"}]}}}})";
}

bool IsComplete(FakeCluster& cluster, int pods) {
  const auto web = cluster.Get<Deployment>("web");
  return web->status.observedGeneration >= web->metadata.generation &&
         web->status.updatedReplicas == pods && web->status.replicas == pods &&
         web->status.availableReplicas == pods;
}

// Returns the CPU seconds of a rolling update.
double RollingUpdate(const std::vector<capstan::manager::LoadedPlugin>& plugins, int pods) {
  FakeCluster cluster;
  for (const auto& plugin : plugins) cluster.Load(plugin.setup, plugin.manifest.name);
  cluster.CreateJson(DeploymentJson(pods));
  if (!cluster.RunUntil([&] { return IsComplete(cluster, pods); })) {
    throw std::runtime_error("the first rollout did not finish");
  }
  const int64_t version = cluster.server().ResourceVersion();
  const double start = CpuSeconds();
  const auto patched = cluster.client().Patch<Deployment>(
      {"default", "web"}, PatchType::kStrategicMerge,
      R"({"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:2"}]}}}})");
  if (!patched) throw std::runtime_error(patched.status().ToString());
  if (!cluster.RunUntil([&] { return IsComplete(cluster, pods); })) {
    throw std::runtime_error("the rolling update did not finish");
  }
  const double seconds = CpuSeconds() - start;
  std::printf("rolling update of %d pods: %.1f ms, %lld writes\n", pods, seconds * 1e3,
              static_cast<long long>(cluster.server().ResourceVersion() - version));
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  const int pods = argc > 1 ? std::atoi(argv[1]) : 100;
  const int writes = argc > 2 ? std::atoi(argv[2]) : 100'000;
  MeasureWrites(writes);
  const auto plugins = capstan::bench::LoadPlugins();
  std::vector<double> seconds;
  seconds.reserve(kRounds);
  for (int round = 0; round < kRounds; ++round) seconds.push_back(RollingUpdate(plugins, pods));
  std::sort(seconds.begin(), seconds.end());
  std::printf("median of %d: %.1f ms of CPU time\n", kRounds, seconds[kRounds / 2] * 1e3);
  return 0;
}
