#pragma once

/// Options: the command line of capstan-playground.

#include <string>
#include <variant>
#include <vector>

#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

namespace capstan::playground {

struct Options {
  std::string bind_address = "127.0.0.1";
  int secure_port = 0;     ///< 0 = any free port
  int insecure_port = -1;  ///< plain HTTP without authentication; -1 = none, 0 = any free port
  std::string kubeconfig = "capstan-playground.kubeconfig";
  int nodes = 3;  ///< 0 = no kubelet: pods stay Pending
  Duration pod_ready_after = std::chrono::seconds(1);
  Duration pod_gone_after = std::chrono::seconds(1);
  std::string data;  ///< file that stores the objects between runs; "" = none
  int verbosity = 0;
};

/// Returns the options, or a text to print before exit (--help, --version). An error names the
/// flag.
Result<std::variant<Options, std::string>> ParseCommandLine(
    const std::vector<std::string>& arguments, size_t help_width);

}  // namespace capstan::playground
