#include "config/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "config/config_writer.h"
#include "manager/plugins/plugin_directory.h"

namespace capstan::manager {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

constexpr char kConfigHead[] =
    "apiVersion: capstan.dev/v1alpha1\nkind: ControllerManagerConfiguration\n";

class ConfigFileTest : public ::testing::Test {
 protected:
  ConfigFileTest() { directory_.Add("throwing_setup"); }

  std::string path() const { return (directory_.path() / "config.yaml").string(); }
  void Write(const std::string& text) { std::ofstream(path(), std::ios::trunc) << text; }
  // Line 3 of the file is the first line of `body`.
  void WriteBody(const std::string& body) { Write(kConfigHead + body); }

  Result<CommandLine> Parse(std::vector<std::string> arguments = {}) {
    arguments.push_back("--plugin-dir=" + directory_.path().string());
    arguments.push_back("--config=" + path());
    return ParseCommandLine(arguments, 80);
  }
  Options Read(const std::string& body, std::vector<std::string> arguments = {}) {
    WriteBody(body);
    auto line = Parse(std::move(arguments));
    EXPECT_TRUE(line.ok()) << line.status().message();
    return line ? line->options : Options();
  }
  // The error without the file name at the start of each line.
  std::string ErrorOf(const std::string& body, std::vector<std::string> arguments = {}) {
    WriteBody(body);
    return WithoutPath(Parse(std::move(arguments)).status().message());
  }
  std::string ErrorOfWhole(const std::string& text) {
    Write(text);
    return WithoutPath(Parse().status().message());
  }
  std::string WithoutPath(std::string text) const {
    for (size_t at; (at = text.find(path() + ":")) != std::string::npos;) {
      text.erase(at, path().size() + 1);
    }
    return text;
  }

  PluginDirectory directory_;
};

TEST_F(ConfigFileTest, SetsOnlyTheGivenKeys) {
  const Options options = Read(
      "generic:\n"
      "  controllers: ['*', -thrower]\n"
      "  minResyncPeriod: 1h\n"
      "  standbyCache: cold\n"
      "  clientConnection:\n"
      "    qps: 50.5\n"
      "  leaderElection:\n"
      "    leaderElect: false\n"
      "    leaseDuration: 60s\n"
      "secureServing:\n"
      "  securePort: 1234\n"
      "  tlsSNICertKeys:\n"
      "    - a.crt,a.key:x,y\n"
      "    - b.crt,b.key\n"
      "featureGates:\n"
      "  CoordinatedLeaderElection: true\n"
      "logging:\n"
      "  format: json\n"
      "  verbosity: 3\n"
      "concurrentSyncs:\n"
      "  throwing-setup: 9\n");
  EXPECT_THAT(options.controllers, ElementsAre("*", "-thrower"));
  EXPECT_EQ(options.min_resync_period, 1h);
  EXPECT_EQ(options.standby_cache, StandbyCache::kCold);
  EXPECT_EQ(options.kube_api_qps, 50.5);
  EXPECT_EQ(options.kube_api_burst, 30);
  EXPECT_FALSE(options.leader_election.enabled);
  EXPECT_EQ(options.leader_election.lease_duration, 60s);
  EXPECT_EQ(options.leader_election.renew_deadline, 10s);
  EXPECT_EQ(options.serving.secure_port, 1234);
  EXPECT_THAT(options.serving.tls_sni_cert_keys, ElementsAre("a.crt,a.key:x,y", "b.crt,b.key"));
  EXPECT_TRUE(options.feature_gates.at("CoordinatedLeaderElection"));
  EXPECT_EQ(options.logging.format, LogFormat::kJson);
  EXPECT_EQ(options.logging.verbosity, 3);
  EXPECT_EQ(options.concurrent_syncs.at("throwing-setup"), 9);
}

TEST_F(ConfigFileTest, FlagsOverrideTheFileAndListsAreReplaced) {
  const std::string body =
      "generic:\n  controllers: [thrower]\n  minResyncPeriod: 1h\nlogging:\n  verbosity: 3\n";
  const Options options = Read(body, {"--controllers=*", "--controllers=-thrower", "-v5"});
  EXPECT_THAT(options.controllers, ElementsAre("*", "-thrower"));
  EXPECT_EQ(options.min_resync_period, 1h);
  EXPECT_EQ(options.logging.verbosity, 5);
}

TEST_F(ConfigFileTest, AnEmptyListIsAValueAndAMissingListKeepsTheDefault) {
  EXPECT_THAT(Read("authorization:\n  alwaysAllowPaths: []\n").authorization.always_allow_paths,
              IsEmpty());
  EXPECT_THAT(Read("authorization:\n  alwaysAllowPaths:\n").authorization.always_allow_paths,
              ElementsAre("/healthz", "/readyz", "/livez"));
  EXPECT_EQ(Read("authorization:\nlogging:\n").logging.verbosity, 0);
}

TEST_F(ConfigFileTest, AnUnknownKeyIsAnErrorWithPositionAndNearestKey) {
  EXPECT_EQ(
      ErrorOf("generic:\n  leaderElection:\n    leaseDurtion: 15s\n"),
      "5:5: generic.leaderElection: unknown key \"leaseDurtion\"; did you mean leaseDuration?");
  EXPECT_EQ(ErrorOf("genric: {}\n"), "3:1: unknown key \"genric\"; did you mean generic?");
  EXPECT_EQ(ErrorOf("concurrentSyncs:\n  throwing-stup: 1\n"),
            "4:3: concurrentSyncs: unknown key \"throwing-stup\"; did you mean throwing-setup?");
}

TEST_F(ConfigFileTest, AMisplacedKeyIsAnErrorThatNamesTheRightPlace) {
  EXPECT_EQ(
      ErrorOf("leaseDuration: 15s\n"),
      "3:1: unknown key \"leaseDuration\"; it belongs to generic.leaderElection.leaseDuration");
  EXPECT_EQ(ErrorOf("kube-api-qps: 1\n"),
            "3:1: unknown key \"kube-api-qps\"; the key of --kube-api-qps is "
            "generic.clientConnection.qps");
}

TEST_F(ConfigFileTest, ADuplicateKeyIsRefused) {
  EXPECT_EQ(ErrorOf("generic:\n  dryRun: true\n  dryRun: true\n"),
            "5:3: generic.dryRun: appears twice, first in line 4");
  EXPECT_EQ(ErrorOf("logging: {}\nlogging: {}\n"), "4:1: logging: appears twice, first in line 3");
  EXPECT_EQ(ErrorOf("kind: x\n"), "3:1: kind: appears twice, first in line 2");
  EXPECT_EQ(ErrorOf("featureGates:\n  CoordinatedLeaderElection: true\n"
                    "  CoordinatedLeaderElection: true\n"),
            "5:3: featureGates.CoordinatedLeaderElection: appears twice");
}

TEST_F(ConfigFileTest, AWrongTypeIsRefused) {
  EXPECT_EQ(ErrorOf("generic:\n  dryRun: 'true'\n"),
            "4:11: generic.dryRun: must be true or false, not \"true\", which is in quotes");
  EXPECT_EQ(ErrorOf("generic:\n  dryRun: yes\n"),
            "4:11: generic.dryRun: must be true or false, not \"yes\"");
  EXPECT_EQ(ErrorOf("secureServing:\n  securePort: '1'\n"),
            "4:15: secureServing.securePort: must be a number, not \"1\", which is in quotes");
  EXPECT_EQ(ErrorOf("secureServing:\n  securePort: 1.5\n"),
            "4:15: secureServing.securePort: \"1.5\" is not a whole number");
  EXPECT_EQ(ErrorOf("generic:\n  namespace: 7\n"),
            "4:14: generic.namespace: must be text, and 7 is a number without quotes");
  EXPECT_EQ(ErrorOf("generic:\n  minResyncPeriod: 15\n"),
            "4:20: generic.minResyncPeriod: \"15\" is not a duration such as 15s, 1m30s or 500ms");
  EXPECT_EQ(ErrorOf("generic:\n  controllers: '*'\n"),
            "4:16: generic.controllers: must be a list, not text in quotes");
  EXPECT_EQ(ErrorOf("generic:\n  controllers: [a, 1]\n"),
            "4:20: generic.controllers[1]: must be text, not a number");
  EXPECT_EQ(ErrorOf("generic: 3\n"), "3:10: generic: must be a map, not a number");
  EXPECT_EQ(ErrorOf("logging:\n  format: [text]\n"),
            "4:11: logging.format: must be one value, not a list");
  EXPECT_EQ(ErrorOf("logging:\n  format: xml\n"),
            "4:11: logging.format: \"xml\" is not text or json");
  EXPECT_EQ(ErrorOf("generic:\n  clientConnection:\n    qps: .nan\n"),
            "5:10: generic.clientConnection.qps: \".nan\" is not a number");
  EXPECT_EQ(ErrorOf("featureGates: [a]\n"), "3:15: featureGates: must be a map, not a list");
  EXPECT_EQ(ErrorOf("featureGates:\n  Nope: true\n"),
            "4:3: featureGates: unknown feature gate \"Nope\"; known gates: "
            "CoordinatedLeaderElection");
  EXPECT_EQ(ErrorOf("[a]: b\n"), "3:1: a key must be text, not a list");
}

TEST_F(ConfigFileTest, ZeroIsAcceptedAsADuration) {
  EXPECT_EQ(Read("generic:\n  controllerStuckTimeout: 0\n").controller_stuck_timeout, 0s);
}

TEST_F(ConfigFileTest, AllErrorsAreReportedTogether) {
  const std::string error = ErrorOf("a: 1\ngeneric:\n  b: 2\n  dryRun: 3\n");
  EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 2);
  EXPECT_THAT(error, AllOf(HasSubstr("3:1: "), HasSubstr("5:3: "), HasSubstr("6:11: ")));
}

TEST_F(ConfigFileTest, AnotherKindOrApiVersionIsRefused) {
  EXPECT_EQ(ErrorOfWhole("kind: ControllerManagerConfiguration\n"),
            "1:1: apiVersion is missing; it must be capstan.dev/v1alpha1");
  EXPECT_EQ(ErrorOfWhole("apiVersion: capstan.dev/v2\nkind: ControllerManagerConfiguration\n"),
            "1:13: apiVersion must be capstan.dev/v1alpha1, not \"capstan.dev/v2\"");
  EXPECT_EQ(ErrorOfWhole("apiVersion: capstan.dev/v1alpha1\nkind: Pod\n"),
            "2:7: kind must be ControllerManagerConfiguration, not \"Pod\"");
  EXPECT_EQ(ErrorOfWhole(""), "1:1: is empty");
  EXPECT_EQ(ErrorOfWhole("- a\n"), "1:1: must be a map, not a list");
  EXPECT_EQ(ErrorOfWhole(std::string(kConfigHead) + "---\n" + kConfigHead)
                .find("3:1: there is more than one"),
            0U);
}

TEST_F(ConfigFileTest, AnInvalidValueIsReportedWithPositionAndFlag) {
  EXPECT_EQ(ErrorOf("secureServing:\n  securePort: 70000\n"),
            "4:3: secureServing.securePort (flag --secure-port): 70000 is not a port, 0 to 65535");
  EXPECT_EQ(ErrorOf("secureServing:\n  securePort: 70000\n", {"--secure-port=70001"}),
            "flag --secure-port: 70001 is not a port, 0 to 65535");
  EXPECT_EQ(ErrorOf("generic:\n  controllers: [nothing]\n"),
            "4:3: generic.controllers (flag --controllers): unknown controller \"nothing\"; "
            "known controllers: throwing-setup (thrower, cheese)");
  EXPECT_EQ(ErrorOf("concurrentSyncs:\n  throwing-setup: 0\n"),
            "4:3: concurrentSyncs.throwing-setup (flag --concurrent-thrower-syncs): 0 must be at "
            "least 1");
}

TEST_F(ConfigFileTest, AMissingFileIsNamed) {
  EXPECT_EQ(Parse().status().message(), path() + ": No such file or directory");
}

TEST_F(ConfigFileTest, CanSetThePluginDirectory) {
  PluginDirectory other;
  WriteBody("generic:\n  pluginDir: " + other.path().string() + "\n");
  const auto line = ParseCommandLine({"--config=" + path()}, 80);
  ASSERT_TRUE(line.ok()) << line.status().message();
  EXPECT_THAT(line->catalog.plugins, IsEmpty());
  EXPECT_EQ(line->options.plugin_dir, other.path().string());
  EXPECT_EQ(Parse()->catalog.plugins.size(), 1U);  // the flag takes precedence
}

TEST_F(ConfigFileTest, TheRequestRateIsAdaptiveByDefault) {
  const Options defaults = Read("");
  EXPECT_EQ(defaults.kube_api_qps, 20);
  EXPECT_EQ(defaults.kube_api_qps_max, 400);
  EXPECT_EQ(Read("generic:\n  clientConnection:\n    qps: 50\n").kube_api_qps_max, 0);
  EXPECT_EQ(Read("generic:\n  clientConnection:\n    burst: 50\n").kube_api_qps_max, 0);
  EXPECT_EQ(Read("", {"--kube-api-qps=20"}).kube_api_qps_max, 0);
  EXPECT_EQ(Read("", {"--burst=20"}).kube_api_qps_max, 0);
  EXPECT_EQ(Read("generic:\n  clientConnection:\n    qps: 50\n    maxQPS: 90\n").kube_api_qps_max,
            90);
  EXPECT_EQ(Read("", {"--kube-api-qps-max=0"}).kube_api_qps_max, 0);
}

TEST_F(ConfigFileTest, AReloadKeepsThePrecedenceOfFlags) {
  WriteBody("generic:\n  controllers: ['*']\nlogging:\n  verbosity: 1\n");
  const auto line = Parse({"--min-resync-period=3h"});
  ASSERT_TRUE(line.ok());
  WriteBody(
      "generic:\n  controllers: [-thrower]\n  minResyncPeriod: 1h\nlogging:\n  verbosity: 4\n");
  const auto options = ReloadOptions(*line);
  ASSERT_TRUE(options.ok()) << options.status().message();
  EXPECT_THAT(options->controllers, ElementsAre("-thrower"));
  EXPECT_EQ(options->logging.verbosity, 4);
  EXPECT_EQ(options->min_resync_period, 3h);
  WriteBody("generic: 7\n");
  EXPECT_FALSE(ReloadOptions(*line).ok());
}

TEST_F(ConfigFileTest, WritesTheEffectiveConfiguration) {
  WriteBody("generic:\n  namespace: shop\n");
  const auto printed = Parse({"--write-config-to=-", "-v3"});
  ASSERT_TRUE(printed.ok()) << printed.status().message();
  EXPECT_EQ(printed->action, CommandLine::Action::kPrint);
  EXPECT_THAT(printed->text, AllOf(HasSubstr(kConfigHead), HasSubstr("  namespace: shop\n"),
                                   HasSubstr("  verbosity: 3\n"),
                                   HasSubstr("concurrentSyncs:\n  throwing-setup: 7\n")));
  const std::string other = (directory_.path() / "written.yaml").string();
  const auto written = Parse({"--write-config-to", other, "-v3"});
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(written->text, "Wrote the configuration to " + other + "\n");
  EXPECT_EQ(*ReadSmallFile(other), printed->text);
  EXPECT_EQ(Parse({"--write-config-to=/does/not/exist"}).status().message(),
            "flag --write-config-to: /does/not/exist: No such file or directory");
}

TEST_F(ConfigFileTest, AManifestOfMetricLabelsAddsToTheFlag) {
  const std::string manifest = (directory_.path() / "labels.yaml").string();
  std::ofstream(manifest) << "allowListMapping:\n  \"m,a\": \"1,2\"\n  \"m,b\": x\n";
  const Options options =
      Read("", {"--allow-metric-labels=m,a=3", "--allow-metric-labels-manifest=" + manifest});
  EXPECT_THAT(options.metrics.allow_metric_labels, ElementsAre("m,a=3", "m,b=x"));
  std::ofstream(manifest) << "allowList: {}\n";
  EXPECT_EQ(ErrorOf("", {"--allow-metric-labels-manifest=" + manifest}),
            "flag --allow-metric-labels-manifest: " + manifest +
                ":1:1: \"allowList\" must be allowListMapping, a map");
}

}  // namespace
}  // namespace capstan::manager
