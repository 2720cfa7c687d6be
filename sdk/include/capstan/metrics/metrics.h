#pragma once

/// Prometheus metrics. A handle is cheap to copy and may be used from any thread. Creating a metric
/// again with the same name and labels returns the same series. A handle is valid for the life of
/// its registry. The registry of `DefaultMetrics()` lives as long as the process.
///
/// An invalid metric (a bad name or label, or a name in use by another kind of metric) is logged as
/// an error, and its handle has no effect.
///
/// Threads: all methods may be called from any thread.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/export.h>

namespace capstan {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

class CAPSTAN_EXPORT Counter {
 public:
  void Increment(double by = 1) const;
  double Value() const;

 private:
  friend class MetricsRegistry;
  void* counter_ = nullptr;
};

class CAPSTAN_EXPORT Gauge {
 public:
  void Set(double value) const;
  void Add(double by) const;
  double Value() const;

 private:
  friend class MetricsRegistry;
  void* gauge_ = nullptr;
};

class CAPSTAN_EXPORT Histogram {
 public:
  void Observe(double value) const;

 private:
  friend class MetricsRegistry;
  void* histogram_ = nullptr;
};

/// Whether a registry includes the metrics of the process.
enum class ProcessMetrics { kIncluded, kLeftOut };

class CAPSTAN_EXPORT MetricsRegistry {
 public:
  explicit MetricsRegistry(ProcessMetrics process = ProcessMetrics::kIncluded);
  ~MetricsRegistry();
  MetricsRegistry(const MetricsRegistry&) = delete;
  MetricsRegistry& operator=(const MetricsRegistry&) = delete;

  Counter NewCounter(std::string_view name, std::string_view help, const MetricLabels& labels = {});
  Gauge NewGauge(std::string_view name, std::string_view help, const MetricLabels& labels = {});
  /// `buckets` are upper bounds, ascending, without +Inf.
  Histogram NewHistogram(std::string_view name, std::string_view help,
                         const std::vector<double>& buckets, const MetricLabels& labels = {});
  /// Adds a gauge whose value is computed at each scrape. `value` and `context` must outlive the
  /// registry. `value` may be called from any thread.
  void NewGaugeFunction(std::string_view name, std::string_view help, const MetricLabels& labels,
                        double (*value)(const void* context), const void* context);
  /// The same, but only until the returned registration is destroyed. `value` may still be running
  /// at that time, so it must own the data that it reads. Of two functions with the same name and
  /// labels, the newer one is called.
  [[nodiscard]] std::shared_ptr<void> RegisterGaugeFunction(std::string_view name,
                                                            std::string_view help,
                                                            const MetricLabels& labels,
                                                            std::function<double()> value);

  /// Stops the export of the metric with this name. Returns false if it is already disabled.
  bool Disable(std::string_view name);
  /// Restricts the values of `label` for series that are created from now on. Any other value
  /// becomes "unexpected". cardinality_enforcement_unexpected_categorizations_total counts these
  /// values.
  void AllowLabelValues(std::string_view name, std::string_view label,
                        const std::vector<std::string>& values);

  /// Returns all series, including process_*, in the text exposition format.
  std::string Serialize() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // registrations may outlive the registry
};

CAPSTAN_EXPORT MetricsRegistry& DefaultMetrics();
/// Returns `count` bounds: start, start*factor, ...
CAPSTAN_EXPORT std::vector<double> ExponentialBuckets(double start, double factor, int count);

}  // namespace capstan
