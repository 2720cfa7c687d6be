#include "config/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manager/plugins/plugin_directory.h"

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

TEST_F(CommandLineTest, DefaultsEqualThoseOfKubeControllerManager) {
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
  EXPECT_TRUE(options.serving.profiling);
  EXPECT_EQ(options.authentication.token_cache_ttl, 10s);
  EXPECT_THAT(options.authorization.always_allow_paths,
              ElementsAre("/healthz", "/readyz", "/livez"));
}

TEST_F(CommandLineTest, ReferenceFlagsSetTheOptions) {
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

TEST_F(CommandLineTest, ServingFlagsSetTheOptions) {
  const auto line =
      Parse({"--metrics-port=81", "--healthz-port=82", "--cert-dir=/c", "--tls-cert-file=/crt",
             "--tls-private-key-file=/key", "--tls-sni-cert-key=a,b:x,y", "--tls-sni-cert-key=c,d",
             "--tls-min-version=VersionTLS13", "--tls-cipher-suites=TLS_AES_128_GCM_SHA256",
             "--profiling=false", "--contention-profiling"});
  ASSERT_TRUE(line.ok()) << line.status().message();
  const ServingOptions& options = line->options.serving;
  EXPECT_EQ(options.metrics_port, 81);
  EXPECT_EQ(options.healthz_port, 82);
  EXPECT_EQ(options.cert_dir, "/c");
  EXPECT_THAT(options.tls_sni_cert_keys, ElementsAre("a,b:x,y", "c,d"));
  EXPECT_EQ(options.tls_min_version, "VersionTLS13");
  EXPECT_THAT(options.tls_cipher_suites, ElementsAre("TLS_AES_128_GCM_SHA256"));
  EXPECT_FALSE(options.profiling);
  EXPECT_TRUE(options.contention_profiling);
}

TEST_F(CommandLineTest, AuthenticationAndAuthorizationFlagsSetTheOptions) {
  const auto line = Parse(
      {"--authentication-kubeconfig=/k1", "--authentication-skip-lookup",
       "--authentication-tolerate-lookup-failure=false",
       "--authentication-token-webhook-cache-ttl=1s", "--client-ca-file=/ca",
       "--requestheader-client-ca-file=/rca", "--requestheader-allowed-names=p,q",
       "--requestheader-username-headers=u", "--requestheader-uid-headers=i",
       "--requestheader-group-headers=g", "--requestheader-extra-headers-prefix=e-",
       "--authorization-kubeconfig=/k2", "--authorization-always-allow-paths=/healthz,/metrics",
       "--authorization-webhook-cache-authorized-ttl=2s",
       "--authorization-webhook-cache-unauthorized-ttl=3s"});
  ASSERT_TRUE(line.ok()) << line.status().message();
  const AuthenticationOptions& who = line->options.authentication;
  EXPECT_EQ(who.kubeconfig, "/k1");
  EXPECT_TRUE(who.skip_lookup);
  EXPECT_FALSE(who.tolerate_lookup_failure);
  EXPECT_EQ(who.token_cache_ttl, 1s);
  EXPECT_EQ(who.client_ca_file, "/ca");
  EXPECT_EQ(who.requestheader_client_ca_file, "/rca");
  EXPECT_THAT(who.requestheader_allowed_names, ElementsAre("p", "q"));
  EXPECT_THAT(who.requestheader_username_headers, ElementsAre("u"));
  EXPECT_THAT(who.requestheader_uid_headers, ElementsAre("i"));
  EXPECT_THAT(who.requestheader_group_headers, ElementsAre("g"));
  EXPECT_THAT(who.requestheader_extra_headers_prefix, ElementsAre("e-"));
  const AuthorizationOptions& what = line->options.authorization;
  EXPECT_EQ(what.kubeconfig, "/k2");
  EXPECT_THAT(what.always_allow_paths, ElementsAre("/healthz", "/metrics"));
  EXPECT_EQ(what.authorized_ttl, 2s);
  EXPECT_EQ(what.unauthorized_ttl, 3s);
}

TEST_F(CommandLineTest, CapstanFlagsSetTheOptions) {
  const auto line = Parse(
      {"--standby-cache=cold", "--use-service-account-credentials", "--controller-stuck-timeout=1m",
       "--controller-start-interval=2s", "--feature-gates=CoordinatedLeaderElection=true",
       "--vmodule=client=4", "--disabled-metrics=a,b", "--show-hidden-metrics-for-version=0.1",
       "--allow-metric-labels=m,l=1,2", R"(--allow-metric-labels="n,l=1","o,l=2,3")"});
  ASSERT_TRUE(line.ok()) << line.status().message();
  const Options& options = line->options;
  EXPECT_EQ(options.standby_cache, StandbyCache::kCold);
  EXPECT_TRUE(options.use_service_account_credentials);
  EXPECT_EQ(options.controller_stuck_timeout, 1min);
  EXPECT_EQ(options.controller_start_interval, 2s);
  EXPECT_TRUE(options.feature_gates.at("CoordinatedLeaderElection"));
  EXPECT_EQ(options.logging.vmodule, "client=4");
  EXPECT_THAT(options.metrics.disabled_metrics, ElementsAre("a", "b"));
  EXPECT_EQ(options.metrics.show_hidden_metrics_for_version, "0.1");
  EXPECT_THAT(options.metrics.allow_metric_labels, ElementsAre("m,l=1,2", "n,l=1", "o,l=2,3"));
}

TEST(Options, TheScopeIsTheGivenNamespaceOrTheOneOfTheKubeconfig) {
  Options options;
  EXPECT_EQ(*NamespaceInScope(options, "own"), "");
  options.namespaced = true;
  EXPECT_EQ(*NamespaceInScope(options, "own"), "own");
  EXPECT_EQ(NamespaceInScope(options, "").status().message(),
            "flag --namespaced: the kubeconfig names no namespace; set it with --namespace");
  options.namespace_ = "shop";
  EXPECT_EQ(*NamespaceInScope(options, "own"), "shop");
  options.namespaced = false;
  EXPECT_EQ(*NamespaceInScope(options, ""), "shop");
}

TEST_F(CommandLineTest, ADryRunDisablesLeaderElection) {
  const auto line = Parse({"--dry-run", "--leader-elect=true"});
  ASSERT_TRUE(line.ok()) << line.status().message();
  EXPECT_TRUE(line->options.dry_run);
  EXPECT_FALSE(line->options.leader_election.enabled);
}

TEST_F(CommandLineTest, AnEmptyBindAddressMeansAllAddresses) {
  EXPECT_EQ(Parse({"--bind-address="})->options.serving.bind_address, "0.0.0.0");
}

TEST_F(CommandLineTest, AnUnknownFeatureGateIsAnErrorThatListsTheKnownOnes) {
  EXPECT_EQ(ErrorOf({"--feature-gates=AllAlpha=true"}),
            "flag --feature-gates: unknown feature gate \"AllAlpha\"; known gates: "
            "CoordinatedLeaderElection");
  EXPECT_EQ(ErrorOf({"--feature-gates=kube:CoordinatedLeaderElction=true"}),
            "flag --feature-gates: unknown feature gate \"CoordinatedLeaderElction\", did you "
            "mean CoordinatedLeaderElection?; known gates: CoordinatedLeaderElection");
  EXPECT_EQ(ErrorOf({"--feature-gates=CoordinatedLeaderElection"}),
            "flag --feature-gates: \"CoordinatedLeaderElection\" is not gate=true or gate=false");
  EXPECT_TRUE(Parse({"--feature-gates="}).ok());
}

TEST_F(CommandLineTest, APluginAddsItsConcurrencyFlag) {
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

TEST_F(CommandLineTest, HelpAndVersionWorkWithoutPlugins) {
  directory_.Write("garbage", "garbage");
  for (const char* flag : {"--help", "-h", "--version"}) {
    auto line = Parse({flag});
    ASSERT_TRUE(line.ok()) << flag;
    EXPECT_EQ(line->action, CommandLine::Action::kPrint);
  }
  EXPECT_THAT(Parse({"--version"})->text, HasSubstr("Capstan v"));
  EXPECT_THAT(Parse({"--version"})->text, Not(HasSubstr("toolchain")));
  EXPECT_THAT(Parse({"--version=raw"})->text,
              AllOf(HasSubstr("plugin contract: 2"), HasSubstr("toolchain: g++ ABI")));
  EXPECT_EQ(ErrorOf({"--version=7"}), "flag --version: \"7\" is not true, false or raw");
  EXPECT_THAT(ErrorOf({"--version=false"}), HasSubstr("garbage.so"));
}

TEST_F(CommandLineTest, ADefectivePluginIsReportedBeforeAnUnknownFlag) {
  const auto file = directory_.Write("garbage", "garbage");
  EXPECT_EQ(ErrorOf({}), "plugin " + file.string() + ": is not an ELF file");
}

TEST_F(CommandLineTest, AMissingPluginDirectoryIsAnErrorThatNamesIt) {
  EXPECT_EQ(ParseCommandLine({"--plugin-dir=/does/not/exist"}, 80).status().message(),
            "plugin directory /does/not/exist: No such file or directory");
}

TEST_F(CommandLineTest, AnUnknownControllerIsAnErrorThatListsTheKnownOnes) {
  directory_.Add("throwing_setup");
  EXPECT_EQ(ErrorOf({"--controllers=*,-nothing"}),
            "flag --controllers: unknown controller \"nothing\"; known controllers: throwing-setup "
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
  EXPECT_EQ(ErrorOf({"--secure-port=65536"}),
            "flag --secure-port: 65536 is not a port, 0 to 65535");
  EXPECT_EQ(ErrorOf({"--bind-address=here"}), "flag --bind-address: \"here\" is not an IP address");
  EXPECT_EQ(ErrorOf({"--tls-cert-file=/c"}),
            "flag --tls-private-key-file: is missing, it is required with --tls-cert-file");
  EXPECT_EQ(ErrorOf({"--logging-format=xml"}),
            "flag --logging-format: \"xml\" is not text or json");
  EXPECT_EQ(ErrorOf({"--kube-api-burst=0"}), "flag --kube-api-burst: 0 must be at least 1");
}

TEST_F(CommandLineTest, AllErrorsAreReportedTogether) {
  EXPECT_THAT(ErrorOf({"--secure-port=-1", "--bind-address=x", "--min-resync-period=-1s"}),
              AllOf(HasSubstr("--secure-port"), HasSubstr("--bind-address"),
                    HasSubstr("--min-resync-period")));
}

TEST_F(CommandLineTest, WithoutElectionItsDurationsAreNotValidated) {
  EXPECT_TRUE(Parse({"--leader-elect=false", "--leader-elect-renew-deadline=1h"}).ok());
}

}  // namespace
}  // namespace capstan::manager
