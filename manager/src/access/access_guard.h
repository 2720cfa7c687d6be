#pragma once

/// AccessGuard: who may ask the manager's server for what, as the delegating options of
/// k8s.io/apiserver have it: the API server tells who asks and what they may do.
///
/// Who asks is found out by a proxy's headers, a client certificate or a bearer token, in this
/// order; the first that names somebody counts. Then the API server is asked for leave. Paths that
/// are always allowed are served before any of this, so that no outage and no flood of requests
/// touches a health check.
///
/// Without good credentials all other paths are 401, whether there is such a page or not: unlike
/// kube-controller-manager, nobody is asked what system:anonymous may do.
///
/// When the API server cannot be reached, answers that are kept serve until they expire.
///
/// Metrics: apiserver_delegated_authn_request_*, apiserver_delegated_authz_request_*,
/// authentication_attempts{result}, authorization_attempts_total{result}.
///
/// Threads: Serve from any thread after Start, also from those that are none of the Runtime's. A
/// call may wait for the API server twice ReviewClient::kDeadline; at most
/// 2 * ReviewCache::kMostInProgress calls wait at a time, others are 429.

#include <memory>
#include <string>

#include <capstan/client/transport.h>
#include <capstan/metrics/metrics.h>
#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

#include "base/http/mux.h"
#include "config/options.h"

namespace capstan::manager {

class AccessGuard {
 public:
  /// A way to the API server; without a transport there is none.
  struct Server {
    std::shared_ptr<Transport> transport;
    std::string host;  ///< "10.0.0.1:6443", a label of metrics
  };

  AccessGuard(const AuthenticationOptions& authentication,
              const AuthorizationOptions& authorization, Server authentication_server,
              Server authorization_server, Runtime& runtime, MetricsRegistry& metrics);
  ~AccessGuard();  ///< after the last Serve
  AccessGuard(const AccessGuard&) = delete;
  AccessGuard& operator=(const AccessGuard&) = delete;

  /// InvalidArgument names the flag that cannot be right. Waits for the API server only with
  /// --authentication-tolerate-lookup-failure=false.
  Status Start();
  /// Ends calls under way: what waits in Serve is refused soon.
  void Stop();

  /// Hands the request to `next`, with a clean path and without credentials, or refuses it.
  http::ServerResponse Serve(const http::ServerRequest& request, const http::Mux::Handler& next);

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::manager
