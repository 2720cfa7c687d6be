#pragma once

/// Scaling a Deployment that is paused or in the middle of a rollout.
/// https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#proportional-scaling

#include <cstdint>
#include <optional>
#include <vector>

#include "fenceposts.h"
#include "types.h"

namespace capstan::deployment {

struct ProportionalSet {
  int64_t replicas = 0;  ///< > 0
  /// The previous maximum for all ReplicaSets together: the max-replicas annotation.
  std::optional<int64_t> max_replicas;
};

struct ProportionInput {
  int64_t desired = 0;
  int64_t max_surge = 0;
  int64_t status_replicas = 0;        ///< replaces a missing annotation
  std::vector<ProportionalSet> sets;  ///< oldest first
};

/// Returns the new sizes, in the order of the input. The difference is distributed in proportion to
/// size. The largest ReplicaSet gets the rounding remainder. Of two equal ReplicaSets, the newer
/// counts as larger when scaling up, and the older when scaling down.
std::vector<int64_t> Proportions(const ProportionInput& input);

/// The new size of one ReplicaSet. `even_if_same`: the desired-replicas and max-replicas
/// annotations are updated even if the size does not change.
struct Scale {
  const ReplicaSet* set = nullptr;
  int64_t replicas = 0;
  bool even_if_same = false;
};

/// A single active ReplicaSet, or the newest if none is active, gets all replicas. If the new one
/// is saturated, old ReplicaSets are scaled to zero. Otherwise a RollingUpdate Deployment is scaled
/// in proportion. `old_sets` are oldest first. `new_set` may be null.
std::vector<Scale> PlanScale(const Deployment& deployment,
                             const std::vector<const ReplicaSet*>& old_sets,
                             const ReplicaSet* new_set);

/// Returns whether an active ReplicaSet was sized for a number of replicas other than the
/// Deployment's.
bool IsScalingEvent(const Deployment& deployment, const std::vector<const ReplicaSet*>& sets);

/// Sets the desired-replicas and max-replicas annotations. Returns whether an annotation changed.
bool SetReplicasAnnotations(const Deployment& deployment, StringMap& annotations);

/// Orders by creation, then name.
bool CreatedBefore(const ReplicaSet& a, const ReplicaSet& b);

}  // namespace capstan::deployment
