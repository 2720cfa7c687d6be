#pragma once

/// /statusz: what this process is and how long it has run, for people, as Kubernetes components
/// serve it. https://kubernetes.io/docs/reference/instrumentation/zpages/

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

/// Lists the paths of `mux` too. `clock` is borrowed; the process started now, by it.
void AddStatuszPage(http::Mux& mux, const Clock& clock, StatuszSource source);

}  // namespace capstan::manager
