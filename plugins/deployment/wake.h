#pragma once

/// Determines which Deployments a pod event enqueues.

#include <vector>

#include <capstan/api/core_v1.h>
#include <capstan/api/meta_v1.h>
#include <capstan/cache/lister.h>

#include "types.h"

namespace capstan::deployment {

using api::core::v1::Pod;

/// Returns whether `set` has an unfinished pod. A Recreate Deployment waits for such pods.
bool HasUnfinishedPods(const ReplicaSet& set, const Lister<Pod>& pods);

/// Enqueues a Recreate Deployment when its last running pod ends, because the new ReplicaSet can
/// then be created.
void WakeRecreate(const Pod* before, const Pod* after, const Lister<Deployment>& deployments,
                  const Lister<ReplicaSet>& sets, const Lister<Pod>& pods,
                  std::vector<NamespacedName>& keys);

}  // namespace capstan::deployment
