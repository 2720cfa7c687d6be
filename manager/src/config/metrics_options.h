#pragma once

/// What MetricsOptions mean.

#include <capstan/metrics/metrics.h>
#include <capstan/runtime/status.h>

#include "config/build_info.h"
#include "config/options.h"

namespace capstan::manager {

/// Every rule that is broken, one a line, naming the flag and the entry. The only version whose
/// hidden metrics could be asked for is the minor version before `build`'s; there are none.
Status ValidateMetricsOptions(const MetricsOptions& options, const BuildInfo& build = ThisBuild());

/// Before the metrics are made, as values of labels are looked at then. Exports
/// disabled_metrics_total. What ValidateMetricsOptions refuses is left out.
void ApplyMetricsOptions(const MetricsOptions& options, MetricsRegistry& metrics);

}  // namespace capstan::manager
