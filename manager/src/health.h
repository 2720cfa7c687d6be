#pragma once

/// Health pages as Kubernetes components have them.
/// https://kubernetes.io/docs/reference/using-api/health-checks/

#include <functional>
#include <string>
#include <vector>

#include <capstan/runtime/status.h>

#include "mux.h"

namespace capstan::manager {

/// Threads: `check` is called from any thread.
struct HealthCheck {
  std::string name;
  std::function<Status()> check;
};

/// Serves `path` ("/healthz"): "ok", or with 500 what failed; `?verbose` lists the checks and
/// `?exclude=NAME` leaves one out. `path`/NAME runs one check alone. A check "ping", which always
/// passes, is added. Reasons of failures are logged, not served.
void AddHealthPages(Mux& mux, const std::string& path, std::vector<HealthCheck> checks);

}  // namespace capstan::manager
