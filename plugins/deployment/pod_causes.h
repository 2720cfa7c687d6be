#pragma once

/// Explains why the pods of a ReplicaSet are not available, one line per cause. Pure.

#include <vector>

#include <capstan/controller/explainer.h>
#include <capstan/runtime/clock.h>

#include "detailed_pod.h"
#include "types.h"

namespace capstan::deployment {

struct PodCauses {
  std::vector<Explanation::Detail> details;  ///< the most severe first
  bool needs_help = false;                   ///< the first cause needs intervention
};

/// Considers the pods in `pods` that `set` owns. Failed pods count only while they are young,
/// because other pods replace them.
PodCauses CausesOf(const DetailedPods& pods, const ReplicaSet& set, WallTime now);

}  // namespace capstan::deployment
