#pragma once

/// Options: all that the command line can say, and the command line itself.

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include <capstan/log/log.h>
#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

#include "plugin_catalog.h"

namespace capstan::manager {

struct LeaderElectionOptions {
  bool enabled = true;
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);
  std::string resource_name = "capstan-controller-manager";
  std::string resource_namespace = "kube-system";
};

struct ServingOptions {
  std::string bind_address = "0.0.0.0";
  int secure_port = 10257;    ///< 0 = off
  std::string tls_cert_file;  ///< "" = a self-signed certificate, made in memory
  std::string tls_private_key_file;
};

struct Options {
  std::string kubeconfig;
  std::string master;
  double kube_api_qps = 20;
  int kube_api_burst = 30;
  std::vector<std::string> controllers{"*"};
  Duration min_resync_period = std::chrono::hours(12);
  Duration controller_shutdown_timeout = std::chrono::seconds(10);
  std::string plugin_dir = DefaultPluginDirectory().string();
  /// By the plugin's name.
  std::map<std::string, int> concurrent_syncs;
  LeaderElectionOptions leader_election;
  ServingOptions serving;
  LogOptions logging;
};

/// What a command line asks for.
struct CommandLine {
  enum class Action { kRun, kPrint };
  Action action = Action::kRun;
  std::string text;       ///< kPrint: what to write to standard output
  Options options;        ///< kRun
  PluginCatalog catalog;  ///< kRun
};

/// Reads the arguments (without the program's name) and, as plugins bring flags, the plugins'
/// notes. `width` is that of the terminal, for --help. Errors name the flag, or the plugin's file.
Result<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments, size_t width);

/// Every rule that is broken, one a line, naming the flag.
Status ValidateOptions(const Options& options);

}  // namespace capstan::manager
