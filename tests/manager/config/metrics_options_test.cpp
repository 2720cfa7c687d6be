#include "config/metrics_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace capstan::manager {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

BuildInfo VersionOf(const char* major, const char* minor) {
  BuildInfo build;
  build.major = major;
  build.minor = minor;
  return build;
}

TEST(MetricsOptions, SoundOnesPass) {
  MetricsOptions options;
  EXPECT_TRUE(ValidateMetricsOptions(options).ok());
  options.disabled_metrics = {"workqueue_depth", "a:b_c9"};
  options.allow_metric_labels = {"workqueue_depth,name=deployment,replicaset", "m,l="};
  options.show_hidden_metrics_for_version = "1.6";
  EXPECT_TRUE(ValidateMetricsOptions(options, VersionOf("1", "7")).ok());
}

TEST(MetricsOptions, EachErrorNamesFlagAndEntry) {
  MetricsOptions options;
  options.disabled_metrics = {"good", "not-a-name", "", "9lives"};
  options.allow_metric_labels = {"m,l=a", "m=a", "m,l", "m,b-d=a", "m l,b=a"};
  options.show_hidden_metrics_for_version = "one";
  EXPECT_EQ(ValidateMetricsOptions(options, VersionOf("1", "7")).message(),
            "--disabled-metrics: \"not-a-name\" is no metric's full name\n"
            "--disabled-metrics: \"\" is no metric's full name\n"
            "--disabled-metrics: \"9lives\" is no metric's full name\n"
            "--allow-metric-labels: \"m=a\" is no METRIC,LABEL=VALUE,...\n"
            "--allow-metric-labels: \"m,l\" is no METRIC,LABEL=VALUE,...\n"
            "--allow-metric-labels: \"m,b-d=a\" is no METRIC,LABEL=VALUE,...\n"
            "--allow-metric-labels: \"m l,b=a\" is no METRIC,LABEL=VALUE,...\n"
            "--show-hidden-metrics-for-version: \"one\" is no MAJOR.MINOR");
}

TEST(MetricsOptions, OnlyThePreviousMinorVersionHasHiddenMetrics) {
  MetricsOptions options;
  options.show_hidden_metrics_for_version = "1.5";
  EXPECT_THAT(ValidateMetricsOptions(options, VersionOf("1", "7")).message(),
              HasSubstr("only the previous minor version (1.6) is allowed"));
  EXPECT_THAT(ValidateMetricsOptions(options, VersionOf("2", "0")).message(),
              HasSubstr("only the previous minor version is allowed"));
  for (const char* version : {"1.6.0", "1.", ".6", "v1.6", "16"}) {
    options.show_hidden_metrics_for_version = version;
    EXPECT_FALSE(ValidateMetricsOptions(options, VersionOf("1", "7")).ok()) << version;
  }
}

TEST(MetricsOptions, AreAppliedToARegistry) {
  MetricsRegistry metrics;
  ApplyMetricsOptions({.disabled_metrics = {"gone", "gone", "bad-name"},
                       .allow_metric_labels = {"kept,l=a,b", "nonsense"},
                       .allow_metric_labels_manifest = {},
                       .show_hidden_metrics_for_version = {}},
                      metrics);
  metrics.NewGauge("gone", "Help.").Set(1);
  metrics.NewGauge("kept", "Help.", {{"l", "b"}}).Set(1);
  metrics.NewGauge("kept", "Help.", {{"l", "c"}}).Set(2);
  EXPECT_THAT(metrics.Serialize(),
              AllOf(HasSubstr("disabled_metrics_total 1\n"), Not(HasSubstr("# TYPE gone")),
                    HasSubstr("kept{l=\"b\"} 1\n"), HasSubstr("kept{l=\"unexpected\"} 2\n")));
}

TEST(BuildInfo, IsExportedUnderBothNames) {
  MetricsRegistry metrics;
  ExportBuildInfo(metrics);
  const BuildInfo build = ThisBuild();
  EXPECT_EQ(build.version.find(build.major + "." + build.minor + "."), 0U);
  EXPECT_THAT(metrics.Serialize(), AllOf(HasSubstr("version=\"" + build.version + "\"} 1\n"),
                                         HasSubstr("git_version=\"v" + build.version + "\""),
                                         HasSubstr("platform=\"linux/")));
}

}  // namespace
}  // namespace capstan::manager
