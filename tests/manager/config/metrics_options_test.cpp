#include "config/metrics_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "config/build_info.h"

namespace capstan::manager {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

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
