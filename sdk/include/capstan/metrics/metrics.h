#pragma once

/// Metrics in Prometheus's sense. A handle is cheap to copy and may be used from any thread; making
/// one with the same name and labels again gives the same series. Handles stay valid for the life
/// of their registry; the one that `DefaultMetrics()` gives lives as long as the process.
///
/// A metric that cannot be (a bad name or label, a name that is taken by another kind of metric)
/// is logged as an error, and its handle counts nothing.
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

/// Whether a registry tells about the process too.
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
  /// A gauge whose value is asked for at each scrape. `value` must outlive the registry and may be
  /// called from any thread.
  void NewGaugeFunction(std::string_view name, std::string_view help, const MetricLabels& labels,
                        double (*value)(const void* context), const void* context);
  /// The same for as long as the registration that it gives lives. `value` may still be running
  /// when the registration goes, so it must own what it reads. Of two with the same name and labels
  /// the newer is asked.
  [[nodiscard]] std::shared_ptr<void> RegisterGaugeFunction(std::string_view name,
                                                            std::string_view help,
                                                            const MetricLabels& labels,
                                                            std::function<double()> value);

  /// The metric of this name is not exported any more. False when that was said before.
  bool Disable(std::string_view name);
  /// Of series that are made from now on, values of `label` other than these become "unexpected".
  /// cardinality_enforcement_unexpected_categorizations_total counts them.
  void AllowLabelValues(std::string_view name, std::string_view label,
                        const std::vector<std::string>& values);

  /// All series in the text exposition format, process_* among them.
  std::string Serialize() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // registrations may outlive the registry
};

CAPSTAN_EXPORT MetricsRegistry& DefaultMetrics();
/// `count` bounds: start, start*factor, ...
CAPSTAN_EXPORT std::vector<double> ExponentialBuckets(double start, double factor, int count);

}  // namespace capstan
