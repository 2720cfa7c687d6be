#pragma once

/// Plans one step of a ReplicaSet towards its number of replicas. Pure: no I/O.

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/api/core_v1.h>

#include "types.h"

namespace capstan::replicaset {

/// The maximum number of pods that one sync creates or deletes.
inline constexpr int64_t kBurstReplicas = 500;

struct ReplicasPlan {
  int64_t create = 0;
  std::vector<PodPtr> remove;  ///< in the order of deletion
};

/// `active` are the active pods of the ReplicaSet. `related` are the pods of all ReplicaSets of its
/// owner, which show how crowded a node is. They are used only if some, but not all, pods must be
/// deleted. `hold` is the number of missing pods that must wait.
ReplicasPlan PlanReplicas(const ReplicaSet& set, const std::vector<PodPtr>& active,
                          const std::vector<PodPtr>& related, WallTime now, int64_t hold = 0);

/// Returns whether PlanReplicas uses `related`.
bool NeedsRelatedPods(const ReplicaSet& set, const std::vector<PodPtr>& active);

/// Creates a pod from the ReplicaSet's template. The server generates its name.
api::core::v1::PodFromTemplate MakePod(const ReplicaSet& set);

}  // namespace capstan::replicaset
