#pragma once

/// Which old ReplicaSets are no longer kept. (revisionHistoryLimit)
/// https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#clean-up-policy

#include <vector>

#include "types.h"

namespace capstan::deployment {

/// The indices of the old ReplicaSets to be deleted. Of those above the limit, lowest revision
/// first, only such as have no pods, want none, and have been seen by their controller so.
std::vector<size_t> PlanHistory(const Deployment& deployment,
                                const std::vector<const ReplicaSet*>& old_sets);

}  // namespace capstan::deployment
