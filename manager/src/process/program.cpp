#include "process/program.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stop_token>
#include <utility>

#include <capstan/log/log.h>
#include <capstan/metrics/metrics.h>
#include <capstan/runtime/contention.h>
#include <capstan/runtime/runtime.h>

#include "base/cli/flag_set.h"
#include "base/cli/shutdown_signals.h"
#include "config/build_info.h"
#include "config/config_writer.h"
#include "config/file_watch.h"
#include "config/live_configuration.h"
#include "config/metrics_options.h"
#include "config/options.h"
#include "config/settings.h"
#include "process/memory_trim.h"
#include "process/process.h"

namespace capstan::manager {
namespace {

/// How soon a changed configuration file is noticed.
constexpr Duration kConfigWatchPeriod = std::chrono::seconds(5);

int RunManager(CommandLine line, const std::stop_token& stop) {
  ConfigureLogging(line.options.logging);
  if (line.options.serving.contention_profiling) EnableContentionProfile();
  ApplyMetricsOptions(line.options.metrics, DefaultMetrics());
  ExportBuildInfo(DefaultMetrics());
  LogInfo("Starting", {{"version", "v" CAPSTAN_VERSION}});
  LiveConfiguration configuration(std::move(line));
  if (const Status status = configuration.Load(); !status.ok()) {
    LogError(status, "Cannot load a plugin");
    return 1;
  }
  Runtime& runtime = SystemRuntime();
  std::optional<FileWatch> watch;
  if (const std::string& file = configuration.options().config_file; !file.empty()) {
    watch.emplace(runtime, file, kConfigWatchPeriod, [&] { configuration.Reload(); });
  }
  const cli::HangupSignal hangup(runtime, [&] {
    LogInfo("SIGHUP received", {{"config", configuration.options().config_file}});
    if (watch) watch->CallNow();
  });
  const Dependencies dependencies{
      .runtime = runtime,
      .metrics = DefaultMetrics(),
      .exit_at_once = [](int code) { std::_Exit(code); },
      .trim_memory = TrimMemory,
      .configz = [&] { return ConfigJson(configuration.Current(), configuration.known_plugins()); },
      .flagz = [&] { return FlagValues(configuration.Current(), configuration.known_plugins()); }};
  return Run(configuration.options(), configuration.selection(), dependencies, stop);
}

}  // namespace

int Main(const std::vector<std::string>& arguments) {
  LimitHeaps();
  const cli::ShutdownSignals signals(SystemRuntime());
  auto line = ParseCommandLine(arguments, cli::TerminalWidth());
  if (!line) {
    std::fprintf(stderr, "capstan-controller-manager: %s\n", line.status().message().c_str());
    return 1;
  }
  if (line->action == CommandLine::Action::kRun) {
    return RunManager(*std::move(line), signals.token());
  }
  std::fputs(line->text.c_str(), stdout);
  return 0;
}

}  // namespace capstan::manager
