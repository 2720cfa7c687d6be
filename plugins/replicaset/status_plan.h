#pragma once

/// Computes a ReplicaSet's status.

#include <optional>
#include <string>
#include <vector>

#include "types.h"

namespace capstan::replicaset {

struct StatusInput {
  const ReplicaSet& set;
  std::vector<PodPtr> active;          ///< the active pods before the writes of this sync
  int64_t terminating = 0;             ///< the number of its pods that are being deleted
  std::optional<std::string> failure;  ///< why some pods could not be created or deleted
  WallTime now;
};

/// Returns the updated `set.status`. An existing ReplicaFailure condition does not change until the
/// failure ends.
ReplicaSetStatus CalculateStatus(const StatusInput& input);

/// Returns whether the statuses differ only in what changes continually during a rollout: the
/// counts, and `observedGeneration`, since each step of a rolling update changes the spec. Such a
/// write may be delayed.
bool OnlyCountsDiffer(const ReplicaSetStatus& before, const ReplicaSetStatus& after);

/// Returns the time until a ready pod becomes available; no event announces that moment.
std::optional<Duration> NextAvailabilityCheck(const ReplicaSet& set,
                                              const std::vector<PodPtr>& active, WallTime now);

}  // namespace capstan::replicaset
