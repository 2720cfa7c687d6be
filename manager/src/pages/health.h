#pragma once

/// HealthPages: /healthz, /livez and /readyz as Kubernetes components have them, and what they find
/// as metrics at /metrics/slis.
/// https://kubernetes.io/docs/reference/using-api/health-checks/
///
/// A page says "ok", or with 500 which checks failed; `?verbose` lists all of them and
/// `?exclude=NAME`, as often as needed, leaves one out. PAGE/NAME runs one check alone. Of each
/// page are the checks "ping", which always passes, and "log", which fails when no line of the log
/// was taken for two minutes. Reasons of failures are logged.
///
/// Threads: Define, AddTo and AddSlisTo before the pages are served; what they add is called from
/// any thread and may outlive this.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <capstan/log/log.h>
#include <capstan/runtime/status.h>

#include "base/http/mux.h"

namespace capstan::manager {

/// Threads: `check` is called from any thread, and must not block.
struct HealthCheck {
  std::string name;
  std::function<Status()> check;
};
/// The checks of now: controllers come and go. Called from any thread.
using HealthCheckList = std::function<std::vector<HealthCheck>()>;

/// Whether a check that is asked for alone tells why it failed, as Kubernetes' do, where that takes
/// leave of its own.
enum class FailureReasons { kTold, kWithheld };

class HealthPages {
 public:
  /// `log_blocked_for` tells for how long no line of the log was taken.
  explicit HealthPages(std::function<Duration()> log_blocked_for = LogBlockedFor);
  ~HealthPages();

  /// A page, "healthz".
  void Define(std::string page, HealthCheckList checks);
  /// Serves the pages that are defined.
  void AddTo(http::Mux& mux, FailureReasons reasons = FailureReasons::kTold) const;
  /// Serves /metrics/slis: runs the checks of all pages and tells, of these and of all runs before,
  /// kubernetes_healthcheck{name,type} and kubernetes_healthchecks_total{name,status,type}.
  void AddSlisTo(http::Mux& mux) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace capstan::manager
