#pragma once

/// maxSurge and maxUnavailable as numbers of pods.
/// https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment

#include <cstdint>

#include <capstan/runtime/status.h>

#include "types.h"

namespace capstan::deployment {

struct Fenceposts {
  int64_t max_surge = 0;
  int64_t max_unavailable = 0;  ///< at most the Deployment's replicas
};

/// Surge is rounded up, unavailability down; when both come to zero, one pod may be unavailable, as
/// the rollout could not move otherwise. A strategy other than RollingUpdate has zero of both. The
/// error names the field that is neither a number nor a percentage; retrying does not mend it.
Result<Fenceposts> ResolveFenceposts(const Deployment& deployment);

/// As above, and zero of both where a field is invalid: for what must be said of any Deployment.
Fenceposts FencepostsOrNone(const Deployment& deployment);

}  // namespace capstan::deployment
