#include "config/options_validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "config/settings.h"

namespace capstan::manager {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

std::vector<std::string> BrokenRules(const std::function<void(Options&)>& change) {
  Options options;
  change(options);
  std::vector<std::string> rules;
  for (const OptionError& error : CheckOptions(options)) {
    rules.push_back(error.flag + ": " + error.reason);
  }
  return rules;
}

TEST(OptionsValidation, DefaultsAreValid) {
  EXPECT_THAT(BrokenRules([](Options&) {}), IsEmpty());
}

TEST(OptionsValidation, ScopesMustBeValidNames) {
  const auto of_namespace = [](std::string name) {
    return BrokenRules([&](Options& o) { o.namespace_ = name; });
  };
  EXPECT_THAT(of_namespace("a-1"), IsEmpty());
  for (const char* bad : {"A", "a.b", "-a", "a-", "a/b", "a,b"}) {
    EXPECT_THAT(of_namespace(bad),
                ElementsAre("namespace: \"" + std::string(bad) + "\" is not a namespace name"));
  }
  EXPECT_EQ(of_namespace(std::string(64, 'a')).size(), 1U);
  EXPECT_THAT(BrokenRules([](Options& o) { o.instance_id = "Blue_1.x"; }), IsEmpty());
  EXPECT_THAT(BrokenRules([](Options& o) { o.instance_id = "a=b"; }),
              ElementsAre("instance-id: \"a=b\" is not a label value"));
}

TEST(OptionsValidation, QpsAndBurstMustBeConsistent) {
  EXPECT_THAT(BrokenRules([](Options& o) { o.kube_api_burst = 0; }),
              ElementsAre("kube-api-burst: 0 must be at least 1"));
  EXPECT_THAT(BrokenRules([](Options& o) {
                o.kube_api_qps = 0;
                o.kube_api_burst = 0;
              }),
              IsEmpty());
  EXPECT_THAT(
      BrokenRules([](Options& o) { o.kube_api_qps_max = 10; }),
      ElementsAre("kube-api-qps-max: 10 must be 0, or at least --kube-api-qps, which is 20"));
  EXPECT_THAT(
      BrokenRules([](Options& o) { o.kube_api_qps = std::numeric_limits<double>::infinity(); }),
      ElementsAre("kube-api-qps: is not a number"));
}

TEST(OptionsValidation, DurationsMustNotBeNegative) {
  EXPECT_THAT(BrokenRules([](Options& o) {
                o.min_resync_period = o.controller_start_interval = o.controller_shutdown_timeout =
                    o.controller_stuck_timeout = o.authentication.token_cache_ttl =
                        o.authorization.authorized_ttl = o.authorization.unauthorized_ttl = -1s;
              }),
              ElementsAre("min-resync-period: must not be negative",
                          "controller-start-interval: must not be negative",
                          "controller-shutdown-timeout: must not be negative",
                          "controller-stuck-timeout: must not be negative",
                          "authentication-token-webhook-cache-ttl: must not be negative",
                          "authorization-webhook-cache-authorized-ttl: must not be negative",
                          "authorization-webhook-cache-unauthorized-ttl: must not be negative"));
}

TEST(OptionsValidation, TheElectionResourceMustBeALease) {
  const auto with_lock = [](Options& o) { o.leader_election.resource_lock = "endpoints"; };
  EXPECT_THAT(
      BrokenRules(with_lock),
      ElementsAre(
          "leader-elect-resource-lock: \"endpoints\" is not supported; the only lock is leases"));
  EXPECT_THAT(BrokenRules([&](Options& o) {
                with_lock(o);
                o.leader_election.enabled = false;
              }),
              IsEmpty());
}

TEST(OptionsValidation, VeryLongDeadlinesDoNotOverflow) {
  EXPECT_THAT(BrokenRules([](Options& o) {
                o.leader_election.lease_duration = Duration::max();
                o.leader_election.renew_deadline = Duration::max() - 1ns;
              }),
              IsEmpty());
}

TEST(OptionsValidation, InsecureTlsSettingsAreRefused) {
  const auto of_version = [](std::string version) {
    return BrokenRules([&](Options& o) { o.serving.tls_min_version = version; });
  };
  EXPECT_THAT(of_version("VersionTLS13"), IsEmpty());
  EXPECT_THAT(of_version("VersionTLS11"),
              ElementsAre("tls-min-version: VersionTLS11 is not safe; it must be VersionTLS12 or "
                          "VersionTLS13"));
  EXPECT_THAT(of_version("1.2"),
              ElementsAre("tls-min-version: \"1.2\" is not VersionTLS12 or VersionTLS13"));
  EXPECT_THAT(
      BrokenRules([](Options& o) {
        o.serving.tls_cipher_suites = {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
                                       "TLS_AES_128_GCM_SHA256", "TLS_NOTHING"};
      }),
      ElementsAre("tls-cipher-suites: \"TLS_NOTHING\" is not a cipher suite of the TLS library"));
}

TEST(OptionsValidation, CertificatesAndKeysMustBeGivenTogether) {
  EXPECT_THAT(BrokenRules([](Options& o) { o.serving.tls_private_key_file = "/k"; }),
              ElementsAre("tls-cert-file: is missing, it is required with --tls-private-key-file"));
  EXPECT_THAT(BrokenRules([](Options& o) {
                o.serving.tls_sni_cert_keys = {"a.crt,a.key", "a.crt,a.key:x,*.y"};
              }),
              IsEmpty());
  for (const char* bad : {"a.crt", "a.crt,", ",a.key", "a,b,c", ":x"}) {
    EXPECT_EQ(BrokenRules([&](Options& o) { o.serving.tls_sni_cert_keys = {bad}; }).size(), 1U)
        << bad;
  }
}

TEST(OptionsValidation, PortsMustBeValidAndDifferent) {
  EXPECT_THAT(BrokenRules([](Options& o) {
                o.serving.metrics_port = -1;
                o.serving.healthz_port = 65536;
              }),
              ElementsAre("metrics-port: -1 is not a port, 0 to 65535",
                          "healthz-port: 65536 is not a port, 0 to 65535"));
  EXPECT_THAT(BrokenRules([](Options& o) {
                o.serving.secure_port = o.serving.metrics_port = o.serving.healthz_port = 0;
              }),
              IsEmpty());
  EXPECT_THAT(BrokenRules([](Options& o) { o.serving.metrics_port = o.serving.secure_port; }),
              ElementsAre("metrics-port: 10257 is already the port of --secure-port"));
}

TEST(OptionsValidation, AlwaysAllowedPathsMustBePaths) {
  const auto of_path = [](std::string path) {
    return BrokenRules([&](Options& o) { o.authorization.always_allow_paths = {path}; });
  };
  for (const char* good : {"/", "/*", "/healthz", "/a/*"}) EXPECT_THAT(of_path(good), IsEmpty());
  for (const char* bad : {"", "healthz", "*", "/a*", "/a/*/b"}) {
    EXPECT_EQ(of_path(bad).size(), 1U) << bad;
  }
}

TEST(OptionsValidation, RequestHeadersMustNotBeBlankOrMissing) {
  EXPECT_THAT(BrokenRules([](Options& o) {
                o.authentication.requestheader_client_ca_file = "/ca";
                o.authentication.requestheader_username_headers = {};
                o.authentication.requestheader_group_headers = {"x", " "};
              }),
              ElementsAre("requestheader-group-headers: an entry is blank",
                          "requestheader-username-headers: must not be empty with "
                          "--requestheader-client-ca-file"));
}

TEST(OptionsValidation, AllowedMetricLabelsMustBeWellFormed) {
  const auto of_label = [](std::string text) {
    return BrokenRules([&](Options& o) { o.metrics.allow_metric_labels = {text}; });
  };
  for (const char* good : {"m,l=", "m,l=a,b"}) EXPECT_THAT(of_label(good), IsEmpty());
  for (const char* bad : {"m=a,b", ",l=a", "m,=a", "m,l"}) EXPECT_EQ(of_label(bad).size(), 1U);
  for (const char* bad : {"1", "a.b", "1.2.3", "."}) {
    EXPECT_EQ(
        BrokenRules([&](Options& o) { o.metrics.show_hidden_metrics_for_version = bad; }).size(),
        1U)
        << bad;
  }
}

TEST(OptionsValidation, VmoduleMustBePatternsAndNumbers) {
  const auto of_vmodule = [](std::string text) {
    return BrokenRules([&](Options& o) { o.logging.vmodule = text; });
  };
  EXPECT_THAT(of_vmodule("client=4,leader*=9"), IsEmpty());
  for (const char* bad : {"client", "=4", "a=b"}) {
    EXPECT_THAT(of_vmodule(bad), ElementsAre(HasSubstr(bad)));
  }
  EXPECT_THAT(BrokenRules([](Options& o) { o.logging.verbosity = -1; }),
              ElementsAre("v: must not be negative"));
}

TEST(OptionsValidation, EveryErrorNamesAnExistingFlag) {
  Options options;
  const auto settings = SettingsOf(options, {});
  Options bad;
  bad.namespace_ = bad.instance_id = "/";
  bad.kube_api_burst = 0;
  bad.kube_api_qps_max = 1;
  bad.min_resync_period = bad.controller_start_interval = bad.controller_shutdown_timeout =
      bad.controller_stuck_timeout = -1s;
  bad.leader_election = {.enabled = true,
                         .lease_duration = 0s,
                         .renew_deadline = 0s,
                         .retry_period = 0s,
                         .resource_lock = "",
                         .resource_name = "",
                         .resource_namespace = ""};
  bad.serving.bind_address = "x";
  bad.serving.secure_port = bad.serving.metrics_port = bad.serving.healthz_port = -1;
  bad.serving.tls_cert_file = "x";
  bad.serving.tls_sni_cert_keys = bad.serving.tls_cipher_suites = {"x"};
  bad.serving.tls_min_version = "x";
  bad.authentication.token_cache_ttl = -1s;
  bad.authentication.requestheader_allowed_names = {""};
  bad.authorization.always_allow_paths = {"x"};
  bad.authorization.authorized_ttl = bad.authorization.unauthorized_ttl = -1s;
  bad.metrics = {.disabled_metrics = {""},
                 .allow_metric_labels = {"x"},
                 .allow_metric_labels_manifest = "",
                 .show_hidden_metrics_for_version = "x"};
  bad.logging.verbosity = -1;
  bad.logging.vmodule = "x";
  const auto errors = CheckOptions(bad);
  EXPECT_GT(errors.size(), 30U);
  for (const OptionError& error : errors) {
    EXPECT_NE(FindSetting(settings, error.flag), nullptr) << error.flag;
  }
}

}  // namespace
}  // namespace capstan::manager
