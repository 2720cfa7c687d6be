#pragma once

/// Loads a plugin whose note fits, and calls it. A plugin is never unloaded: its code may be
/// referred to from everywhere.

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
  std::vector<ExplainedKind> explains = {};  ///< as in the manifest, with their functions
};

/// Loads the shared object and checks its descriptor. The error names the file and the reason; the
/// dynamic linker's own words are part of it.
Result<LoadedPlugin> LoadPlugin(const PluginManifest& manifest);

/// Calls Setup. Whatever it throws becomes an error.
Status SetUpPlugin(const LoadedPlugin& plugin, PluginContext& context);

/// Calls what explains the kind at `index` of `plugin.explains`. Whatever it throws becomes an
/// error.
Result<Explanation> CallExplain(const LoadedPlugin& plugin, size_t index, const Client& client,
                                const NamespacedName& name, WallTime now);

}  // namespace capstan::manager
