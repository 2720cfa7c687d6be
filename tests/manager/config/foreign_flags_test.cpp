#include "config/foreign_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "config/options.h"
#include "reference_flags.h"
#include "support/paths.h"

namespace capstan::manager {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace std::chrono_literals;

class ForeignFlagsTest : public ::testing::Test {
 protected:
  Result<CommandLine> Parse(std::vector<std::string> arguments) {
    arguments.push_back("--plugin-dir=" + tests::PluginFolder());
    return ParseCommandLine(arguments, 80);
  }
  Options Read(std::vector<std::string> arguments) {
    auto line = Parse(std::move(arguments));
    EXPECT_TRUE(line.ok()) << line.status().message();
    return line ? line->options : Options();
  }
  std::string ErrorOf(std::vector<std::string> arguments) {
    return Parse(std::move(arguments)).status().message();
  }
};

TEST_F(ForeignFlagsTest, EveryFlagOfKubeControllerManagerIsKnown) {
  for (const ReferenceFlag& flag : KcmFlags()) {
    EXPECT_THAT(ErrorOf({"--" + flag.name + "=x"}), Not(HasSubstr("unknown flag"))) << flag.name;
  }
}

TEST_F(ForeignFlagsTest, EveryFlagOfArgosIsKnown) {
  for (const ReferenceFlag& flag : ArgoFlags()) {
    EXPECT_THAT(ErrorOf({"--" + flag.name + "=x"}), Not(HasSubstr("unknown flag"))) << flag.name;
  }
}

TEST_F(ForeignFlagsTest, ARefusedFlagReportsTheReason) {
  for (const RefusedFlag& flag : RefusedFlags()) {
    EXPECT_THAT(flag.reason, StartsWith("not supported: ")) << flag.name;
  }
  EXPECT_EQ(ErrorOf({"--cluster-cidr=10.0.0.0/16"}),
            "flag --cluster-cidr: not supported: it belongs to the node and cloud controllers; "
            "leave them, and the flag, to kube-controller-manager or the cloud controller manager");
  EXPECT_THAT(
      ErrorOf({"--concurrent-job-syncs", "5"}),
      StartsWith("flag --concurrent-job-syncs: not supported: it belongs to a controller "));
}

TEST_F(ForeignFlagsTest, EveryRefusedFlagBelongsToAReference) {
  std::set<std::string> known;
  for (const ReferenceFlag& flag : KcmFlags()) known.insert(flag.name);
  for (const ReferenceFlag& flag : ArgoFlags()) known.insert(flag.name);
  for (const RefusedFlag& flag : RefusedFlags()) {
    EXPECT_TRUE(known.count(std::string(flag.name))) << flag.name;
  }
}

TEST_F(ForeignFlagsTest, ARefusedFlagIsAcceptedWithAHarmlessValue) {
  Read({"--permit-port-sharing=false", "--enable-leader-migration=false",
        "--log-json-info-buffer-size=0"});
  EXPECT_THAT(ErrorOf({"--permit-port-sharing"}), HasSubstr("not supported: "));
  EXPECT_THAT(ErrorOf({"--permit-port-sharing=true"}), HasSubstr("not supported: "));
  EXPECT_THAT(ErrorOf({"--cluster-cidr="}), HasSubstr("not supported: "));
}

TEST_F(ForeignFlagsTest, SomeFlagsAreAcceptedWithoutEffect) {
  Read({"--disable-http2-serving", "--http2-max-streams-per-connection=5",
        "--permit-address-sharing", "--log-flush-frequency=1s"});
  EXPECT_EQ(ErrorOf({"--log-flush-frequency=x"}),
            "flag --log-flush-frequency: \"x\" is not a duration such as 15s, 1m30s or 500ms");
}

TEST_F(ForeignFlagsTest, ArgosSpellingsSetTheSameOptions) {
  const Options options = Read(
      {"--qps=7", "--burst=8", "--metricsPort=81", "--healthzPort=82", "--logformat=json",
       "--loglevel=debug", "--leader-election-lease-duration=60s",
       "--leader-election-renew-deadline=40s", "--leader-election-retry-period=5s", "--namespaced",
       "-n", "shop", "--instance-id=blue", "--deployment-threads=3", "--replicaset-threads=4"});
  EXPECT_EQ(options.kube_api_qps, 7);
  EXPECT_EQ(options.kube_api_burst, 8);
  EXPECT_EQ(options.serving.metrics_port, 81);
  EXPECT_EQ(options.serving.healthz_port, 82);
  EXPECT_EQ(options.logging.format, LogFormat::kJson);
  EXPECT_EQ(options.logging.verbosity, 4);
  EXPECT_EQ(options.leader_election.lease_duration, 60s);
  EXPECT_EQ(options.leader_election.renew_deadline, 40s);
  EXPECT_EQ(options.leader_election.retry_period, 5s);
  EXPECT_TRUE(options.namespaced);
  EXPECT_EQ(options.namespace_, "shop");
  EXPECT_EQ(options.instance_id, "blue");
  EXPECT_EQ(options.concurrent_syncs.at("deployment-controller"), 3);
  EXPECT_EQ(options.concurrent_syncs.at("replicaset-controller"), 4);
  EXPECT_EQ(Read({"--metricsport=83"}).serving.metrics_port, 83);
  EXPECT_EQ(Read({"--kloglevel=6"}).logging.verbosity, 6);
  EXPECT_EQ(ErrorOf({"--loglevel=loud"}),
            "flag --loglevel: \"loud\" is not trace or debug or info or warn or warning or error");
}

TEST_F(ForeignFlagsTest, AMisspelledPluginFlagIsAnErrorWithTheNearestName) {
  EXPECT_EQ(ErrorOf({"--concurrent-deploymnt-syncs=4"}),
            "unknown flag --concurrent-deploymnt-syncs; did you mean "
            "--concurrent-deployment-syncs?");
}

TEST(ForeignFlags, APluginsOwnFlagIsNotRefused) {
  cli::FlagSet flags;
  int syncs = 1;
  flags.AddInt("concurrent-job-syncs", &syncs, "");
  IgnoredValues ignored;
  AddForeignFlags(flags, ignored);
  EXPECT_TRUE(flags.Parse({"--concurrent-job-syncs=5"}).ok());
  EXPECT_EQ(syncs, 5);
}

}  // namespace
}  // namespace capstan::manager
