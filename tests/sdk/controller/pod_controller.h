#pragma once

// A controller that keeps as many pods as each ReplicaSet wants, by a function of the test.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>
#include <capstan/controller.h>

namespace capstan {

using api::apps::v1::ReplicaSet;
using api::core::v1::Pod;
using api::core::v1::PodFromTemplate;

// The reconcile function of a test for a ReplicaSet and its pods. Must be set before Load.
using PodKeeping = std::function<Status(const Client&, const ReplicaSet&,
                                        const std::vector<std::shared_ptr<const Pod>>& pods)>;
// NOLINTNEXTLINE: a plugin's Setup is a function without arguments of the test's
inline PodKeeping create_missing_pods;

class PodController final : public Reconciler {
 public:
  explicit PodController(PluginContext& context)
      : client_(context.client()),
        sets_(context.ListerFor<ReplicaSet>()),
        pods_(context.ListerFor<Pod>()) {}

  Result<Action> Reconcile(const Request& request) override {
    const auto set = sets_.Get(request.name);
    if (!set) return Action::AwaitChange();
    Status status = create_missing_pods(client_, *set, pods_.OwnedBy(set->metadata.uid));
    if (!status.ok()) return status;
    return Action::RequeueAfter(std::chrono::seconds(1));
  }

 private:
  const Client client_;
  const Lister<ReplicaSet> sets_;
  const Lister<Pod> pods_;
};

inline Status SetUpPodController(PluginContext& context) {
  return context.NewController("keeper").For<ReplicaSet>().Owns<Pod>().Run<PodController>();
}

inline std::string PodJson(const ReplicaSet& set) {
  PodFromTemplate pod;
  pod.metadata.generateName = set.metadata.name + "-";
  pod.metadata.namespace_ = set.metadata.namespace_;
  pod.metadata.ownerReferences = {ControllerReferenceTo(set)};
  pod.spec =
      RawJson::Parse(R"({"containers":[{"name":"main","image":"example.com/main"}]})").value();
  return ToJson(pod);
}

inline Status CreatePod(const Client& client, const ReplicaSet& set) {
  return client
      .Create(DescriptorOf<PodFromTemplate>(), set.metadata.namespace_, PodJson(set),
              &DescriptorOf<Pod>())
      .status();
}

// Keeps as many pods as the ReplicaSet wants, in the simplest way: it trusts its caches.
inline Status CreateMissingPods(const Client& client, const ReplicaSet& set,
                                const std::vector<std::shared_ptr<const Pod>>& pods) {
  std::vector<std::shared_ptr<const Pod>> active;
  for (const auto& pod : pods) {
    if (!pod->metadata.deletionTimestamp) active.push_back(pod);
  }
  const size_t wanted = static_cast<size_t>(set.spec.replicas.value_or(1));
  for (size_t i = active.size(); i < wanted; ++i) {
    if (Status created = CreatePod(client, set); !created.ok()) return created;
  }
  for (size_t i = wanted; i < active.size(); ++i) {
    if (Status gone = client.Delete<Pod>(api::NameOf(active[i]->metadata)); !gone.ok()) return gone;
  }
  return Status::Ok();
}

inline std::string ReplicaSetJson(const std::string& name, int replicas,
                                  const std::string& namespace_ = "default") {
  return R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":")" + name +
         R"(","namespace":")" + namespace_ +
         R"("},"spec":{"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":)"
         R"({"app":"web"}},"spec":{"containers":[{"name":"main","image":"example.com/main"}]}},)"
         R"("replicas":)" +
         std::to_string(replicas) + "}}";
}

}  // namespace capstan
