#pragma once

/// Selects the old ReplicaSets to delete. (revisionHistoryLimit)
/// https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#clean-up-policy

#include <vector>

#include "types.h"

namespace capstan::deployment {

/// Returns the indices of the old ReplicaSets to delete. The candidates are those above the limit,
/// lowest revision first. A candidate is deleted only if it has no pods, has spec.replicas 0, and
/// its controller has observed its latest generation.
std::vector<size_t> PlanHistory(const Deployment& deployment,
                                const std::vector<const ReplicaSet*>& old_sets);

}  // namespace capstan::deployment
