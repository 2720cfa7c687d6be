#include "plan.h"

#include <string_view>

#include <capstan/controller/ownership.h>

#include "pod_ranking.h"

namespace capstan::replicaset {
namespace {

// Leaves room for the five characters that the server appends.
constexpr size_t kMaxNameLength = 253;

}  // namespace

bool NeedsRelatedPods(const ReplicaSet& set, const std::vector<PodPtr>& active) {
  const int64_t surplus = static_cast<int64_t>(active.size()) - ReplicasOf(set);
  return surplus > 0 && std::min(surplus, kBurstReplicas) < static_cast<int64_t>(active.size());
}

ReplicasPlan PlanReplicas(const ReplicaSet& set, const std::vector<PodPtr>& active,
                          const std::vector<PodPtr>& related, WallTime now, int64_t hold) {
  ReplicasPlan plan;
  const int64_t surplus = static_cast<int64_t>(active.size()) - ReplicasOf(set);
  if (surplus < 0) {
    plan.create = std::clamp<int64_t>(-surplus - hold, 0, kBurstReplicas);
  } else if (surplus > 0) {
    plan.remove = NeedsRelatedPods(set, active)
                      ? RankForDeletion(active, ColocatedPodsOf(active, related), now)
                      : active;
    plan.remove.resize(static_cast<size_t>(std::min(surplus, kBurstReplicas)));
  }
  return plan;
}

api::core::v1::PodFromTemplate MakePod(const ReplicaSet& set) {
  const RawJson& pod_template = set.spec.template_;
  api::core::v1::PodFromTemplate pod;
  const std::string& name = set.metadata.name;
  pod.metadata.generateName = name.size() < kMaxNameLength ? name + "-" : name;
  pod.metadata.namespace_ = set.metadata.namespace_;
  pod.metadata.labels = pod_template.StringMapAt("/metadata/labels");
  pod.metadata.annotations = pod_template.StringMapAt("/metadata/annotations");
  for (int i = 0;; ++i) {
    const auto finalizer = pod_template.StringAt("/metadata/finalizers/" + std::to_string(i));
    if (!finalizer) break;
    pod.metadata.finalizers.push_back(InternedString(*finalizer));
  }
  pod.metadata.ownerReferences = {ControllerReferenceTo(set)};
  pod.spec = pod_template.At("/spec");
  return pod;
}

}  // namespace capstan::replicaset
