#pragma once

/// /debug/controllers: the status of the controllers, and the pages that plugins add below it.

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/plugin/plugin_context.h>
#include <capstan/runtime/clock.h>

#include "base/http/mux.h"

namespace capstan::manager {

struct ControllerSummary {
  std::string name;  ///< name of the plugin
  bool enabled = true;
  std::string state = {};  ///< "running", "standing by", "starting", "draining", "stopped", ...
  size_t queue_length = 0;
  int workers = 0;
  int active_workers = 0;       ///< currently in a reconcile
  std::string last_error = {};  ///< "" = none so far
  std::optional<WallTime> last_error_at = {};
};

/// A plugin's pages (PluginContext::Pages), and the object that must stay alive while one is
/// served.
struct PluginPages {
  std::shared_ptr<const void> owner;
  std::map<std::string, PageFunction> pages;
};

/// The data source of the pages. Threads: the functions are called from any thread.
struct ControllersSource {
  std::function<std::vector<ControllerSummary>()> controllers;
  /// Returns nullopt if there is no such controller or it is not set up in this process now.
  std::function<std::optional<PluginPages>(const std::string& plugin)> pages;
};

/// Serves /debug/controllers as text, or as JSON with `?format=json`. Serves the pages of plugins
/// at /debug/controllers/NAME/PATH. A plugin without a page "" gets an index of its pages there.
void AddControllersPage(http::Mux& mux, ControllersSource source);

}  // namespace capstan::manager
