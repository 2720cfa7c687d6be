#pragma once

/// Why a pod is not available, in its own words as far as it has some. Pure.

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
  bool needs_help = false;   ///< it is not likely to pass by itself
};

/// nullopt for a pod that is available: ready, for min_ready_seconds.
std::optional<PodTrouble> TroubleOf(const DetailedPod& pod, int32_t min_ready_seconds,
                                    WallTime now);

/// `text`, or its beginning when it is longer than an operator wants to read.
std::string Excerpt(const std::string& text);

}  // namespace capstan::deployment
