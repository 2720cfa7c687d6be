#pragma once

/// Why the pods of a ReplicaSet are not available, one line a cause. Pure.

#include <vector>

#include <capstan/controller/explainer.h>
#include <capstan/runtime/clock.h>

#include "detailed_pod.h"
#include "types.h"

namespace capstan::deployment {

struct PodCauses {
  std::vector<Explanation::Detail> details;  ///< the gravest first
  bool needs_help = false;                   ///< the first will not pass by itself
};

/// Of those of `pods` that `set` owns. Pods that have failed count while they are young: others
/// have taken their place since.
PodCauses CausesOf(const DetailedPods& pods, const ReplicaSet& set, WallTime now);

}  // namespace capstan::deployment
