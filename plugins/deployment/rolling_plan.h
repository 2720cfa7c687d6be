#pragma once

/// One step of a rolling update, in numbers alone.
///
/// The new ReplicaSet grows while the sum of all stays at most replicas + maxSurge. When it cannot
/// grow, old ReplicaSets shrink: first what is not available anyway, then as many available pods as
/// there are above replicas - maxUnavailable.

#include <cstdint>
#include <vector>

#include "fenceposts.h"

namespace capstan::deployment {

struct SetSize {
  int64_t replicas = 0;   ///< spec.replicas
  int64_t available = 0;  ///< status.availableReplicas
};

struct RollingInput {
  int64_t desired = 0;  ///< the Deployment's replicas
  Fenceposts limits;
  SetSize fresh;             ///< the new ReplicaSet
  std::vector<SetSize> old;  ///< oldest first
};

/// The sizes that spec.replicas shall have; the old ones in the order of the input.
struct RollingPlan {
  int64_t fresh = 0;
  std::vector<int64_t> without_unhealthy;  ///< on the way to `old`: users are told of both
  std::vector<int64_t> old;
};

/// How large the new ReplicaSet may be now, when all ReplicaSets together have `total` replicas and
/// it has `current` of them. Never shrinks it.
int64_t NewReplicaSetSize(int64_t desired, int64_t max_surge, int64_t total, int64_t current);

RollingPlan PlanRolling(const RollingInput& input);

}  // namespace capstan::deployment
