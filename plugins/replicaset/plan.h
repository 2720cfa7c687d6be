#pragma once

/// How a ReplicaSet gets to its number of replicas: one step, computed without I/O.

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/api/core_v1.h>

#include "types.h"

namespace capstan::replicaset {

/// The most pods that one sync creates or deletes.
inline constexpr int64_t kBurstReplicas = 500;

struct ReplicasPlan {
  int64_t create = 0;
  std::vector<PodPtr> remove;  ///< the first to go first
};

/// `active`: the ReplicaSet's active pods. `related`: the pods of all ReplicaSets of its owner,
/// which tell how crowded a node is; only looked at when some, but not all pods must go. `hold`: so
/// many of the missing pods have to wait.
ReplicasPlan PlanReplicas(const ReplicaSet& set, const std::vector<PodPtr>& active,
                          const std::vector<PodPtr>& related, WallTime now, int64_t hold = 0);

/// Whether PlanReplicas will look at `related`.
bool NeedsRelatedPods(const ReplicaSet& set, const std::vector<PodPtr>& active);

/// A pod as the ReplicaSet's template wants it; the server names it.
api::core::v1::PodFromTemplate MakePod(const ReplicaSet& set);

}  // namespace capstan::replicaset
