#pragma once

/// The process_* metrics of every Prometheus client library, read from /proc/self.

#include <vector>

#include <prometheus/metric_family.h>

namespace capstan {

/// Metrics that cannot be read are omitted.
void AppendProcessMetrics(std::vector<prometheus::MetricFamily>& families);

}  // namespace capstan
