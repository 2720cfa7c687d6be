#pragma once

/// ApiConnections: the clients of this process for the API server. Each client has its own rate
/// limit unless noted otherwise, so that one kind of request does not delay another. The lease also
/// has its own connections.
///
/// Threads: all methods may be called from any thread.

#include <functional>
#include <map>
#include <memory>
#include <string>

#include <capstan/client/client.h>
#include <capstan/client/rest_config.h>
#include <capstan/client/transport.h>
#include <capstan/runtime/mutex.h>
#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

#include "config/options.h"

namespace capstan::manager {

using TransportFactory =
    std::function<Result<std::unique_ptr<Transport>>(const RestConfig&, Runtime&)>;

/// The address and credentials of the API server: from --kubeconfig and --master, or else from the
/// pod's service account.
Result<RestConfig> ConnectionOf(const Options& options);

/// A connection to an API server, and the name of the server in metrics: "10.0.0.1:6443".
struct ApiServerConnection {
  std::shared_ptr<Transport> transport;
  std::string host;
};

class ApiConnections {
 public:
  /// `options` and `runtime` are borrowed.
  static Result<std::unique_ptr<ApiConnections>> Open(const Options& options, Runtime& runtime,
                                                      TransportFactory new_transport);

  /// "10.0.0.1:6443"
  const std::string& host() const { return host_; }
  /// The namespace of the kubeconfig or pod; "" if it names none.
  const std::string& namespace_name() const { return config_.namespace_; }
  /// For the lease. It has its own connections and rate limit, so that other load does not delay a
  /// renewal. Its timeout is short, so that there is time for another try before the renew
  /// deadline.
  const Client& lease() const { return lease_; }
  /// For the health and the discovery of the API server, and for tokens of service accounts.
  const Client& discovery() const { return discovery_; }
  /// For informers. Shares the rate limit of the controllers.
  const Client& informers() const { return informers_; }
  /// For events. They come after all requests of the informers and controllers.
  const Client& events() const { return events_; }
  /// For explanations that people request. They must neither delay the controllers nor load the
  /// server.
  const Client& explaining() const { return explaining_; }
  /// For a controller. All controllers share one rate limit. With --use-service-account-credentials
  /// each has its own rate limit and service account.
  Result<Client> ForPlugin(const std::string& plugin);
  /// The connection for token and access reviews: to the server of `kubeconfig`, or to the
  /// manager's own API server if it is "".
  Result<ApiServerConnection> ForReviews(const std::string& kubeconfig);

 private:
  ApiConnections(const Options& options, Runtime& runtime, TransportFactory new_transport,
                 RestConfig config, std::shared_ptr<Transport> transport,
                 std::shared_ptr<Transport> lease_transport);

  const Options& options_;
  Runtime& runtime_;
  const TransportFactory new_transport_;
  const RestConfig config_;
  const std::string host_;
  const std::shared_ptr<Transport> transport_;
  const Client lease_;
  const Client discovery_;
  const Client plugins_;
  const Client informers_;
  const Client events_;
  const Client explaining_;
  Mutex mutex_;
  std::map<std::string, Client> by_account_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::manager
