#include <string_view>
#include <utility>

#include "config/settings.h"

namespace capstan::manager {
namespace {

/// Returns the section title: "Deployment controller" for deployment-controller.
std::string SectionOf(std::string name) {
  constexpr std::string_view kSuffix = "-controller";
  if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  if (name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name + " controller";
}

/// Returns Argo's name of the flag: "deployment-threads" for concurrent-deployment-syncs. "" if it
/// has none.
std::string ThreadsFlag(std::string_view flag) {
  constexpr std::string_view kBegin = "concurrent-";
  constexpr std::string_view kEnd = "-syncs";
  if (flag.size() <= kBegin.size() + kEnd.size()) return "";
  if (!flag.starts_with(kBegin) || !flag.ends_with(kEnd)) return "";
  flag.remove_prefix(kBegin.size());
  flag.remove_suffix(kEnd.size());
  return std::string(flag) + "-threads";
}

/// Argo's log levels. Capstan's non-verbose lines have level info, warning or error and are always
/// logged, so levels above info have the same effect as info.
cli::ChoiceValue LevelChoice(int* verbosity) {
  enum Level : size_t { kTrace, kDebug, kInfo };
  return {.words = {"trace", "debug", "info", "warn", "warning", "error"},
          .get = [verbosity]() -> size_t {
            if (*verbosity >= 8) return kTrace;
            return *verbosity >= 4 ? kDebug : kInfo;
          },
          .set =
              [verbosity](size_t level) {
                *verbosity = level == kTrace ? 8 : level == kDebug ? 4 : 0;
              }};
}

}  // namespace

void ListMetricsSettings(SettingList& list, MetricsOptions& options) {
  list.BeginSection("Metrics");
  list.Add("disabled-metrics", "metrics.disabledMetrics", &options.disabled_metrics,
           "Full names of metrics that are not served.");
  list.Add(
      "allow-metric-labels", "metrics.allowMetricLabels",
      cli::PairsValue{&options.allow_metric_labels},
      "metric,label=value,value: the allowed values of this label of this metric; others are "
      "counted as \"unexpected\". May be repeated; several in one flag are quoted, each in \"\".");
  list.Add("allow-metric-labels-manifest", "metrics.allowMetricLabelsManifest",
           &options.allow_metric_labels_manifest,
           "YAML file with more allowed values: below allowListMapping, \"metric,label\": "
           "\"value,value\". --allow-metric-labels takes precedence over it.");
  list.Add("show-hidden-metrics-for-version", "metrics.showHiddenMetricsForVersion",
           &options.show_hidden_metrics_for_version,
           "Serve metrics that were hidden in this version, such as 0.1.");
}

void ListLogSettings(SettingList& list, Options& options) {
  list.BeginSection("Logs");
  Setting& format = list.Add("logging-format", "logging.format",
                             cli::ChoiceOf(&options.logging.format, {"text", "json"}),
                             "Format of log lines: text or json.");
  format.other_flags = {"logformat"};
  Setting& verbosity =
      list.Add("v", "logging.verbosity", &options.logging.verbosity,
               "Log verbosity: 0 is terse, 4 is for debugging, 8 logs everything.");
  verbosity.shorthand = 'v';
  verbosity.other_flags = {"kloglevel"};
  verbosity.at_run_time = true;
  list.Add("loglevel", "", LevelChoice(&options.logging.verbosity),
           "Alternative to -v: trace is 8, debug is 4, info, warn and error are 0.");
  list.Add("vmodule", "logging.vmodule", &options.logging.vmodule,
           "pattern=N,...: log verbosity of the source files whose names, without extension, match "
           "the pattern.")
      .at_run_time = true;
}

void ListPluginSettings(SettingList& list, Options& options,
                        const std::vector<PluginManifest>& plugins) {
  for (const PluginManifest& plugin : plugins) {
    int& syncs =
        options.concurrent_syncs.try_emplace(plugin.name, plugin.concurrent_syncs).first->second;
    list.BeginSection(SectionOf(plugin.name));
    Setting& setting = list.Add(plugin.concurrent_syncs_flag, "", &syncs,
                                "Number of objects that the controller reconciles concurrently. "
                                "More are faster, and put more load on the API server.");
    setting.path = {"concurrentSyncs", plugin.name};
    const std::string threads = ThreadsFlag(plugin.concurrent_syncs_flag);
    if (!threads.empty()) setting.other_flags = {threads};
  }
}

}  // namespace capstan::manager
