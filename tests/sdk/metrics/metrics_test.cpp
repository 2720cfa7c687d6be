#include <capstan/metrics/metrics.h>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

#include <capstan/log/log.h>

#include "base/io/unique_fd.h"

namespace capstan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Errors : public LogSink {
 public:
  Errors() { SetLogSink(this); }
  ~Errors() override { SetLogSink(nullptr); }
  void Write(std::string_view line) override { text.append(line).append("\n"); }
  std::string text;
};

// The value of a series without labels.
double ValueOf(const std::string& text, const std::string& name) {
  const size_t at = text.find("\n" + name + " ");
  return at == text.npos ? -1 : std::stod(text.substr(at + name.size() + 2));
}

TEST(Metrics, WritesCountersGaugesAndHistogramsAsText) {
  MetricsRegistry metrics;
  const Counter counter = metrics.NewCounter("requests_total", "Requests.", {{"code", "200"}});
  counter.Increment();
  counter.Increment(2);
  EXPECT_EQ(counter.Value(), 3);
  const Gauge gauge = metrics.NewGauge("busy", "Busy.");
  gauge.Set(5);
  gauge.Add(-2);
  EXPECT_EQ(gauge.Value(), 3);
  const Histogram histogram = metrics.NewHistogram("seconds", "Seconds.", {0.5, 1});
  histogram.Observe(0.7);
  histogram.Observe(7);
  const std::string text = metrics.Serialize();
  EXPECT_THAT(text, HasSubstr("# HELP requests_total Requests.\n# TYPE requests_total counter\n"
                              "requests_total{code=\"200\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE busy gauge\nbusy 3\n"));
  EXPECT_THAT(text, HasSubstr("seconds_count 2\nseconds_sum 7.7\nseconds_bucket{le=\"0.5\"} 0\n"
                              "seconds_bucket{le=\"1\"} 1\nseconds_bucket{le=\"+Inf\"} 2\n"));
}

TEST(Metrics, ReturnsTheSameSeriesForTheSameNameAndLabels) {
  MetricsRegistry metrics;
  metrics.NewCounter("c", "Help.", {{"a", "1"}, {"b", "2"}}).Increment();
  const Counter again = metrics.NewCounter("c", "Help.", {{"b", "2"}, {"a", "1"}});
  again.Increment();
  EXPECT_EQ(again.Value(), 2);
  EXPECT_EQ(metrics.NewCounter("c", "Help.", {{"a", "1"}, {"b", "3"}}).Value(), 0);
}

TEST(Metrics, EscapesHelpTextsAndLabelValues) {
  MetricsRegistry metrics;
  metrics.NewGauge("g", "One\nTwo \\ three.", {{"path", "a\"b\\c\nd"}}).Set(1);
  const std::string text = metrics.Serialize();
  EXPECT_THAT(text, HasSubstr("# HELP g One\\nTwo \\\\ three.\n"));
  EXPECT_THAT(text, HasSubstr("g{path=\"a\\\"b\\\\c\\nd\"} 1\n"));
}

TEST(Metrics, RefusesInvalidNamesWithAnErrorThatQuotesThem) {
  MetricsRegistry metrics;
  Errors errors;
  const Counter counter = metrics.NewCounter("not-a-name", "Help.");
  counter.Increment();
  EXPECT_EQ(counter.Value(), 0);
  EXPECT_THAT(errors.text, HasSubstr("metric=\"not-a-name\""));
  metrics.NewGauge("g", "Help.", {{"__reserved", "x"}}).Set(1);
  EXPECT_THAT(errors.text, HasSubstr("metric=\"g\""));
  EXPECT_EQ(metrics.RegisterGaugeFunction("also bad", "Help.", {}, [] { return 1.0; }), nullptr);
  EXPECT_THAT(errors.text, HasSubstr("metric=\"also bad\""));
}

TEST(Metrics, RefusesTwoTypesForOneName) {
  MetricsRegistry metrics;
  Errors errors;
  (void)metrics.NewCounter("m", "Help.");
  const Gauge gauge = metrics.NewGauge("m", "Help.");
  gauge.Set(7);
  EXPECT_EQ(gauge.Value(), 0);
  EXPECT_THAT(errors.text, HasSubstr("used by another type"));
}

double Twice(const void* context) { return 2 * *static_cast<const int*>(context); }

TEST(Metrics, CallsGaugeFunctionsAtEachScrape) {
  MetricsRegistry metrics;
  int value = 2;
  metrics.NewGaugeFunction("f", "Help.", {{"of", "x"}}, Twice, &value);
  EXPECT_THAT(metrics.Serialize(), HasSubstr("# TYPE f gauge\nf{of=\"x\"} 4\n"));
  value = 5;
  EXPECT_THAT(metrics.Serialize(), HasSubstr("f{of=\"x\"} 10\n"));
}

TEST(Metrics, CallsARegisteredFunctionOnlyDuringItsRegistration) {
  MetricsRegistry metrics;
  auto older = metrics.RegisterGaugeFunction("f", "Help.", {}, [] { return 1.0; });
  auto newer = metrics.RegisterGaugeFunction("f", "Help.", {}, [] { return 2.0; });
  EXPECT_EQ(ValueOf(metrics.Serialize(), "f"), 2);
  newer.reset();
  EXPECT_EQ(ValueOf(metrics.Serialize(), "f"), 1);
  older.reset();
  EXPECT_THAT(metrics.Serialize(), Not(HasSubstr("# HELP f ")));
}

TEST(Metrics, ARegistrationCanOutliveItsRegistry) {
  std::shared_ptr<void> registration;
  {
    MetricsRegistry metrics;
    registration = metrics.RegisterGaugeFunction("f", "Help.", {}, [] { return 1.0; });
  }
  registration.reset();
}

TEST(Metrics, HandlesAGaugeFunctionThatThrows) {
  MetricsRegistry metrics;
  metrics.NewGauge("g", "Help.").Set(3);
  const auto registration = metrics.RegisterGaugeFunction(
      "f", "Help.", {}, []() -> double { throw std::runtime_error("no"); });
  const std::string text = metrics.Serialize();
  EXPECT_EQ(ValueOf(text, "g"), 3);
  EXPECT_THAT(text, HasSubstr("\nf Nan"));
}

TEST(Metrics, ExportsProcessMetrics) {
  const std::string text = MetricsRegistry().Serialize();
  EXPECT_GE(ValueOf(text, "process_cpu_seconds_total"), 0);
  EXPECT_GT(ValueOf(text, "process_resident_memory_bytes"), 1e6);
  EXPECT_GT(ValueOf(text, "process_virtual_memory_bytes"),
            ValueOf(text, "process_resident_memory_bytes"));
  EXPECT_GE(ValueOf(text, "process_open_fds"), 3);
  EXPECT_GE(ValueOf(text, "process_max_fds"), ValueOf(text, "process_open_fds"));
  EXPECT_GE(ValueOf(text, "process_threads"), 1);
  const auto now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_LE(ValueOf(text, "process_start_time_seconds"), now + 1);
  EXPECT_GT(ValueOf(text, "process_start_time_seconds"), now - 86400);
}

TEST(Metrics, CountsOpenFileDescriptors) {
  const double before = ValueOf(MetricsRegistry().Serialize(), "process_open_fds");
  const io::UniqueFd fd(dup(STDIN_FILENO));
  EXPECT_EQ(ValueOf(MetricsRegistry().Serialize(), "process_open_fds"), before + 1);
}

TEST(Metrics, CanOmitProcessMetrics) {
  MetricsRegistry metrics(ProcessMetrics::kLeftOut);
  metrics.NewGauge("g", "Help.").Set(1);
  EXPECT_EQ(metrics.Serialize(), "# HELP g Help.\n# TYPE g gauge\ng 1\n");
}

TEST(Metrics, DoesNotExportDisabledMetrics) {
  MetricsRegistry metrics;
  const Counter before = metrics.NewCounter("before_total", "Help.");
  EXPECT_TRUE(metrics.Disable("before_total"));
  EXPECT_FALSE(metrics.Disable("before_total"));
  for (const char* name : {"f", "after", "process_threads"}) metrics.Disable(name);
  metrics.NewGauge("after", "Help.").Set(1);
  metrics.NewGauge("aftermath", "Help.").Set(2);
  const auto function = metrics.RegisterGaugeFunction("f", "Help.", {}, [] { return 1.0; });
  before.Increment();
  EXPECT_EQ(before.Value(), 1);
  const std::string text = metrics.Serialize();
  for (const char* name : {"before_total", "f", "after", "process_threads"}) {
    EXPECT_THAT(text, Not(HasSubstr("# TYPE " + std::string(name) + " ")));
  }
  EXPECT_EQ(ValueOf(text, "aftermath"), 2);
  EXPECT_THAT(text, HasSubstr("# TYPE process_open_fds gauge"));
}

TEST(Metrics, ReplacesDisallowedLabelValuesByUnexpected) {
  MetricsRegistry metrics;
  metrics.AllowLabelValues("requests_total", "code", {"200", "404"});
  for (const char* code : {"200", "500", "503"}) {
    metrics.NewCounter("requests_total", "Help.", {{"code", code}, {"verb", "GET"}}).Increment();
    metrics.NewCounter("others_total", "Help.", {{"code", code}}).Increment();
  }
  const auto function =
      metrics.RegisterGaugeFunction("f", "Help.", {{"code", "1"}}, [] { return 1.0; });
  const std::string text = metrics.Serialize();
  EXPECT_THAT(text, HasSubstr("requests_total{code=\"200\",verb=\"GET\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("requests_total{code=\"unexpected\",verb=\"GET\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("others_total{code=\"503\"} 1\n"));
  EXPECT_EQ(ValueOf(text, "cardinality_enforcement_unexpected_categorizations_total"), 2);
}

TEST(Metrics, FiltersLabelValuesOfGaugeFunctions) {
  MetricsRegistry metrics;
  metrics.AllowLabelValues("f", "name", {"a"});
  const auto a = metrics.RegisterGaugeFunction("f", "Help.", {{"name", "a"}}, [] { return 1.0; });
  const auto b = metrics.RegisterGaugeFunction("f", "Help.", {{"name", "b"}}, [] { return 2.0; });
  const std::string text = metrics.Serialize();
  EXPECT_THAT(text, HasSubstr("f{name=\"a\"} 1\nf{name=\"unexpected\"} 2\n"));
}

TEST(Metrics, SortsFamiliesByName) {
  MetricsRegistry metrics;
  (void)metrics.NewGauge("b", "Help.");
  (void)metrics.NewCounter("c", "Help.");
  (void)metrics.NewHistogram("a", "Help.", {1});
  std::istringstream lines(metrics.Serialize());
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# TYPE ") && !line.starts_with("# TYPE process_")) {
      names.push_back(line.substr(7, 1));
    }
  }
  EXPECT_THAT(names, ElementsAre("a", "b", "c"));
}

TEST(Metrics, CreatesExponentialBuckets) {
  EXPECT_THAT(ExponentialBuckets(1, 2, 4), ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(ExponentialBuckets(1, 2, 0), ElementsAre());
}

}  // namespace
}  // namespace capstan
