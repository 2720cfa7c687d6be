#pragma once

/// Loads plugins with a compatible note and calls them. A plugin is never unloaded, since
/// references to its code may exist anywhere.

#include <cstddef>
#include <vector>

#include <capstan/controller/explainer.h>
#include <capstan/plugin/descriptor.h>
#include <capstan/plugin/plugin_context.h>
#include <capstan/runtime/status.h>

#include "plugins/plugin_catalog.h"

namespace capstan::manager {

struct LoadedPlugin {
  PluginManifest manifest;
  PluginSetup setup = nullptr;
  std::vector<ExplainedKind> explains = {};  ///< as in the manifest, with the functions
};

/// Loads the shared object and checks its descriptor. The error names the file and the reason,
/// including the message of the dynamic linker.
Result<LoadedPlugin> LoadPlugin(const PluginManifest& manifest);

/// Calls Setup. Exceptions are returned as errors.
Status SetUpPlugin(const LoadedPlugin& plugin, PluginContext& context);

/// Calls the explain function of the kind at `index` of `plugin.explains`. Exceptions are returned
/// as errors.
Result<Explanation> CallExplain(const LoadedPlugin& plugin, size_t index, const Client& client,
                                const NamespacedName& name, WallTime now);

}  // namespace capstan::manager
