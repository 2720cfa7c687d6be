#pragma once

/// Computes a Deployment's status.

#include <cstdint>
#include <vector>

#include <capstan/runtime/clock.h>

#include "types.h"

namespace capstan::deployment {

/// The inputs of the status. The ReplicaSets are in the state at the start of the sync: the changes
/// of this sync are not visible yet.
struct StatusInput {
  const Deployment& deployment;             ///< with the conditions set so far by this sync
  std::vector<const ReplicaSet*> old_sets;  ///< oldest first
  const ReplicaSet* new_set = nullptr;      ///< may be null
  WallTime now;
};

/// Computes the counts and the Available condition.
DeploymentStatus CalculateStatus(const StatusInput& input);

/// Like CalculateStatus, with the Progressing and ReplicaFailure conditions of a rollout.
DeploymentStatus CalculateRolloutStatus(const StatusInput& input);

/// Returns whether the statuses differ only in what changes continually during a rollout: the
/// counts, and with them the reason, message and times of a Progressing condition that stays True
/// and gets the reason ReplicaSetUpdated. Such a write may be delayed. Users wait for
/// `observedGeneration`, for the status of conditions and for their other reasons.
bool OnlyCountsDiffer(const DeploymentStatus& before, const DeploymentStatus& after);
uint64_t HashOfCounts(const DeploymentStatus& status);

}  // namespace capstan::deployment
