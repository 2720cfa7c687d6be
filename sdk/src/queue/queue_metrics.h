#pragma once

/// The metrics of a work queue that are updated on each event. (component-base
/// metrics/prometheus/workqueue)

#include <chrono>
#include <string>

#include <capstan/metrics/metrics.h>
#include <capstan/runtime/clock.h>

namespace capstan {

inline double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

struct QueueMetrics {
  QueueMetrics(MetricsRegistry& registry, const MetricLabels& labels)
      : adds(registry.NewCounter("workqueue_adds_total",
                                 "Total number of adds handled by workqueue", labels)),
        retries(registry.NewCounter("workqueue_retries_total",
                                    "Total number of retries handled by workqueue", labels)),
        queue_duration(registry.NewHistogram(
            "workqueue_queue_duration_seconds",
            "How long in seconds an item stays in workqueue before being requested.",
            ExponentialBuckets(1e-6, 10, 10), labels)),
        work_duration(
            registry.NewHistogram("workqueue_work_duration_seconds",
                                  "How long in seconds processing an item from workqueue takes.",
                                  ExponentialBuckets(1e-6, 10, 10), labels)) {}

  Counter adds;
  Counter retries;
  Histogram queue_duration;
  Histogram work_duration;
};

}  // namespace capstan
