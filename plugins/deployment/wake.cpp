#include "wake.h"

#include <algorithm>

namespace capstan::deployment {
namespace {

const Uid& ControllerUid(const api::ObjectMeta& metadata) {
  static const Uid kNone;
  const api::OwnerReference* owner = api::ControllerOf(metadata);
  return owner ? owner->uid : kNone;
}

bool HasUnfinishedPods(const Uid& deployment, const Lister<ReplicaSet>& sets,
                       const Lister<Pod>& pods) {
  for (const ReplicaSetPtr& set : sets.OwnedBy(deployment)) {
    const auto owned = pods.OwnedBy(set->metadata.uid);
    if (std::any_of(owned.begin(), owned.end(), [](const auto& pod) { return IsUnfinished(*pod); }))
      return true;
  }
  return false;
}

}  // namespace

void WakeAdopters(const ReplicaSet* before, const ReplicaSet* after,
                  const Lister<Deployment>& deployments, std::vector<NamespacedName>& keys) {
  if (!after || after->metadata.deletionTimestamp || after->metadata.labels.empty()) return;
  if (api::ControllerOf(after->metadata)) return;
  if (before && before->metadata.labels == after->metadata.labels &&
      ControllerUid(before->metadata).empty()) {
    return;
  }
  for (const auto& deployment : deployments.ListNamespace(after->metadata.namespace_)) {
    const Result<Selector> selector = Selector::From(deployment->spec.selector);
    if (!selector || selector->IsEverything()) continue;
    if (selector->Matches(after->metadata.labels))
      keys.push_back(api::NameOf(deployment->metadata));
  }
}

void WakeRecreate(const Pod* before, const Pod* after, const Lister<Deployment>& deployments,
                  const Lister<ReplicaSet>& sets, const Lister<Pod>& pods,
                  std::vector<NamespacedName>& keys) {
  const bool ended = before && IsUnfinished(*before) && (!after || !IsUnfinished(*after));
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
  if (HasUnfinishedPods(deployment->metadata.uid, sets, pods)) return;
  keys.push_back(api::NameOf(deployment->metadata));
}

}  // namespace capstan::deployment
