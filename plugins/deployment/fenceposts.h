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

/// maxSurge is rounded up and maxUnavailable is rounded down. If both are zero, max_unavailable is
/// 1, because the rollout could not progress otherwise. For a strategy other than RollingUpdate
/// both are zero. The error names the field that is neither a number nor a percentage. The error is
/// terminal.
Result<Fenceposts> ResolveFenceposts(const Deployment& deployment);

/// Like ResolveFenceposts, but both are zero if a field is invalid. For code that must handle any
/// Deployment.
Fenceposts FencepostsOrNone(const Deployment& deployment);

}  // namespace capstan::deployment
