#pragma once

/// LiveConfiguration: the effective settings, and how they change while the process runs.
///
/// A reload with an invalid configuration, or with a plugin that cannot be loaded, changes
/// nothing.
///
/// Threads: Load is called before all other methods. Reload is called by one thread at a time.
/// The getters may be called from any thread.

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

  /// Loads the selected plugins.
  Status Load();
  /// Reads the configuration file again and applies it.
  void Reload();

  /// The options at process start. Components were created with them.
  const Options& options() const { return line_.options; }
  /// The options after the last successful reload.
  Options Current() const;
  const std::vector<PluginManifest>& known_plugins() const { return line_.catalog.plugins; }
  PluginSelection& selection() { return selection_; }

 private:
  Result<std::vector<LoadedPlugin>> LoadSelected(const std::vector<std::string>& controllers);
  void Apply(const Options& before, const Options& after, std::vector<LoadedPlugin> plugins);

  const CommandLine line_;
  const LoadFunction load_;
  std::map<std::string, LoadedPlugin> loaded_;  // by name; a plugin is loaded only once
  PluginSelection selection_{{}};
  mutable Mutex mutex_;
  Options current_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::manager
