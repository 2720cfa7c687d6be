#pragma once

/// Why a Deployment is not as its spec wants it: from what a sync sees to the one fact that the
/// rollout waits for. Pure: no I/O, no clock of its own.

#include <capstan/controller/explainer.h>

#include "detailed_pod.h"
#include "plan.h"

namespace capstan::deployment {

struct Diagnosis {
  Explanation explanation;
  /// How many pods are missing is known, but it takes the pods themselves to know why.
  bool pods_would_tell_more = false;
};

/// `pods`: those of the Deployment's ReplicaSets, or null when nobody has read them.
Diagnosis Diagnose(const Snapshot& snapshot, const DetailedPods* pods);

/// Whether the status alone, as it was last written, says that there is nothing to explain: cheap.
bool IsPlainlySettled(const Deployment& deployment);

}  // namespace capstan::deployment
