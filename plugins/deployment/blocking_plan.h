#pragma once

/// Explains why a Deployment does not match its spec: finds the one fact that blocks the rollout,
/// from the state that a sync sees. Pure: no I/O; the time is part of the Snapshot.

#include <capstan/controller/explainer.h>

#include "detailed_pod.h"
#include "plan.h"

namespace capstan::deployment {

struct Diagnosis {
  Explanation explanation;
  /// The number of missing pods is known, but the cause requires reading the pods.
  bool pods_have_details = false;
};

/// `pods` are the pods of the Deployment's ReplicaSets, or null if they were not read.
Diagnosis Diagnose(const Snapshot& snapshot, const DetailedPods* pods);

/// Returns whether the last written status alone shows that there is nothing to explain. Cheap.
bool IsPlainlySettled(const Deployment& deployment);

}  // namespace capstan::deployment
