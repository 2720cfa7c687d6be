#include "apiclient/api_connections.h"

#include <algorithm>
#include <utility>

#include "apiclient/dry_run_transport.h"
#include "apiclient/service_account_transport.h"

namespace capstan::manager {
namespace {

constexpr double kDiscoveryQps = 20;
constexpr int kDiscoveryBurst = 40;
constexpr double kExplainingQps = 5;
constexpr int kExplainingBurst = 10;
constexpr Duration kShortTimeout = std::chrono::seconds(5);

/// Returns "10.0.0.1:6443" for "https://10.0.0.1:6443/path".
std::string HostOf(const RestConfig& config) {
  const size_t scheme = config.server.find("://");
  const size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  return config.server.substr(begin, config.server.find('/', begin) - begin);
}

bool AllowsProtobuf(const Options& options) {
  return options.kube_api_content_type == ContentType::kProtobuf;
}

ClientOptions BudgetOf(const Options& options, const std::string& host) {
  return {.qps = options.kube_api_qps,
          .burst = options.kube_api_burst,
          .max_qps = options.kube_api_qps_max,
          .host = host,
          .protobuf = AllowsProtobuf(options)};
}

ClientOptions Fixed(double qps, int burst, Duration timeout, const std::string& host) {
  return {.qps = qps, .burst = burst, .timeout = timeout, .host = host};
}

/// The timeout of a request is half the renew deadline, so that there is time for a second request.
ClientOptions LeaseOptions(const Options& options, const std::string& host) {
  const Duration timeout =
      std::max<Duration>(options.leader_election.renew_deadline / 2, std::chrono::seconds(1));
  ClientOptions lease = Fixed(options.kube_api_qps, options.kube_api_burst, timeout, host);
  lease.protobuf = AllowsProtobuf(options);
  return lease;
}

}  // namespace

ApiConnections::ApiConnections(const Options& options, Runtime& runtime,
                               TransportFactory new_transport, RestConfig config,
                               std::shared_ptr<Transport> transport,
                               std::shared_ptr<Transport> lease_transport)
    : options_(options),
      runtime_(runtime),
      new_transport_(std::move(new_transport)),
      config_(std::move(config)),
      host_(HostOf(config_)),
      transport_(transport),
      lease_(Client(std::move(lease_transport), runtime, LeaseOptions(options, host_))
                 .WithUserAgent("leader-election")),
      discovery_(transport, runtime, Fixed(kDiscoveryQps, kDiscoveryBurst, kShortTimeout, host_)),
      plugins_(transport, runtime, BudgetOf(options, host_)),
      informers_(plugins_.WithUserAgent("informers")),
      events_(plugins_),
      explaining_(
          Client(transport, runtime, Fixed(kExplainingQps, kExplainingBurst, kShortTimeout, host_))
              .WithUserAgent("whyz")) {}

Result<std::unique_ptr<ApiConnections>> ApiConnections::Open(const Options& options,
                                                             Runtime& runtime,
                                                             TransportFactory new_transport) {
  auto config = ConnectionOf(options);
  if (!config) return config.status();
  auto opened = new_transport(*config, runtime);
  if (!opened) return opened.status();
  std::shared_ptr<Transport> transport = *std::move(opened);
  if (options.dry_run) transport = std::make_shared<DryRunTransport>(std::move(transport));
  auto lease_transport = new_transport(*config, runtime);
  if (!lease_transport) return lease_transport.status();
  return std::unique_ptr<ApiConnections>(
      new ApiConnections(options, runtime, std::move(new_transport), *std::move(config),
                         std::move(transport), *std::move(lease_transport)));
}

Result<Client> ApiConnections::ForPlugin(const std::string& plugin) {
  if (!options_.use_service_account_credentials) return plugins_;
  MutexLock lock(mutex_);
  if (const auto known = by_account_.find(plugin); known != by_account_.end()) {
    return known->second;
  }
  auto opened = new_transport_(WithoutCredentials(config_), runtime_);
  if (!opened) return opened.status();
  std::shared_ptr<Transport> transport = std::make_shared<ServiceAccountTransport>(
      *std::move(opened), discovery_, NamespacedName{"kube-system", plugin}, runtime_);
  if (options_.dry_run) transport = std::make_shared<DryRunTransport>(std::move(transport));
  const Client client = plugins_.WithTransport(std::move(transport));
  return by_account_.emplace(plugin, client).first->second;
}

Result<ApiServerConnection> ApiConnections::ForReviews(const std::string& kubeconfig) {
  if (kubeconfig.empty()) return ApiServerConnection{transport_, host_};
  const auto config = LoadKubeconfig({.paths = {kubeconfig}, .context = {}, .master = {}});
  if (!config) return config.status();
  auto opened = new_transport_(*config, runtime_);
  if (!opened) return opened.status();
  return ApiServerConnection{*std::move(opened), HostOf(*config)};
}

Result<RestConfig> ConnectionOf(const Options& options) {
  if (!options.kubeconfig.empty()) {
    return LoadKubeconfig({.paths = {options.kubeconfig}, .context = {}, .master = options.master});
  }
  if (!options.master.empty()) {
    RestConfig config;
    config.server = options.master;
    return config;
  }
  auto config = InClusterConfig();
  if (config) return config;
  return config.status().WithContext(
      "neither --kubeconfig nor --master is given, and the process does not run in a pod");
}

}  // namespace capstan::manager
