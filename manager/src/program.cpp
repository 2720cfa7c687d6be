#include "program.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include <capstan/log/log.h>
#include <capstan/metrics/metrics.h>
#include <capstan/runtime/runtime.h>

#include "controller_selection.h"
#include "flag_set.h"
#include "memory_trim.h"
#include "options.h"
#include "plugin_loader.h"
#include "process.h"
#include "shutdown_signals.h"

namespace capstan::manager {
namespace {

Result<std::vector<LoadedPlugin>> LoadSelected(const CommandLine& line) {
  for (const auto& file : line.catalog.others) {
    LogWarning("Shared object in the plugin directory is no plugin, it is left alone",
               {{"file", file.native()}});
  }
  std::vector<LoadedPlugin> loaded;
  for (const PluginManifest& manifest : line.catalog.plugins) {
    if (!IsSelected(manifest, line.options.controllers)) {
      LogInfo("Controller is disabled", {{"controller", manifest.name}});
      continue;
    }
    // Said before: an initialiser that crashes leaves this as the last line.
    LogInfo("Loading plugin", {{"controller", manifest.name},
                               {"version", manifest.version},
                               {"file", manifest.file.native()}});
    auto plugin = LoadPlugin(manifest);
    if (!plugin) return plugin.status();
    loaded.push_back(*std::move(plugin));
  }
  return loaded;
}

int RunManager(const CommandLine& line) {
  BlockShutdownSignals();
  ConfigureLogging(line.options.logging);
  LogInfo("Starting", {{"version", "v" CAPSTAN_VERSION}});
  auto plugins = LoadSelected(line);
  if (!plugins) {
    LogError(plugins.status(), "Can not load a plugin");
    return 1;
  }
  const ShutdownSignals signals(SystemRuntime());
  const Surroundings surroundings{.runtime = SystemRuntime(),
                                  .metrics = DefaultMetrics(),
                                  .exit_at_once = [](int code) { std::_Exit(code); },
                                  .trim_memory = TrimMemory};
  PluginSelection selection(*std::move(plugins));
  return Run(line.options, selection, surroundings, signals.token());
}

}  // namespace

int Main(const std::vector<std::string>& arguments) {
  auto line = ParseCommandLine(arguments, TerminalWidth());
  if (!line) {
    std::fprintf(stderr, "capstan-controller-manager: %s\n", line.status().message().c_str());
    return 1;
  }
  if (line->action == CommandLine::Action::kRun) return RunManager(*line);
  std::fputs(line->text.c_str(), stdout);
  return 0;
}

}  // namespace capstan::manager
