#pragma once

/// Options: the command line of capstan.

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include <capstan/api/meta_v1.h>
#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

namespace capstan::tool {

/// Value of --manager: compute the answer from the state in the API server.
inline constexpr char kNoManager[] = "none";

/// Options of `capstan why`.
struct WhyOptions {
  std::string kind;        ///< as typed: "deployment", "deploy", "deployments.apps"
  std::string name;        ///< of the object
  std::string namespace_;  ///< "" = the kubeconfig context's, or "default"
  bool json = false;
  std::string kubeconfig;  ///< "" = $KUBECONFIG, $HOME/.kube/config or the pod's service account
  std::string context;
  std::string manager;  ///< "https://host:port", kNoManager, or "" = the leader, if found
  std::string certificate_authority;
  bool insecure_skip_tls_verify = false;
  std::string token_file;  ///< token for the manager at that address
  std::string plugin_dir;  ///< "" = the manager's default plugin directory
  Duration request_timeout = std::chrono::seconds(10);
};

/// Returns the options, or a text to print before exit (--help, --version). An error names the
/// problem.
Result<std::variant<WhyOptions, std::string>> ParseCommandLine(
    const std::vector<std::string>& arguments, size_t help_width);

}  // namespace capstan::tool
