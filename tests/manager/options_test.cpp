#include "options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin_directory.h"

namespace capstan::manager {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

class CommandLineTest : public ::testing::Test {
 protected:
  Result<CommandLine> Parse(std::vector<std::string> arguments) {
    arguments.push_back("--plugin-dir=" + directory_.path().string());
    return ParseCommandLine(arguments, 80);
  }
  std::string ErrorOf(std::vector<std::string> arguments) {
    return Parse(std::move(arguments)).status().message();
  }

  PluginDirectory directory_;
};

TEST_F(CommandLineTest, DefaultsAreThoseOfTheReference) {
  auto line = Parse({});
  ASSERT_TRUE(line.ok()) << line.status().message();
  EXPECT_EQ(line->action, CommandLine::Action::kRun);
  const Options& options = line->options;
  EXPECT_THAT(options.controllers, ElementsAre("*"));
  EXPECT_TRUE(options.leader_election.enabled);
  EXPECT_EQ(options.leader_election.lease_duration, 15s);
  EXPECT_EQ(options.leader_election.renew_deadline, 10s);
  EXPECT_EQ(options.leader_election.retry_period, 2s);
  EXPECT_EQ(options.leader_election.resource_name, "capstan-controller-manager");
  EXPECT_EQ(options.leader_election.resource_namespace, "kube-system");
  EXPECT_EQ(options.kube_api_qps, 20);
  EXPECT_EQ(options.kube_api_burst, 30);
  EXPECT_EQ(options.min_resync_period, 12h);
  EXPECT_EQ(options.controller_shutdown_timeout, 10s);
  EXPECT_EQ(options.serving.secure_port, 10257);
  EXPECT_EQ(options.serving.bind_address, "0.0.0.0");
}

TEST_F(CommandLineTest, AllFlagsReachTheOptions) {
  auto line =
      Parse({"--kubeconfig=/k", "--master=https://m:1", "--leader-elect=false",
             "--leader-elect-lease-duration=60s", "--leader-elect-renew-deadline=40s",
             "--leader-elect-retry-period=5s", "--leader-elect-resource-name=n",
             "--leader-elect-resource-namespace=ns", "--secure-port=0", "--bind-address=::1",
             "--kube-api-qps=-1", "--kube-api-burst=7", "--min-resync-period=1h",
             "--controller-shutdown-timeout=3s", "--logging-format=json", "-v", "4"});
  ASSERT_TRUE(line.ok()) << line.status().message();
  const Options& options = line->options;
  EXPECT_EQ(options.kubeconfig, "/k");
  EXPECT_EQ(options.master, "https://m:1");
  EXPECT_FALSE(options.leader_election.enabled);
  EXPECT_EQ(options.leader_election.lease_duration, 60s);
  EXPECT_EQ(options.leader_election.renew_deadline, 40s);
  EXPECT_EQ(options.leader_election.retry_period, 5s);
  EXPECT_EQ(options.leader_election.resource_name, "n");
  EXPECT_EQ(options.leader_election.resource_namespace, "ns");
  EXPECT_EQ(options.serving.secure_port, 0);
  EXPECT_EQ(options.serving.bind_address, "::1");
  EXPECT_EQ(options.kube_api_qps, -1);
  EXPECT_EQ(options.kube_api_burst, 7);
  EXPECT_EQ(options.min_resync_period, 1h);
  EXPECT_EQ(options.controller_shutdown_timeout, 3s);
  EXPECT_EQ(options.logging.format, LogFormat::kJson);
  EXPECT_EQ(options.logging.verbosity, 4);
  EXPECT_EQ(options.plugin_dir, directory_.path().string());
}

TEST_F(CommandLineTest, APluginBringsItsConcurrencyFlag) {
  directory_.Add("throwing_setup");
  auto line = Parse({});
  ASSERT_TRUE(line.ok()) << line.status().message();
  EXPECT_EQ(line->options.concurrent_syncs["throwing-setup"], 7);
  line = Parse({"--concurrent-thrower-syncs=9"});
  ASSERT_TRUE(line.ok()) << line.status().message();
  EXPECT_EQ(line->options.concurrent_syncs["throwing-setup"], 9);
  EXPECT_EQ(ErrorOf({"--concurrent-thrower-syncs=0"}),
            "flag --concurrent-thrower-syncs: 0 must be at least 1");
}

TEST_F(CommandLineTest, HelpShowsThePluginsAndTheirFlags) {
  directory_.Add("throwing_setup");
  auto line = Parse({"--help"});
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->action, CommandLine::Action::kPrint);
  EXPECT_THAT(
      line->text,
      AllOf(HasSubstr("Leader election flags:"), HasSubstr("Secure serving flags:"),
            HasSubstr("Generic flags:"), HasSubstr("Logs flags:"),
            HasSubstr("Throwing-setup controller flags:\n\n      --concurrent-thrower-syncs"),
            HasSubstr("(default 12h0m0s)"),
            HasSubstr("throwing-setup (thrower, cheese), off by default")));
}

TEST_F(CommandLineTest, HelpAndVersionComeWithoutPlugins) {
  directory_.Write("garbage", "garbage");
  for (const char* flag : {"--help", "-h", "--version"}) {
    auto line = Parse({flag});
    ASSERT_TRUE(line.ok()) << flag;
    EXPECT_EQ(line->action, CommandLine::Action::kPrint);
  }
  EXPECT_THAT(Parse({"--version"})->text, HasSubstr("Capstan v"));
  EXPECT_THAT(Parse({"--version"})->text, Not(HasSubstr("toolchain")));
  EXPECT_THAT(Parse({"--version=raw"})->text,
              AllOf(HasSubstr("plugin contract: 1"), HasSubstr("toolchain: g++ ABI")));
  EXPECT_EQ(ErrorOf({"--version=7"}), "flag --version: \"7\" is not true, false or raw");
  EXPECT_THAT(ErrorOf({"--version=false"}), HasSubstr("garbage.so"));
}

TEST_F(CommandLineTest, ADefectivePluginIsToldBeforeAnUnknownFlag) {
  const auto file = directory_.Write("garbage", "garbage");
  EXPECT_EQ(ErrorOf({}), "plugin " + file.string() + ": is no ELF file");
}

TEST_F(CommandLineTest, AMissingPluginDirectoryIsNamed) {
  EXPECT_EQ(ParseCommandLine({"--plugin-dir=/does/not/exist"}, 80).status().message(),
            "plugin directory /does/not/exist: No such file or directory");
}

TEST_F(CommandLineTest, AnUnknownControllerIsRefusedWithTheKnownOnes) {
  directory_.Add("throwing_setup");
  EXPECT_EQ(ErrorOf({"--controllers=*,-nothing"}),
            "flag --controllers: there is no controller \"nothing\"; known are: throwing-setup "
            "(thrower, cheese)");
}

TEST_F(CommandLineTest, ErrorsNameTheFlag) {
  EXPECT_EQ(ErrorOf({"--leader-elect-renew-deadline=15s"}),
            "flag --leader-elect-lease-duration: 15s must be more than "
            "--leader-elect-renew-deadline, which is 15s");
  EXPECT_EQ(ErrorOf({"--leader-elect-retry-period=8333334us"}),
            "flag --leader-elect-renew-deadline: 10s must be more than 1.2 times "
            "--leader-elect-retry-period, which is 8.333334s");
  EXPECT_THAT(ErrorOf({"--leader-elect-retry-period=0"}),
              HasSubstr("flag --leader-elect-retry-period: must be more than 0"));
  EXPECT_THAT(ErrorOf({"--leader-elect-resource-name="}),
              HasSubstr("flag --leader-elect-resource-name: must not be empty"));
  EXPECT_EQ(ErrorOf({"--secure-port=65536"}), "flag --secure-port: 65536 is no port, 0 to 65535");
  EXPECT_EQ(ErrorOf({"--bind-address=here"}), "flag --bind-address: \"here\" is no IP address");
  EXPECT_EQ(ErrorOf({"--tls-cert-file=/c"}),
            "flag --tls-private-key-file: is missing, it goes with --tls-cert-file");
  EXPECT_EQ(ErrorOf({"--logging-format=xml"}),
            "flag --logging-format: \"xml\" is not text or json");
  EXPECT_EQ(ErrorOf({"--kube-api-burst=0"}), "flag --kube-api-burst: 0 must be at least 1");
}

TEST_F(CommandLineTest, AllBrokenRulesAreToldAtOnce) {
  EXPECT_THAT(ErrorOf({"--secure-port=-1", "--bind-address=x", "--min-resync-period=-1s"}),
              AllOf(HasSubstr("--secure-port"), HasSubstr("--bind-address"),
                    HasSubstr("--min-resync-period")));
}

TEST_F(CommandLineTest, WithoutElectionItsTimesDoNotMatter) {
  EXPECT_TRUE(Parse({"--leader-elect=false", "--leader-elect-renew-deadline=1h"}).ok());
}

}  // namespace
}  // namespace capstan::manager
