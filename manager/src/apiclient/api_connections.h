#pragma once

/// ApiConnections: the ways of this process to the API server. Who shares one shares its
/// connections and its rate limit, so that what must not wait has its own.
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

/// Where the API server is: --kubeconfig and --master, else the pod's service account.
Result<RestConfig> ConnectionOf(const Options& options);

/// A connection to an API server, and its name in metrics: "10.0.0.1:6443".
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
  /// The namespace of the kubeconfig or pod; "" when it names none.
  const std::string& namespace_name() const { return config_.namespace_; }
  /// The lease: nobody else's load may cost it. Gives up early, so that there is time for another
  /// try before the renew deadline.
  const Client& lease() const { return lease_; }
  /// Questions about the server itself and about who may ask this process what.
  const Client& inquiries() const { return inquiries_; }
  /// Shares the controllers' budget.
  const Client& informers() const { return informers_; }
  const Client& events() const { return events_; }
  /// Explanations that people ask for: they must neither delay the controllers nor load the server.
  const Client& explaining() const { return explaining_; }
  /// All controllers share one budget, or each has its own with a service account of its own.
  Result<Client> ForPlugin(const std::string& plugin);
  /// Where it is asked who somebody is and what they may do: at the server of `kubeconfig`, or with
  /// "" at the manager's own.
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
  const Client inquiries_;
  const Client plugins_;
  const Client informers_;
  const Client events_;
  const Client explaining_;
  Mutex mutex_;
  std::map<std::string, Client> by_account_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::manager
