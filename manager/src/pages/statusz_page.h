#pragma once

/// /statusz: build information and uptime of this process in human-readable form, as in Kubernetes
/// components.
/// https://kubernetes.io/docs/reference/instrumentation/zpages/

#include <functional>
#include <string>

#include <capstan/runtime/clock.h>

#include "base/http/mux.h"
#include "config/build_info.h"

namespace capstan::manager {

struct StatuszSource {
  std::string component;
  BuildInfo build = ThisBuild();
  /// "leading", "standing by". Threads: called from any thread.
  std::function<std::string()> role = {};
};

/// Also lists the paths of `mux`. `clock` is borrowed. The uptime counts from this call.
void AddStatuszPage(http::Mux& mux, const Clock& clock, StatuszSource source);

}  // namespace capstan::manager
