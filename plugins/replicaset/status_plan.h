#pragma once

/// What a ReplicaSet's status shall say.

#include <optional>
#include <string>
#include <vector>

#include "types.h"

namespace capstan::replicaset {

struct StatusInput {
  const ReplicaSet& set;
  std::vector<PodPtr> active;          ///< its active pods, as they were before this sync's writes
  int64_t terminating = 0;             ///< how many of its pods are being deleted
  std::optional<std::string> failure;  ///< why not all pods could be created or deleted
  WallTime now;
};

/// `set.status` brought up to date. A ReplicaFailure condition that is there stays as it is until
/// the failure is over.
ReplicaSetStatus CalculateStatus(const StatusInput& input);

/// Whether the statuses differ, but only in numbers that go on changing: the write may wait a bit.
bool OnlyCountsDiffer(const ReplicaSetStatus& before, const ReplicaSetStatus& after);

/// When to look again because a ready pod becomes available, which no event tells.
std::optional<Duration> NextAvailabilityCheck(const ReplicaSet& set,
                                              const std::vector<PodPtr>& active, WallTime now);

}  // namespace capstan::replicaset
