#include "config/metrics_options.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/ascii.h"

namespace capstan::manager {
namespace {

bool IsIdentifier(std::string_view text, std::string_view others) {
  const auto fits = [&](char c) {
    return text::IsAlphanumeric(c) || others.find(c) != std::string_view::npos;
  };
  return !text.empty() && !text::IsDigit(text.front()) &&
         std::all_of(text.begin(), text.end(), fits);
}
bool IsMetricName(std::string_view text) { return IsIdentifier(text, "_:"); }
bool IsLabelName(std::string_view text) { return IsIdentifier(text, "_"); }

struct AllowedLabel {
  std::string metric, label;
  std::vector<std::string> values;
};

/// Parses "metric,label=value,value".
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

}  // namespace

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
