#pragma once

/// /debug/controllers: what the controllers do, and below it the pages that they brought.

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
  std::string name;  ///< the plugin's
  bool enabled = true;
  std::string state = {};  ///< "running", "standing by", "starting", "draining", "stopped", ...
  size_t queue_length = 0;
  int workers = 0;
  int active_workers = 0;       ///< in a reconcile now
  std::string last_error = {};  ///< "" = none so far
  std::optional<WallTime> last_error_at = {};
};

/// A plugin's pages (PluginContext::Pages) and what must live while one of them is served.
struct PluginPages {
  std::shared_ptr<const void> owner;
  std::map<std::string, PageFunction> pages;
};

/// Whom the pages ask. Threads: called from any thread.
struct ControllersSource {
  std::function<std::vector<ControllerSummary>()> controllers;
  /// nullopt: there is no such controller, or it is not set up here and now.
  std::function<std::optional<PluginPages>(const std::string& plugin)> pages;
};

/// Serves /debug/controllers as text, with `?format=json` as JSON, and what plugins brought at
/// /debug/controllers/NAME/PATH. A plugin without a page "" has its pages listed there.
void AddControllersPage(http::Mux& mux, ControllersSource source);

}  // namespace capstan::manager
