#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

#include "client/http/http_transport_scope.h"

namespace capstan::client {

struct ProcessOptions {
  std::string command;  ///< looked up in $PATH if it has no slash
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  ///< overrides this process's environment
  bool keep_stdin = false;                               ///< false: it reads nothing
  Duration time_limit = std::chrono::minutes(1);
};

/// Runs a program and returns its standard output. Its standard error is that of this process. A
/// missing program is a NotFound. A program that fails or takes too long is a Transport error,
/// because a retry may succeed. If `scope` ends, the program is killed with its children. Runs are
/// counted (exec_metrics.h).
Result<std::string> RunProcess(const ProcessOptions& options, Runtime& runtime,
                               const RequestScope& scope);

}  // namespace capstan::client
