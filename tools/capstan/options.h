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

/// --manager: compute the answer from what the API server shows.
inline constexpr char kNoManager[] = "none";

/// capstan why
struct WhyOptions {
  std::string kind;        ///< as it was typed: "deployment", "deploy", "deployments.apps"
  std::string name;        ///< of the object
  std::string namespace_;  ///< "" = the kubeconfig context's, or "default"
  bool json = false;
  std::string kubeconfig;  ///< "" = $KUBECONFIG, $HOME/.kube/config or the pod's service account
  std::string context;
  std::string manager;  ///< "https://host:port", kNoManager, or "" = the one that leads, if found
  std::string certificate_authority;
  bool insecure_skip_tls_verify = false;
  std::string token_file;  ///< for the manager at that address
  std::string plugin_dir;  ///< "" = where the manager looks for its plugins
  Duration request_timeout = std::chrono::seconds(10);
};

/// The options, or the text to print and leave (--help, --version). An error names what is wrong.
Result<std::variant<WhyOptions, std::string>> ParseCommandLine(
    const std::vector<std::string>& arguments, size_t help_width);

}  // namespace capstan::tool
