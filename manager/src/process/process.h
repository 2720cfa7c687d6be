#pragma once

/// The main loop of a manager: from the connection to the API server to the exit code.

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <capstan/metrics/metrics.h>
#include <capstan/runtime/runtime.h>

#include "apiclient/api_connections.h"
#include "config/options.h"
#include "plugins/plugin_selection.h"

namespace capstan::manager {

/// The external dependencies of a process, so that tests can replace them. References are borrowed.
struct Dependencies {
  Runtime& runtime;
  MetricsRegistry& metrics;
  TransportFactory new_transport = NewHttpTransport;
  /// Ends the process at once when a worker does not finish, because its thread cannot be joined.
  std::function<void(int code)> exit_at_once;
  /// Called once in each term after its start, to give back memory that only starting needed. May
  /// be empty.
  std::function<void()> trim_memory = {};
  /// For the pages: the effective configuration as JSON, and the flags. May be empty.
  std::function<std::string()> configz = {};
  std::function<std::vector<std::pair<std::string, std::string>>()> flagz = {};
};

/// Fills the caches, acquires the lease, runs the controllers of `plugins`, and serves health and
/// metrics. Returns 0 after `stop` is triggered, and 1 after an error that it cannot recover from.
/// Logs the reason. After losing the lease, the process becomes a standby again. It keeps its
/// caches, or drops them with --standby-cache=cold. If the API server cannot be reached, Run waits
/// for it.
int Run(const Options& options, PluginSelection& plugins, const Dependencies& dependencies,
        const std::stop_token& stop);

}  // namespace capstan::manager
