#include "config/metrics_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/runtime/format.h>

namespace capstan::manager {
namespace {

bool IsIdentifier(std::string_view text, std::string_view others) {
  const auto fits = [&](unsigned char c) {
    return std::isalnum(c) != 0 || others.find(static_cast<char>(c)) != std::string_view::npos;
  };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::all_of(text.begin(), text.end(), fits);
}
bool IsMetricName(std::string_view text) { return IsIdentifier(text, "_:"); }
bool IsLabelName(std::string_view text) { return IsIdentifier(text, "_"); }

struct AllowedLabel {
  std::string metric, label;
  std::vector<std::string> values;
};

/// Of "metric,label=value,value".
std::optional<AllowedLabel> ParseAllowedLabel(std::string_view text) {
  const size_t comma = text.find(',');
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || comma > equals) return std::nullopt;
  AllowedLabel allowed{.metric = std::string(text.substr(0, comma)),
                       .label = std::string(text.substr(comma + 1, equals - comma - 1)),
                       .values = {}};
  if (!IsMetricName(allowed.metric) || !IsLabelName(allowed.label)) return std::nullopt;
  std::string_view rest = text.substr(equals + 1);
  while (true) {
    const size_t end = std::min(rest.find(','), rest.size());
    allowed.values.emplace_back(rest.substr(0, end));
    if (end == rest.size()) return allowed;
    rest.remove_prefix(end + 1);
  }
}

/// "0.0" of "0.1"; "" of a first minor version.
std::string PreviousVersion(const BuildInfo& build) {
  int minor = 0;
  std::from_chars(build.minor.data(), build.minor.data() + build.minor.size(), minor);
  return minor > 0 ? Format("{}.{}", build.major, minor - 1) : "";
}

bool IsVersion(std::string_view text) {
  const size_t dot = text.find('.');
  const auto is_number = [](std::string_view part) {
    return !part.empty() && std::all_of(part.begin(), part.end(),
                                        [](unsigned char c) { return std::isdigit(c) != 0; });
  };
  return dot != std::string_view::npos && is_number(text.substr(0, dot)) &&
         is_number(text.substr(dot + 1));
}

std::string ProblemOfVersion(const std::string& version, const BuildInfo& build) {
  const std::string previous = PreviousVersion(build);
  if (version.empty() || version == previous) return "";
  if (!IsVersion(version)) {
    return Format("--show-hidden-metrics-for-version: \"{}\" is no MAJOR.MINOR\n", version);
  }
  return Format(
      "--show-hidden-metrics-for-version: \"{}\": only the previous minor version {}is allowed\n",
      version, previous.empty() ? "" : "(" + previous + ") ");
}

}  // namespace

Status ValidateMetricsOptions(const MetricsOptions& options, const BuildInfo& build) {
  std::string problems;
  for (const std::string& name : options.disabled_metrics) {
    if (IsMetricName(name)) continue;
    problems += Format("--disabled-metrics: \"{}\" is no metric's full name\n", name);
  }
  for (const std::string& entry : options.allow_metric_labels) {
    if (ParseAllowedLabel(entry)) continue;
    problems += Format("--allow-metric-labels: \"{}\" is no METRIC,LABEL=VALUE,...\n", entry);
  }
  problems += ProblemOfVersion(options.show_hidden_metrics_for_version, build);
  if (problems.empty()) return Status::Ok();
  problems.pop_back();
  return Status::InvalidArgument(std::move(problems));
}

void ApplyMetricsOptions(const MetricsOptions& options, MetricsRegistry& metrics) {
  const Counter disabled =
      metrics.NewCounter("disabled_metrics_total", "Metrics that are disabled by name.");
  for (const std::string& name : options.disabled_metrics) {
    if (IsMetricName(name) && metrics.Disable(name)) disabled.Increment();
  }
  for (const std::string& entry : options.allow_metric_labels) {
    const auto allowed = ParseAllowedLabel(entry);
    if (allowed) metrics.AllowLabelValues(allowed->metric, allowed->label, allowed->values);
  }
}

}  // namespace capstan::manager
