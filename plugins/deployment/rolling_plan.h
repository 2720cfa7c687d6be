#pragma once

/// Computes one step of a rolling update, from numbers only.
///
/// The new ReplicaSet grows while the sum of all ReplicaSets is at most replicas + maxSurge. If it
/// cannot grow, old ReplicaSets shrink: first by their unavailable pods, then by as many available
/// pods as there are above replicas - maxUnavailable.

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

/// The new values of spec.replicas. Old ReplicaSets are in the order of the input.
struct RollingPlan {
  int64_t fresh = 0;
  std::vector<int64_t> without_unhealthy;  ///< intermediate, before `old`; events show both
  std::vector<int64_t> old;
};

/// Returns the permitted size of the new ReplicaSet when all ReplicaSets together have `total`
/// replicas and it has `current` of them. Never less than `current`.
int64_t NewReplicaSetSize(int64_t desired, int64_t max_surge, int64_t total, int64_t current);

RollingPlan PlanRolling(const RollingInput& input);

}  // namespace capstan::deployment
