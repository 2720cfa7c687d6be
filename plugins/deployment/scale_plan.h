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
  /// What all ReplicaSets together might have been before: the max-replicas annotation.
  std::optional<int64_t> max_replicas;
};

struct ProportionInput {
  int64_t desired = 0;
  int64_t max_surge = 0;
  int64_t status_replicas = 0;        ///< stands in for a missing annotation
  std::vector<ProportionalSet> sets;  ///< oldest first
};

/// The new sizes, in the order of the input. What is added or taken away is shared out in
/// proportion to size; the largest one gets what rounding leaves. With something to add, the newer
/// of two equals is the larger; with something to take away, the older.
std::vector<int64_t> Proportions(const ProportionInput& input);

/// A size for one ReplicaSet. `even_if_same`: its desired-replicas and max-replicas annotations are
/// brought up to date even when the size is right.
struct Scale {
  const ReplicaSet* set = nullptr;
  int64_t replicas = 0;
  bool even_if_same = false;
};

/// One active ReplicaSet, or the newest when none is active, gets all; olds go when the new one is
/// saturated; otherwise a rolling Deployment is scaled in proportion. `old_sets` oldest first;
/// `new_set` may be null.
std::vector<Scale> PlanScale(const Deployment& deployment,
                             const std::vector<const ReplicaSet*>& old_sets,
                             const ReplicaSet* new_set);

/// Whether an active ReplicaSet was sized for another number of replicas than the Deployment's.
bool IsScalingEvent(const Deployment& deployment, const std::vector<const ReplicaSet*>& sets);

/// Sets the desired-replicas and max-replicas annotations. Returns whether something changed.
bool SetReplicasAnnotations(const Deployment& deployment, StringMap& annotations);

/// Orders by creation, then name.
bool CreatedBefore(const ReplicaSet& a, const ReplicaSet& b);

}  // namespace capstan::deployment
