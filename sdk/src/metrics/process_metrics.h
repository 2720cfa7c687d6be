#pragma once

// The process_* metrics, as every Prometheus client library has them, read from /proc/self.

#include <vector>

#include <prometheus/metric_family.h>

namespace capstan {

// What cannot be read is left out.
void AppendProcessMetrics(std::vector<prometheus::MetricFamily>& families);

}  // namespace capstan
