#pragma once

// The plugins of the build, for benchmarks in virtual time.

#include <stdexcept>
#include <utility>
#include <vector>

#include "plugins/plugin_catalog.h"
#include "plugins/plugin_loader.h"
#include "support/paths.h"

namespace capstan::bench {

inline std::vector<manager::LoadedPlugin> LoadPlugins() {
  auto catalog = manager::ReadPluginCatalog(tests::PluginFolder());
  if (!catalog) throw std::runtime_error(catalog.status().ToString());
  std::vector<manager::LoadedPlugin> plugins;
  for (const auto& manifest : catalog->plugins) {
    auto plugin = manager::LoadPlugin(manifest);
    if (!plugin) throw std::runtime_error(plugin.status().ToString());
    plugins.push_back(*std::move(plugin));
  }
  return plugins;
}

}  // namespace capstan::bench
