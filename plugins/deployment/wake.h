#pragma once

/// Which Deployments an event of a ReplicaSet or pod wakes that is not simply their child.

#include <vector>

#include <capstan/api/core_v1.h>
#include <capstan/api/meta_v1.h>
#include <capstan/cache/lister.h>

#include "types.h"

namespace capstan::deployment {

using api::core::v1::Pod;

/// Neither finished nor gone: a Recreate Deployment waits for it.
inline bool IsUnfinished(const Pod& pod) {
  return pod.status.phase != "Failed" && pod.status.phase != "Succeeded";
}

/// An orphan that is new, or whose labels or owner have changed, wakes each Deployment that could
/// adopt it. `before` is null for an addition, `after` for a deletion.
void WakeAdopters(const ReplicaSet* before, const ReplicaSet* after,
                  const Lister<Deployment>& deployments, std::vector<NamespacedName>& keys);

/// The end of a Recreate Deployment's last running pod lets the new ReplicaSet be created.
void WakeRecreate(const Pod* before, const Pod* after, const Lister<Deployment>& deployments,
                  const Lister<ReplicaSet>& sets, const Lister<Pod>& pods,
                  std::vector<NamespacedName>& keys);

}  // namespace capstan::deployment
