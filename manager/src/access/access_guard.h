#pragma once

/// AccessGuard: authenticates and authorizes requests to the manager's server, as the delegating
/// options of k8s.io/apiserver do. The API server tells who the user is and what the user may do.
///
/// A user is authenticated by a proxy's headers, a client certificate or a bearer token, in this
/// order. The first that names a user counts. The API server is then asked to authorize the
/// request. Paths that are always allowed are served before any of this, so that neither an outage
/// nor a flood of requests affects a health check.
///
/// Without valid credentials, all other paths are answered with 401, whether or not the page
/// exists. Unlike kube-controller-manager, the guard does not ask what system:anonymous may do.
///
/// When the API server cannot be reached, cached answers are used until they expire.
///
/// Metrics: apiserver_delegated_authn_request_*, apiserver_delegated_authz_request_*,
/// authentication_attempts{result}, authorization_attempts_total{result}.
///
/// Threads: Serve may be called from any thread after Start, including threads that the Runtime did
/// not start. A call may wait for the API server, for twice ReviewClient::kDeadline. At most
/// twice ReviewCache::kMostInProgress calls wait at a time; others are answered with 429.

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
  /// A connection to the API server; none if `transport` is null.
  struct Server {
    std::shared_ptr<Transport> transport;
    std::string host;  ///< "10.0.0.1:6443", a label of the metrics
  };

  AccessGuard(const AuthenticationOptions& authentication,
              const AuthorizationOptions& authorization, Server authentication_server,
              Server authorization_server, Runtime& runtime, MetricsRegistry& metrics);
  ~AccessGuard();  ///< must run after the last Serve
  AccessGuard(const AccessGuard&) = delete;
  AccessGuard& operator=(const AccessGuard&) = delete;

  /// InvalidArgument names the invalid flag. Waits for the API server only with
  /// --authentication-tolerate-lookup-failure=false.
  Status Start();
  /// Cancels the reviews under way. Calls that wait in Serve are soon refused.
  void Stop();

  /// Passes the request to `next`, with a clean path and without credentials, or refuses it.
  http::ServerResponse Serve(const http::ServerRequest& request, const http::Mux::Handler& next);

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::manager
