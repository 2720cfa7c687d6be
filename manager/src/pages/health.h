#pragma once

/// HealthPages: /healthz, /livez and /readyz as in Kubernetes components, and their results as
/// metrics at /metrics/slis.
/// https://kubernetes.io/docs/reference/using-api/health-checks/
///
/// A page returns "ok", or 500 with the names of the failed checks. `?verbose` lists all checks.
/// `?exclude=NAME` skips a check and may be repeated. PAGE/NAME runs one check alone. Every page
/// has the checks "ping", which always passes, and "log", which fails if no log line could be
/// written for two minutes. Failures are logged with their reason.
///
/// Threads: Define, AddTo and AddSlisTo are called before the pages are served. The handlers that
/// they add are called from any thread and may outlive this object.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <capstan/log/log.h>
#include <capstan/runtime/status.h>

#include "base/http/mux.h"

namespace capstan::manager {

/// Threads: `check` is called from any thread. It must not block.
struct HealthCheck {
  std::string name;
  std::function<Status()> check;
};
/// Returns the current checks, since controllers come and go. Threads: called from any thread.
using HealthCheckList = std::function<std::vector<HealthCheck>()>;

/// Whether a page for a single check shows why the check failed. Kubernetes shows it, where access
/// to that page needs authorization of its own.
enum class FailureReasons { kShown, kWithheld };

class HealthPages {
 public:
  /// `log_blocked_for` returns how long no log line could be written.
  explicit HealthPages(std::function<Duration()> log_blocked_for = LogBlockedFor);
  ~HealthPages();

  /// Defines a page, such as "healthz".
  void Define(std::string page, HealthCheckList checks);
  /// Serves the pages defined so far.
  void AddTo(http::Mux& mux, FailureReasons reasons = FailureReasons::kShown) const;
  /// Serves /metrics/slis. Each request runs the checks of all pages. It returns
  /// kubernetes_healthcheck{name,type} and kubernetes_healthchecks_total{name,status,type}, which
  /// include all earlier runs.
  void AddSlisTo(http::Mux& mux) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace capstan::manager
