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
  std::string command;  // looked for in $PATH when it has no slash
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // over the environment of this process
  bool keep_stdin = false;                               // else it reads nothing
  Duration time_limit = std::chrono::minutes(1);
};

// Runs a program and gives its standard output; its standard error is this process's. A program
// that is not there is a NotFound; one that fails or takes too long is a Transport error, as the
// next try may do better. A program that `scope` ends is killed with its children. Runs are counted
// (exec_metrics.h).
Result<std::string> RunProcess(const ProcessOptions& options, Runtime& runtime,
                               const RequestScope& scope);

}  // namespace capstan::client
