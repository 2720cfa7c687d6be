#pragma once

/// Which Deployments an event of a pod wakes.

#include <vector>

#include <capstan/api/core_v1.h>
#include <capstan/api/meta_v1.h>
#include <capstan/cache/lister.h>

#include "types.h"

namespace capstan::deployment {

using api::core::v1::Pod;

/// Whether a pod of `set` is not finished: a Recreate Deployment waits for it.
bool HasUnfinishedPods(const ReplicaSet& set, const Lister<Pod>& pods);

/// The end of a Recreate Deployment's last running pod lets the new ReplicaSet be created.
void WakeRecreate(const Pod* before, const Pod* after, const Lister<Deployment>& deployments,
                  const Lister<ReplicaSet>& sets, const Lister<Pod>& pods,
                  std::vector<NamespacedName>& keys);

}  // namespace capstan::deployment
