#pragma once

/// What a Deployment's status shall say.

#include <vector>

#include <capstan/runtime/clock.h>

#include "types.h"

namespace capstan::deployment {

/// What the status is made of. The sets are as they were when the sync began: what this sync asks
/// of them is not seen yet.
struct StatusInput {
  const Deployment& deployment;             ///< with the conditions that this sync has set so far
  std::vector<const ReplicaSet*> old_sets;  ///< oldest first
  const ReplicaSet* new_set = nullptr;      ///< may be null
  WallTime now;
};

/// The counts and the Available condition.
DeploymentStatus CalculateStatus(const StatusInput& input);

/// CalculateStatus, and the Progressing and ReplicaFailure conditions of a rollout.
DeploymentStatus CalculateRolloutStatus(const StatusInput& input);

/// Whether the statuses differ, but only in numbers that go on changing: the write may wait a bit.
/// `observedGeneration` and conditions are what users wait for.
bool OnlyCountsDiffer(const DeploymentStatus& before, const DeploymentStatus& after);

}  // namespace capstan::deployment
