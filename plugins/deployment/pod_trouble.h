#pragma once

/// Explains why a pod is not available, in the pod's own messages where it has some. Pure.

#include <cstdint>
#include <optional>
#include <string>

#include <capstan/api/time.h>
#include <capstan/runtime/clock.h>

#include "detailed_pod.h"

namespace capstan::deployment {

struct PodTrouble {
  std::string reason = {};   ///< "CrashLoopBackOff", "Unschedulable", "ContainerCreating", ...
  std::string message = {};  ///< may be empty
  api::Time since = {};      ///< may be absent
  bool needs_help = false;   ///< the problem is unlikely to resolve without intervention
};

/// Returns nullopt for an available pod, i.e. one that has been ready for min_ready_seconds.
std::optional<PodTrouble> TroubleOf(const DetailedPod& pod, int32_t min_ready_seconds,
                                    WallTime now);

/// Returns `text`, truncated if it is too long for an operator to read.
std::string Excerpt(const std::string& text);

}  // namespace capstan::deployment
