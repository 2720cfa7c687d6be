#pragma once

/// Options: all that the command line and the configuration file can say, and their reading.
///
/// A flag wins over the file (--config), which wins over the default; a list replaces a list.
/// What settings there are is in settings.h.

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
  std::string resource_lock = "leases";  ///< there is no other
  std::string resource_name = "capstan-controller-manager";
  std::string resource_namespace = "kube-system";
};

struct ServingOptions {
  std::string bind_address = "0.0.0.0";
  int secure_port = 10257;  ///< 0 = off; -1: the system chooses (for tests)
  /// Ports for plain HTTP, 0 = off: /metrics alone, and the health checks alone. Whoever reaches
  /// them may read them.
  int metrics_port = 0;
  int healthz_port = 0;
  std::string cert_dir;       ///< keeps the self-signed certificate; "" = only in memory
  std::string tls_cert_file;  ///< "" = a self-signed certificate
  std::string tls_private_key_file;
  /// "certificate,key" or "certificate,key:name,name", by what name the client asks for.
  std::vector<std::string> tls_sni_cert_keys;
  std::string tls_min_version = "VersionTLS12";
  std::vector<std::string> tls_cipher_suites;  ///< IANA names; empty = a good choice
  bool profiling = true;
  bool contention_profiling = false;
};

/// Who asks (delegated:
/// https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/).
struct AuthenticationOptions {
  std::string kubeconfig;      ///< of the server that reviews tokens; "" = the manager's own
  std::string client_ca_file;  ///< "" = as kube-system/extension-apiserver-authentication says
  bool skip_lookup = false;    ///< not to read that ConfigMap
  bool tolerate_lookup_failure = true;
  Duration token_cache_ttl = std::chrono::seconds(10);
  std::string requestheader_client_ca_file;
  std::vector<std::string> requestheader_allowed_names;
  std::vector<std::string> requestheader_username_headers{"x-remote-user"};
  std::vector<std::string> requestheader_uid_headers;
  std::vector<std::string> requestheader_group_headers{"x-remote-group"};
  std::vector<std::string> requestheader_extra_headers_prefix{"x-remote-extra-"};
};

/// What they may ask for.
struct AuthorizationOptions {
  std::string kubeconfig;  ///< of the server that reviews access; "" = the manager's own
  /// Paths that need no leave; "/a/*" is all below /a/.
  std::vector<std::string> always_allow_paths{"/healthz", "/readyz", "/livez"};
  Duration authorized_ttl = std::chrono::seconds(10);
  Duration unauthorized_ttl = std::chrono::seconds(10);
};

struct MetricsOptions {
  std::vector<std::string> disabled_metrics;
  /// "metric,label=value,value": other values of that label are counted as "unexpected".
  std::vector<std::string> allow_metric_labels;
  /// YAML file with more of them, by "metric,label" below allowListMapping. What it says is among
  /// allow_metric_labels after parsing.
  std::string allow_metric_labels_manifest;
  std::string show_hidden_metrics_for_version;
};

enum class StandbyCache : uint8_t { kWarm, kCold };

struct Options {
  std::string kubeconfig;
  std::string master;
  std::string config_file;  ///< read at start, and again when it changes; "" = none
  /// Where the rate begins; with the maximum 0 or below, where it stays. <= 0: no limit.
  double kube_api_qps = 20;
  int kube_api_burst = 30;
  double kube_api_qps_max = 0;
  std::vector<std::string> controllers{"*"};
  Duration min_resync_period = std::chrono::hours(12);
  Duration controller_start_interval = std::chrono::seconds(0);
  Duration controller_shutdown_timeout = std::chrono::seconds(10);
  /// A leader whose workers have all been in one reconcile each for so long gives the lease up; 0 =
  /// never.
  Duration controller_stuck_timeout = std::chrono::minutes(10);
  StandbyCache standby_cache = StandbyCache::kWarm;
  bool use_service_account_credentials = false;
  bool dry_run = false;
  std::string namespace_;  ///< only objects in it; "" = all
  /// Only objects in namespace_, or when that is "", in the one of the kubeconfig or pod.
  bool namespaced = false;
  std::string instance_id;  ///< only objects with this label capstan.dev/instance-id; "" = without
  std::map<std::string, bool> feature_gates{{"CoordinatedLeaderElection", false}};
  std::string plugin_dir = DefaultPluginDirectory().string();
  /// By the plugin's name.
  std::map<std::string, int> concurrent_syncs;
  LeaderElectionOptions leader_election;
  ServingOptions serving;
  AuthenticationOptions authentication;
  AuthorizationOptions authorization;
  MetricsOptions metrics;
  LogOptions logging;
};

/// --kube-api-qps-max when neither the rate nor the burst is given.
constexpr double kDefaultQpsMax = 400;

/// What a command line asks for.
struct CommandLine {
  enum class Action { kRun, kPrint };
  Action action = Action::kRun;
  std::string text;       ///< kPrint: what to write to standard output
  Options options;        ///< kRun
  PluginCatalog catalog;  ///< kRun
  std::vector<std::string> arguments;
};

/// Reads the arguments (without the program's name) and, as plugins bring flags, the plugins'
/// notes; and the configuration file. With --write-config-to it writes that file. `width` is that
/// of the terminal, for --help. Errors name the flag, the place in the configuration file, or the
/// plugin's file; broken rules one a line.
Result<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments, size_t width);

/// Reads the configuration file anew, with the arguments and plugins of `line`. Reads files, so any
/// thread may call it that may wait for the disk.
Result<Options> ReloadOptions(const CommandLine& line);

/// The namespace that the options restrict the manager to, "" = none, when its own is `own`: that
/// of the kubeconfig's context or of the pod, "" = it names none.
Result<std::string> NamespaceInScope(const Options& options, const std::string& own);

}  // namespace capstan::manager
