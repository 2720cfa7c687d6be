#pragma once

/// Ranks the pods for deletion when a ReplicaSet scales down.
/// https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#scaling-a-replicaset
///
/// Pods are deleted in this order: without a node; pending, then unknown, then running; not ready;
/// lower pod-deletion-cost; on a more crowded node; ready for a shorter time, by powers of two;
/// more restarts of containers, then of sidecars; younger, by powers of two; lower UID.
///
/// The comparison in kube-controller-manager is not a total order. It compares the UIDs of pods
/// that have been ready for about the same time before it compares restarts, but compares restarts
/// before UIDs if the pods are ready since the same second. Here, pods that are ready since the
/// same second form a group, at the position of the lowest UID in the group. Each pair is compared
/// as in kube-controller-manager where that is possible.

#include <cstdint>
#include <vector>

#include "types.h"

namespace capstan::replicaset {

/// The pod-deletion-cost annotation, parsed as the API does: 0 if it is missing or invalid.
int32_t DeletionCostOf(const Pod& pod);

/// Returns for each of `pods` the number of active pods in `related` on its node.
std::vector<int64_t> ColocatedPodsOf(const std::vector<PodPtr>& pods,
                                     const std::vector<PodPtr>& related);

/// Returns `pods` in the order of deletion, which is a total order of pods with different UIDs.
/// `colocated` corresponds to `pods`.
std::vector<PodPtr> RankForDeletion(const std::vector<PodPtr>& pods,
                                    const std::vector<int64_t>& colocated, WallTime now);

}  // namespace capstan::replicaset
