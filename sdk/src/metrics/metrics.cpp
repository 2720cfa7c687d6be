#include <capstan/metrics/metrics.h>

#include <prometheus/check_names.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <capstan/log/log.h>
#include <capstan/runtime/mutex.h>

#include "metrics/process_metrics.h"

namespace capstan {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::map<std::string, std::string>;

enum class Kind { kCounter, kGauge, kHistogram, kGaugeFunction };

void CheckNames(const std::string& name, const Labels& labels) {
  if (!prometheus::CheckMetricName(name)) throw std::invalid_argument("Invalid metric name");
  for (const auto& [label, value] : labels) {
    if (!prometheus::CheckLabelName(label)) throw std::invalid_argument("Invalid label name");
  }
}

// A function that throws must not affect the other series.
double ValueOf(const std::function<double()>& function) try {
  return function();
} catch (const std::exception&) {
  return std::numeric_limits<double>::quiet_NaN();
}

// The serializer does not escape a help text, which must be a single line.
std::string EscapedHelp(const std::string& help) {
  std::string escaped;
  for (const char c : help) {
    if (c == '\\')
      escaped += "\\\\";
    else if (c == '\n')
      escaped += "\\n";
    else
      escaped += c;
  }
  return escaped;
}

}  // namespace

void Counter::Increment(double by) const {
  if (counter_) static_cast<prometheus::Counter*>(counter_)->Increment(by);
}
double Counter::Value() const {
  return counter_ ? static_cast<prometheus::Counter*>(counter_)->Value() : 0;
}

void Gauge::Set(double value) const {
  if (gauge_) static_cast<prometheus::Gauge*>(gauge_)->Set(value);
}
void Gauge::Add(double by) const {
  if (gauge_) static_cast<prometheus::Gauge*>(gauge_)->Increment(by);
}
double Gauge::Value() const {
  return gauge_ ? static_cast<prometheus::Gauge*>(gauge_)->Value() : 0;
}

void Histogram::Observe(double value) const {
  if (histogram_) static_cast<prometheus::Histogram*>(histogram_)->Observe(value);
}

struct MetricsRegistry::Impl {
  struct Function {
    uint64_t id;
    Labels labels;
    std::function<double()> value;
  };
  struct FunctionFamily {
    std::string help;
    std::vector<Function> functions;
  };

  explicit Impl(ProcessMetrics process) : process(process) {}

  // The labels by name, with "unexpected" in place of values that are not allowed.
  Labels LabelsOf(std::string_view name, const MetricLabels& given) {
    Labels labels{given.begin(), given.end()};
    int unexpected = 0;
    MutexLock lock(mutex);
    const auto rules = allowed.find(name);
    if (rules == allowed.end()) return labels;
    for (auto& [label, value] : labels) {
      const auto rule = rules->second.find(label);
      if (rule == rules->second.end() || rule->second.contains(value)) continue;
      value = "unexpected";
      ++unexpected;
    }
    if (unexpected > 0) unexpected_values.Increment(unexpected);
    return labels;
  }

  // Whether `name` may be of this kind. The first kind of a name is recorded.
  bool Claim(std::string_view name, Kind kind) {
    MutexLock lock(mutex);
    return kinds.emplace(name, kind).first->second == kind;
  }

  // Returns the result of `make`. After an error, logs it and returns null.
  template <class Make>
  auto New(std::string_view name, Kind kind, Make&& make) -> decltype(make()) {
    std::string problem = "the name is used by another type of metric";
    try {
      if (Claim(name, kind)) return make();
    } catch (const std::exception& error) {
      problem = error.what();
    }
    LogError(Status::InvalidArgument(std::move(problem)), "Metric rejected", {{"metric", name}});
    return nullptr;
  }

  uint64_t AddFunction(std::string_view name, std::string_view help, const MetricLabels& labels,
                       std::function<double()> value) {
    Labels by_name = LabelsOf(name, labels);
    CheckNames(std::string(name), by_name);
    MutexLock lock(mutex);
    FunctionFamily& family = functions[std::string(name)];
    if (family.help.empty()) family.help = help;
    family.functions.push_back({++last_id, std::move(by_name), std::move(value)});
    return last_id;
  }

  void RemoveFunction(const std::string& name, uint64_t id) {
    std::function<double()> removed;  // outlives the lock; its captures are destroyed after it
    MutexLock lock(mutex);
    auto& all = functions[name].functions;
    const auto found = std::ranges::find(all, id, &Function::id);
    if (found == all.end()) return;
    removed = std::move(found->value);
    all.erase(found);
  }

  void AppendFunctions(std::vector<MetricFamily>& families) {
    std::map<std::string, FunctionFamily> snapshot;
    {
      MutexLock lock(mutex);
      snapshot = functions;
    }
    for (const auto& [name, family] : snapshot) {
      std::map<Labels, double> series;
      for (auto function = family.functions.rbegin(); function != family.functions.rend();
           ++function) {
        if (!series.contains(function->labels)) series[function->labels] = ValueOf(function->value);
      }
      if (series.empty()) continue;
      MetricFamily& out = families.emplace_back();
      out.name = name;
      out.help = family.help;
      out.type = MetricType::Gauge;
      for (const auto& [labels, value] : series) {
        prometheus::ClientMetric& metric = out.metric.emplace_back();
        for (const auto& [label, text] : labels) metric.label.push_back({label, text});
        metric.gauge.value = value;
      }
    }
  }

  void DropDisabled(std::vector<MetricFamily>& families) {
    std::set<std::string, std::less<>> names;
    {
      MutexLock lock(mutex);
      names = disabled;
    }
    std::erase_if(families,
                  [&](const MetricFamily& family) { return names.contains(family.name); });
  }

  const ProcessMetrics process;
  prometheus::Registry registry;
  Mutex mutex;
  std::map<std::string, Kind, std::less<>> kinds CAPSTAN_GUARDED_BY(mutex);
  std::map<std::string, FunctionFamily> functions CAPSTAN_GUARDED_BY(mutex);
  uint64_t last_id CAPSTAN_GUARDED_BY(mutex) = 0;
  std::set<std::string, std::less<>> disabled CAPSTAN_GUARDED_BY(mutex);
  // The allowed values, by metric and label.
  std::map<std::string, std::map<std::string, std::set<std::string>>, std::less<>> allowed
      CAPSTAN_GUARDED_BY(mutex);
  Counter unexpected_values CAPSTAN_GUARDED_BY(mutex);
};

MetricsRegistry::MetricsRegistry(ProcessMetrics process) : impl_(std::make_shared<Impl>(process)) {}
MetricsRegistry::~MetricsRegistry() = default;

bool MetricsRegistry::Disable(std::string_view name) {
  MutexLock lock(impl_->mutex);
  return impl_->disabled.emplace(name).second;
}

void MetricsRegistry::AllowLabelValues(std::string_view name, std::string_view label,
                                       const std::vector<std::string>& values) {
  const Counter unexpected = NewCounter(
      "cardinality_enforcement_unexpected_categorizations_total",
      "Number of label values that were not allowed and were replaced by \"unexpected\".");
  MutexLock lock(impl_->mutex);
  impl_->unexpected_values = unexpected;
  impl_->allowed[std::string(name)][std::string(label)] = {values.begin(), values.end()};
}

Counter MetricsRegistry::NewCounter(std::string_view name, std::string_view help,
                                    const MetricLabels& labels) {
  Counter counter;
  counter.counter_ = impl_->New(name, Kind::kCounter, [&] {
    return &prometheus::BuildCounter()
                .Name(std::string(name))
                .Help(std::string(help))
                .Register(impl_->registry)
                .Add(impl_->LabelsOf(name, labels));
  });
  return counter;
}

Gauge MetricsRegistry::NewGauge(std::string_view name, std::string_view help,
                                const MetricLabels& labels) {
  Gauge gauge;
  gauge.gauge_ = impl_->New(name, Kind::kGauge, [&] {
    return &prometheus::BuildGauge()
                .Name(std::string(name))
                .Help(std::string(help))
                .Register(impl_->registry)
                .Add(impl_->LabelsOf(name, labels));
  });
  return gauge;
}

Histogram MetricsRegistry::NewHistogram(std::string_view name, std::string_view help,
                                        const std::vector<double>& buckets,
                                        const MetricLabels& labels) {
  Histogram histogram;
  histogram.histogram_ = impl_->New(name, Kind::kHistogram, [&] {
    return &prometheus::BuildHistogram()
                .Name(std::string(name))
                .Help(std::string(help))
                .Register(impl_->registry)
                .Add(impl_->LabelsOf(name, labels), buckets);
  });
  return histogram;
}

std::shared_ptr<void> MetricsRegistry::RegisterGaugeFunction(std::string_view name,
                                                             std::string_view help,
                                                             const MetricLabels& labels,
                                                             std::function<double()> value) {
  struct Registration {
    std::weak_ptr<Impl> registry;
    std::string name;
    uint64_t id;
    Registration(std::weak_ptr<Impl> impl, std::string_view metric, uint64_t function)
        : registry(std::move(impl)), name(metric), id(function) {}
    ~Registration() {
      if (const auto impl = registry.lock()) impl->RemoveFunction(name, id);
    }
  };
  return impl_->New(name, Kind::kGaugeFunction, [&]() -> std::shared_ptr<void> {
    const uint64_t id = impl_->AddFunction(name, help, labels, std::move(value));
    return std::make_shared<Registration>(impl_, name, id);
  });
}

void MetricsRegistry::NewGaugeFunction(std::string_view name, std::string_view help,
                                       const MetricLabels& labels,
                                       double (*value)(const void* context), const void* context) {
  impl_->New(name, Kind::kGaugeFunction, [&]() -> Impl* {
    impl_->AddFunction(name, help, labels, [value, context] { return value(context); });
    return nullptr;
  });
}

std::string MetricsRegistry::Serialize() const {
  std::vector<MetricFamily> families = impl_->registry.Collect();
  impl_->AppendFunctions(families);
  if (impl_->process == ProcessMetrics::kIncluded) AppendProcessMetrics(families);
  impl_->DropDisabled(families);
  for (MetricFamily& family : families) family.help = EscapedHelp(family.help);
  std::ranges::sort(families, {}, &MetricFamily::name);
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families);
  return std::move(out).str();
}

MetricsRegistry& DefaultMetrics() {
  // Never destroyed: threads may still count while the process exits.
  static MetricsRegistry* const metrics = new MetricsRegistry;
  return *metrics;
}

std::vector<double> ExponentialBuckets(double start, double factor, int count) {
  std::vector<double> buckets;
  buckets.reserve(static_cast<size_t>(std::max(count, 0)));
  for (int i = 0; i < count; ++i, start *= factor) buckets.push_back(start);
  return buckets;
}

}  // namespace capstan
