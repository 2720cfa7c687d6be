#pragma once

/// The life of a manager: from the API server's address to the exit code.

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

/// What a process needs from outside, so that tests can replace it. Borrowed references.
struct Dependencies {
  Runtime& runtime;
  MetricsRegistry& metrics;
  TransportFactory new_transport = NewHttpTransport;
  /// Ends the process when a worker does not: it could not be joined.
  std::function<void(int code)> exit_at_once;
  /// Called once a term has settled, to give back memory that only starting needed; may be empty.
  std::function<void()> trim_memory = {};
  /// For the pages: the configuration in effect as JSON, and the flags. May be empty.
  std::function<std::string()> configz = {};
  std::function<std::vector<std::pair<std::string, std::string>>()> flagz = {};
};

/// Fills the caches, wins the lease, runs the controllers of `plugins`, and serves health and
/// metrics, until `stop` is triggered (0) or something makes it pointless to go on (1). Says why in
/// the log. Who loses the lease stands by again, with the caches as they are; an API server that
/// cannot be reached is waited for.
int Run(const Options& options, PluginSelection& plugins, const Dependencies& dependencies,
        const std::stop_token& stop);

}  // namespace capstan::manager
