#include "config/live_configuration.h"

#include <utility>

#include <capstan/log/log.h>

#include "config/settings.h"
#include "plugins/controller_selection.h"

namespace capstan::manager {

LiveConfiguration::LiveConfiguration(CommandLine line, LoadFunction load)
    : line_(std::move(line)), load_(std::move(load)), current_(line_.options) {}

Options LiveConfiguration::Current() const {
  MutexLock lock(mutex_);
  return current_;
}

Status LiveConfiguration::Load() {
  for (const auto& file : line_.catalog.others) {
    LogWarning("Ignoring a shared object in the plugin directory that is not a plugin",
               {{"file", file.native()}});
  }
  auto plugins = LoadSelected(line_.options.controllers);
  if (!plugins) return plugins.status();
  selection_.Set(*std::move(plugins));
  return Status::Ok();
}

Result<std::vector<LoadedPlugin>> LiveConfiguration::LoadSelected(
    const std::vector<std::string>& controllers) {
  std::vector<LoadedPlugin> selected;
  for (const PluginManifest& manifest : line_.catalog.plugins) {
    if (!IsSelected(manifest, controllers)) {
      LogInfo("Controller is disabled", {{"controller", manifest.name}});
      continue;
    }
    auto known = loaded_.find(manifest.name);
    if (known == loaded_.end()) {
      // Logged before loading: if an initializer crashes, this is the last line.
      LogInfo("Loading plugin", {{"controller", manifest.name},
                                 {"version", manifest.version},
                                 {"file", manifest.file.native()}});
      auto plugin = load_(manifest);
      if (!plugin) return plugin.status();
      known = loaded_.emplace(manifest.name, *std::move(plugin)).first;
    }
    selected.push_back(known->second);
  }
  return selected;
}

void LiveConfiguration::Reload() {
  constexpr std::string_view kRefused = "Invalid configuration, keeping the current one";
  const auto options = ReloadOptions(line_);
  if (!options) return LogError(options.status(), kRefused);
  const Options before = Current();
  auto plugins = LoadSelected(options->controllers);
  if (!plugins) return LogError(plugins.status(), kRefused);
  Apply(before, *options, *std::move(plugins));
}

void LiveConfiguration::Apply(const Options& before, const Options& after,
                              std::vector<LoadedPlugin> plugins) {
  for (const ChangedSetting& change : ChangedSettings(before, after, line_.catalog.plugins)) {
    if (change.at_run_time) {
      LogInfo("Setting changed",
              {{"flag", change.flag}, {"before", change.before}, {"after", change.after}});
    } else {
      LogWarning("Setting changed, restart the process for it to take effect",
                 {{"flag", change.flag}, {"before", change.before}, {"after", change.after}});
    }
  }
  {
    MutexLock lock(mutex_);
    current_ = after;
  }
  LogOptions logging = line_.options.logging;  // the log format cannot change at run time
  logging.verbosity = after.logging.verbosity;
  logging.vmodule = after.logging.vmodule;
  ConfigureLogging(logging);
  if (before.controllers != after.controllers) selection_.Set(std::move(plugins));
}

}  // namespace capstan::manager
