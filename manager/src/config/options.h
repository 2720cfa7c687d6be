#pragma once

/// Options: all settings of the command line and the configuration file, and how they are parsed.
///
/// A flag overrides the configuration file (--config), which overrides the default. A list
/// replaces a list. The settings are listed in settings.h.

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <capstan/log/log.h>
#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

#include "plugins/plugin_catalog.h"

namespace capstan::manager {

struct LeaderElectionOptions {
  bool enabled = true;
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);
  std::string resource_lock = "leases";  ///< the only supported value
  std::string resource_name = "capstan-controller-manager";
  std::string resource_namespace = "kube-system";
};

struct ServingOptions {
  std::string bind_address = "0.0.0.0";
  int secure_port = 10257;  ///< 0 = disabled; -1: the system chooses a port (for tests)
  /// Ports for plain HTTP, 0 = disabled. One serves only /metrics, the other only the health
  /// checks. Anyone who can reach them can read them.
  int metrics_port = 0;
  int healthz_port = 0;
  std::string cert_dir;       ///< where the self-signed certificate is stored; "" = only in memory
  std::string tls_cert_file;  ///< "" = a self-signed certificate
  std::string tls_private_key_file;
  /// "certificate,key" or "certificate,key:name,name", selected by the name that the client
  /// requests (SNI).
  std::vector<std::string> tls_sni_cert_keys;
  std::string tls_min_version = "VersionTLS12";
  std::vector<std::string> tls_cipher_suites;  ///< IANA names; empty = the default suites
  bool profiling = true;
  bool contention_profiling = false;
};

/// Authentication of HTTPS clients, delegated to the API server
/// (https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/).
struct AuthenticationOptions {
  std::string kubeconfig;  ///< of the server for token reviews; "" = the manager's own
  /// "" = from the ConfigMap kube-system/extension-apiserver-authentication.
  std::string client_ca_file;
  bool skip_lookup = false;  ///< do not read that ConfigMap
  bool tolerate_lookup_failure = true;
  Duration token_cache_ttl = std::chrono::seconds(10);
  std::string requestheader_client_ca_file;
  std::vector<std::string> requestheader_allowed_names;
  std::vector<std::string> requestheader_username_headers{"x-remote-user"};
  std::vector<std::string> requestheader_uid_headers;
  std::vector<std::string> requestheader_group_headers{"x-remote-group"};
  std::vector<std::string> requestheader_extra_headers_prefix{"x-remote-extra-"};
};

/// Authorization of HTTPS clients, delegated to the API server.
struct AuthorizationOptions {
  std::string kubeconfig;  ///< of the server for access reviews; "" = the manager's own
  /// Paths that are served without authorization. "/a/*" matches all paths below /a/.
  std::vector<std::string> always_allow_paths{"/healthz", "/readyz", "/livez"};
  Duration authorized_ttl = std::chrono::seconds(10);
  Duration unauthorized_ttl = std::chrono::seconds(10);
};

struct MetricsOptions {
  std::vector<std::string> disabled_metrics;
  /// "metric,label=value,value": other values of that label are counted as "unexpected".
  std::vector<std::string> allow_metric_labels;
  /// YAML file with further entries, by "metric,label" below allowListMapping. Parsing adds them to
  /// allow_metric_labels.
  std::string allow_metric_labels_manifest;
  std::string show_hidden_metrics_for_version;
};

enum class StandbyCache : uint8_t { kWarm, kCold };
enum class ContentType : uint8_t { kProtobuf, kJson };

struct Options {
  std::string kubeconfig;
  std::string master;
  std::string config_file;  ///< read at start, and again when it changes; "" = none
  /// Initial client rate limit. It is fixed if kube_api_qps_max is <= 0. A rate <= 0 means no
  /// limit.
  double kube_api_qps = 20;
  int kube_api_burst = 30;
  double kube_api_qps_max = 0;
  /// kProtobuf: protobuf where the objects that are read have it, otherwise JSON.
  ContentType kube_api_content_type = ContentType::kProtobuf;
  std::vector<std::string> controllers{"*"};
  Duration min_resync_period = std::chrono::hours(12);
  Duration controller_start_interval = std::chrono::seconds(0);
  Duration controller_shutdown_timeout = std::chrono::seconds(10);
  /// A leader gives up the lease if all its workers have been in one reconcile each for this long.
  /// 0 = never.
  Duration controller_stuck_timeout = std::chrono::minutes(10);
  StandbyCache standby_cache = StandbyCache::kWarm;
  bool use_service_account_credentials = false;
  bool dry_run = false;
  std::string namespace_;  ///< only objects in this namespace; "" = all namespaces
  /// Restricts the manager to namespace_. If that is "", to the namespace of the kubeconfig or pod.
  bool namespaced = false;
  std::string instance_id;  ///< only objects with this label capstan.dev/instance-id; "" = objects
                            ///< without it
  std::map<std::string, bool> feature_gates{{"CoordinatedLeaderElection", false}};
  std::string plugin_dir = DefaultPluginDirectory().string();
  /// Worker counts by plugin name.
  std::map<std::string, int> concurrent_syncs;
  LeaderElectionOptions leader_election;
  ServingOptions serving;
  AuthenticationOptions authentication;
  AuthorizationOptions authorization;
  MetricsOptions metrics;
  LogOptions logging;
};

/// The default of --kube-api-qps-max if neither the rate nor the burst is given.
constexpr double kDefaultQpsMax = 400;

/// The result of parsing a command line.
struct CommandLine {
  enum class Action { kRun, kPrint };
  Action action = Action::kRun;
  std::string text;       ///< kPrint: the text for standard output
  Options options;        ///< kRun
  PluginCatalog catalog;  ///< kRun
  std::vector<std::string> arguments;
};

/// Parses the arguments (without the program name), the notes of the plugins, which define flags,
/// and the configuration file. With --write-config-to it writes that file. `width` is the terminal
/// width for --help. Errors name the flag, the position in the configuration file, or the plugin
/// file. Violated rules are listed one per line.
Result<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments, size_t width);

/// Reads the configuration file again, with the arguments and plugins of `line`. It reads files and
/// may block, but may be called from any thread.
Result<Options> ReloadOptions(const CommandLine& line);

/// Returns the namespace that the options restrict the manager to; "" means all namespaces. `own`
/// is the namespace of the kubeconfig's context or of the pod; "" means that it names none.
Result<std::string> NamespaceInScope(const Options& options, const std::string& own);

}  // namespace capstan::manager
