#pragma once

/// Application of MetricsOptions to a registry.

#include <capstan/metrics/metrics.h>

#include "config/options.h"

namespace capstan::manager {

/// Must be called before metrics are created, since label allowlists apply at creation. Exports
/// disabled_metrics_total. Malformed entries are ignored.
void ApplyMetricsOptions(const MetricsOptions& options, MetricsRegistry& metrics);

}  // namespace capstan::manager
