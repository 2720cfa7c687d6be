// Counts the requests that the controllers send for many concurrent rollouts: Deployments are
// created, then their image is changed. It runs in virtual time against the embedded cluster. API
// responses and pod starts take as long as in a real cluster.
//
//   rollouts [deployments] [pods of each] [seed]

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <capstan/api/apps_v1.h>
#include <capstan/testing/fake_cluster.h>

#include "load_plugins.h"

namespace {

using capstan::HttpRequest;
using Milliseconds = std::chrono::milliseconds;
using capstan::PatchType;
using capstan::api::apps::v1::Deployment;
using capstan::testing::FakeCluster;

// Returns a kind of request such as "PATCH replicasets/status".
std::string KindOf(const HttpRequest& request) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin != std::string::npos && begin < request.target.size();) {
    const size_t slash = request.target.find('/', begin + 1);
    parts.push_back(request.target.substr(begin + 1, slash - begin - 1));
    begin = slash;
  }
  size_t i = 0;
  while (i < parts.size() && parts[i] != "namespaces") ++i;
  std::string kind = request.method + " " + (i + 2 < parts.size() ? parts[i + 2] : request.target);
  if (i + 4 < parts.size()) kind += "/" + parts[i + 4];
  return kind;
}

class Bench {
 public:
  Bench(const std::vector<capstan::manager::LoadedPlugin>& plugins, int deployments, int pods,
        unsigned seed)
      : cluster_({.seed = seed}), deployments_(deployments), pods_(pods), random_(seed) {
    cluster_.kubelet()->BehaveBy([this](const capstan::NamespacedName&) {
      std::uniform_int_distribution<int> ready(50, 500);
      std::uniform_int_distribution<int> gone(10, 200);
      return capstan::testing::PodBehaviour{.ready_after = Milliseconds(ready(random_)),
                                            .gone_after = Milliseconds(gone(random_))};
    });
    cluster_.faults().On({}).Do([this](const HttpRequest& request) {
      if (request.method != "GET") ++counts_[KindOf(request)];
    });
    cluster_.faults().On({.method = "P*"}).Delay(Milliseconds(4));
    cluster_.faults().On({.method = "DELETE"}).Delay(Milliseconds(4));
    for (const auto& plugin : plugins) cluster_.Load(plugin.setup, plugin.manifest.name);
  }

  void Create() {
    for (int i = 0; i < deployments_; ++i) {
      cluster_.CreateJson(
          R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web-)" +
          std::to_string(i) + R"("},"spec":{"replicas":)" + std::to_string(pods_) +
          R"(,"selector":{"matchLabels":{"app":"web-)" + std::to_string(i) +
          R"("}},"template":{"metadata":{"labels":{"app":"web-)" + std::to_string(i) +
          R"("}},"spec":{"containers":[{"name":"web","image":"web:1"}]}}}})");
    }
    Finish("create");
  }

  void ChangeImage() {
    for (int i = 0; i < deployments_; ++i) {
      const auto patched = cluster_.client().Patch<Deployment>(
          {"default", "web-" + std::to_string(i)}, PatchType::kStrategicMerge,
          R"({"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:2"}]}}}})");
      if (!patched) throw std::runtime_error(patched.status().ToString());
    }
    Finish("image change");
  }

 private:
  bool IsComplete() {
    for (const auto& web : cluster_.List<Deployment>()) {
      if (web->status.observedGeneration < web->metadata.generation ||
          web->status.updatedReplicas != pods_ || web->status.replicas != pods_ ||
          web->status.availableReplicas != pods_) {
        return false;
      }
    }
    return true;
  }

  void Finish(const char* what) {
    const auto start = cluster_.runtime().Now();
    if (!cluster_.RunUntil([this] { return IsComplete(); })) {
      throw std::runtime_error(std::string(what) + " did not finish");
    }
    const std::chrono::duration<double> took = cluster_.runtime().Now() - start;
    cluster_.AdvanceBy(std::chrono::seconds(30));
    int writes = 0;
    int events = 0;
    std::printf("%s of %d Deployments with %d pods: %.1f s of virtual time\n", what, deployments_,
                pods_, took.count());
    for (const auto& [kind, count] : counts_) {
      std::printf("  %6d  %s\n", count, kind.c_str());
      (kind.find(" events") == std::string::npos ? writes : events) += count;
    }
    std::printf("  %d write requests and %d of events\n", writes, events);
    counts_.clear();
  }

  FakeCluster cluster_;
  const int deployments_;
  const int pods_;
  std::mt19937 random_;
  std::map<std::string, int> counts_;
};

}  // namespace

int main(int argc, char** argv) {
  const int deployments = argc > 1 ? std::atoi(argv[1]) : 100;
  const int pods = argc > 2 ? std::atoi(argv[2]) : 10;
  const auto seed = static_cast<unsigned>(argc > 3 ? std::atoi(argv[3]) : 1);
  const auto plugins = capstan::bench::LoadPlugins();
  Bench bench(plugins, deployments, pods, seed);
  bench.Create();
  bench.ChangeImage();
  return 0;
}
