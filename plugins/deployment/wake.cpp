#include "wake.h"

#include <algorithm>

#include <capstan/controller/pods.h>

namespace capstan::deployment {

bool HasUnfinishedPods(const ReplicaSet& set, const Lister<Pod>& pods) {
  const auto owned = pods.OwnedBy(set.metadata.uid);
  return std::any_of(owned.begin(), owned.end(), [](const auto& pod) { return !IsFinished(*pod); });
}

void WakeRecreate(const Pod* before, const Pod* after, const Lister<Deployment>& deployments,
                  const Lister<ReplicaSet>& sets, const Lister<Pod>& pods,
                  std::vector<NamespacedName>& keys) {
  const bool ended = before && !IsFinished(*before) && (!after || IsFinished(*after));
  if (!ended) return;
  const api::OwnerReference* set_reference = api::ControllerOf(before->metadata);
  if (!set_reference || set_reference->kind != "ReplicaSet") return;
  const ReplicaSetPtr set = sets.Get(before->metadata.namespace_, set_reference->name);
  if (!set || set->metadata.uid != set_reference->uid) return;
  const api::OwnerReference* reference = api::ControllerOf(set->metadata);
  if (!reference || reference->kind != "Deployment") return;
  const auto deployment = deployments.Get(set->metadata.namespace_, reference->name);
  if (!deployment || deployment->metadata.uid != reference->uid) return;
  if (deployment->spec.strategy.type != "Recreate") return;
  const auto owned = sets.OwnedBy(deployment->metadata.uid);
  const bool waits = std::any_of(owned.begin(), owned.end(), [&](const ReplicaSetPtr& other) {
    return HasUnfinishedPods(*other, pods);
  });
  if (waits) return;
  keys.push_back(api::NameOf(deployment->metadata));
}

}  // namespace capstan::deployment
