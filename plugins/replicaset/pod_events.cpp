#include "pod_events.h"

#include <utility>

namespace capstan::replicaset {
namespace {

const api::OwnerReference* OwningSet(const Pod& pod) {
  const api::OwnerReference* owner = api::ControllerOf(pod.metadata);
  return owner && owner->kind == "ReplicaSet" ? owner : nullptr;
}

bool SameOwner(const Pod& a, const Pod& b) {
  const api::OwnerReference* owner_a = api::ControllerOf(a.metadata);
  const api::OwnerReference* owner_b = api::ControllerOf(b.metadata);
  if (!owner_a || !owner_b) return owner_a == owner_b;
  return owner_a->uid == owner_b->uid;
}

void Wake(const Pod& pod, const api::OwnerReference& owner, std::vector<NamespacedName>& keys) {
  keys.push_back({pod.metadata.namespace_.str(), owner.name.str()});
}

void ObserveDeletion(const Pod& pod, Expectations& expectations,
                     std::vector<NamespacedName>& keys) {
  const api::OwnerReference* owner = OwningSet(pod);
  if (owner && expectations.DeletionObserved(owner->uid, pod.metadata.uid)) Wake(pod, *owner, keys);
}

}  // namespace

void ObservePod(const Pod* before, const Pod* after, Expectations& expectations,
                std::vector<NamespacedName>& keys) {
  // Recreated under the same name, or given to somebody else: gone for its former owner.
  const bool replaced = before && after && before->metadata.uid != after->metadata.uid;
  if (before && (!after || replaced || !SameOwner(*before, *after))) {
    ObserveDeletion(*before, expectations, keys);
  }
  if (!after) return;
  if (after->metadata.deletionTimestamp) ObserveDeletion(*after, expectations, keys);
  if (before && !replaced) return;
  // A pod that is first seen while it is being deleted counts too: its creation has been seen.
  const api::OwnerReference* owner = OwningSet(*after);
  if (owner && expectations.CreationObserved(owner->uid)) Wake(*after, *owner, keys);
}

void WakeAdopters(const Pod* before, const Pod* after, const Lister<ReplicaSet>& sets,
                  std::vector<NamespacedName>& keys) {
  if (!after || api::ControllerOf(after->metadata) || after->metadata.deletionTimestamp) return;
  if (before && before->metadata.labels == after->metadata.labels && SameOwner(*before, *after)) {
    return;
  }
  if (after->metadata.labels.empty()) return;
  for (const ReplicaSetPtr& set : sets.ListNamespace(after->metadata.namespace_)) {
    const Result<Selector> selector = Selector::From(set->spec.selector);
    if (!selector || selector->IsEverything()) continue;
    if (selector->Matches(after->metadata.labels)) keys.push_back(api::NameOf(set->metadata));
  }
}

}  // namespace capstan::replicaset
