#pragma once

/// Which pods go first when a ReplicaSet shrinks.
/// https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#scaling-a-replicaset
///
/// In this order: without a node; pending, then unknown, then running; not ready; lower
/// pod-deletion-cost; on a more crowded node; ready for a shorter time, by powers of two; more
/// restarts of containers, then of sidecars; younger, by powers of two; lower UID. The reference
/// compares the UIDs of pods that are about as long ready before it compares restarts, and restarts
/// before UIDs when they are ready since the same second, which is no order. Here pods that are
/// ready since the same second stand together, in the place of the lowest UID among them: each pair
/// is compared as the reference does where that is possible at all.

#include <cstdint>
#include <vector>

#include "types.h"

namespace capstan::replicaset {

/// The pod-deletion-cost annotation, as the API reads it: 0 when it is absent or invalid.
int32_t DeletionCostOf(const Pod& pod);

/// How many active pods of `related` are on the node of each of `pods`.
std::vector<int64_t> CrowdingOf(const std::vector<PodPtr>& pods,
                                const std::vector<PodPtr>& related);

/// `pods` in the order in which they should go: a total order of pods with different UIDs.
/// `crowding` belongs to `pods`.
std::vector<PodPtr> RankForDeletion(const std::vector<PodPtr>& pods,
                                    const std::vector<int64_t>& crowding, WallTime now);

}  // namespace capstan::replicaset
