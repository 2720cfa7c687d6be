#include "pod_events.h"

#include <utility>

namespace capstan::replicaset {
namespace {

bool SameOwner(const Pod& a, const Pod& b) {
  const api::OwnerReference* owner_a = api::ControllerOf(a.metadata);
  const api::OwnerReference* owner_b = api::ControllerOf(b.metadata);
  if (!owner_a || !owner_b) return owner_a == owner_b;
  return owner_a->uid == owner_b->uid;
}

}  // namespace

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
