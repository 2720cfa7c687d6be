#pragma once

/// What MetricsOptions mean.

#include <capstan/metrics/metrics.h>

#include "config/options.h"

namespace capstan::manager {

/// Before the metrics are made, as values of labels are looked at then. Exports
/// disabled_metrics_total. A malformed entry is left out.
void ApplyMetricsOptions(const MetricsOptions& options, MetricsRegistry& metrics);

}  // namespace capstan::manager
