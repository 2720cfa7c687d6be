#pragma once

/// LiveConfiguration: the settings that are in effect, and what of them can change while the
/// process runs.
///
/// A configuration that is not valid, or names a plugin that cannot be loaded, changes nothing.
///
/// Threads: Load before all others; Reload by one thread at a time; the getters from any.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <capstan/runtime/mutex.h>

#include "config/options.h"
#include "plugins/plugin_selection.h"

namespace capstan::manager {

class LiveConfiguration {
 public:
  using LoadFunction = std::function<Result<LoadedPlugin>(const PluginManifest&)>;
  explicit LiveConfiguration(CommandLine line, LoadFunction load = LoadPlugin);

  /// Loads the plugins that are selected.
  Status Load();
  /// Reads the configuration file anew.
  void Reload();

  /// As the process was started: what its parts were made with.
  const Options& options() const { return line_.options; }
  /// As it is now.
  Options Current() const;
  const std::vector<PluginManifest>& known_plugins() const { return line_.catalog.plugins; }
  PluginSelection& selection() { return selection_; }

 private:
  Result<std::vector<LoadedPlugin>> LoadSelected(const std::vector<std::string>& controllers);
  void Apply(const Options& before, const Options& after, std::vector<LoadedPlugin> plugins);

  const CommandLine line_;
  const LoadFunction load_;
  std::map<std::string, LoadedPlugin> loaded_;  // by name; a plugin is loaded once
  PluginSelection selection_{{}};
  mutable Mutex mutex_;
  Options current_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::manager
