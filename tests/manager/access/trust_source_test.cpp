#include "access/trust_source.h"

#include <capstan/testing/simulated_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "review_server.h"
#include "support/client_authority.h"
#include "support/temp_folder.h"

namespace capstan::manager {
namespace {

using testing::ClientAuthority;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TrustSourceTest : public ::testing::Test {
 protected:
  TrustSourceTest() { options_.requestheader_uid_headers = {"x-remote-uid"}; }

  Status Start() {
    source_ = std::make_unique<TrustSource>(options_, &client_, runtime_);
    const Status status = source_->Start();
    runtime_.RunUntilIdle();
    return status;
  }
  std::string Write(const std::string& name, const std::string& text) {
    return folder_.Write(name, text);
  }
  void PublishAll() {
    server_.config_map = {{"client-ca-file", clients_.pem()},
                          {"requestheader-client-ca-file", proxies_.pem()},
                          {"requestheader-allowed-names", R"(["front-proxy","aggregator"])"},
                          {"requestheader-username-headers", R"(["X-Remote-User"])"},
                          {"requestheader-uid-headers", R"(["X-Remote-Uid"])"},
                          {"requestheader-group-headers", R"(["X-Remote-Group"])"},
                          {"requestheader-extra-headers-prefix", R"(["X-Remote-Extra-"])"}};
  }
  bool Accepts(const std::shared_ptr<const ClientCa>& ca, const ClientAuthority& authority) {
    return ca && ca->Verify({authority.IssueTo("jane")}, runtime_.clock().Now()).ok();
  }
  bool TrustsClientsOf(const ClientAuthority& authority) {
    return Accepts(source_->Current()->client_ca, authority);
  }
  bool TrustsProxiesOf(const ClientAuthority& authority) {
    return Accepts(source_->Current()->request_header.ca, authority);
  }

  const ClientAuthority clients_{"clients"};
  const ClientAuthority proxies_{"proxies"};
  const ClientAuthority others_{"others"};
  const TempFolder folder_;
  testing::SimulatedRuntime runtime_;
  ReviewServer server_{runtime_};
  MetricsRegistry metrics_;
  ReviewClient client_{server_.transport, "", "apiserver_delegated_authn", runtime_, metrics_};
  AuthenticationOptions options_;
  std::unique_ptr<TrustSource> source_;
};

TEST_F(TrustSourceTest, UsesTheAuthoritiesThatTheApiServerPublishes) {
  PublishAll();
  ASSERT_TRUE(Start().ok());
  EXPECT_TRUE(TrustsClientsOf(clients_));
  EXPECT_TRUE(TrustsProxiesOf(proxies_));
  EXPECT_FALSE(TrustsClientsOf(proxies_));
  const RequestHeaderConfig header = source_->Current()->request_header;
  EXPECT_THAT(header.allowed_names, ElementsAre("front-proxy", "aggregator"));
  EXPECT_THAT(header.username_headers, ElementsAre("X-Remote-User"));
  EXPECT_THAT(header.uid_headers, ElementsAre("X-Remote-Uid"));
  EXPECT_THAT(header.group_headers, ElementsAre("X-Remote-Group"));
  EXPECT_THAT(header.extra_headers_prefixes, ElementsAre("X-Remote-Extra-"));
}

TEST_F(TrustSourceTest, ReloadsThePublishedAuthoritiesEveryMinute) {
  PublishAll();
  ASSERT_TRUE(Start().ok());
  server_.config_map["client-ca-file"] = others_.pem();
  server_.config_map.erase("requestheader-client-ca-file");
  runtime_.AdvanceBy(std::chrono::seconds(59));
  EXPECT_TRUE(TrustsClientsOf(clients_));
  EXPECT_EQ(server_.CountLookups(), 1U);
  runtime_.AdvanceBy(std::chrono::seconds(1));
  EXPECT_TRUE(TrustsClientsOf(others_));
  EXPECT_FALSE(TrustsClientsOf(clients_));
  EXPECT_FALSE(TrustsProxiesOf(proxies_));
}

TEST_F(TrustSourceTest, AToleratedFailedLookupIsRetriedSoon) {
  server_.failure = testing::StatusAnswer(403, "Forbidden");
  ASSERT_TRUE(Start().ok());
  EXPECT_FALSE(TrustsClientsOf(clients_));
  server_.failure.reset();
  PublishAll();
  runtime_.AdvanceBy(TrustSource::kShortPeriod);
  EXPECT_TRUE(TrustsClientsOf(clients_));
}

TEST_F(TrustSourceTest, AFailedLookupIsAnErrorWhenItIsNotTolerated) {
  options_.tolerate_lookup_failure = false;
  const Status status = Start();
  EXPECT_TRUE(status.IsNotFound());
  EXPECT_THAT(status.message(),
              HasSubstr("ConfigMap kube-system/extension-apiserver-authentication"));
  server_.failure = testing::Refused();
  EXPECT_TRUE(Start().IsTransport());
  server_.failure.reset();
  PublishAll();
  source_ = std::make_unique<TrustSource>(options_, &client_, runtime_);
  EXPECT_TRUE(source_->Start().ok());
  EXPECT_TRUE(TrustsClientsOf(clients_));  // immediately
}

TEST_F(TrustSourceTest, AnOutageKeepsTheKnownAuthorities) {
  PublishAll();
  ASSERT_TRUE(Start().ok());
  server_.failure = testing::Refused();
  runtime_.AdvanceBy(std::chrono::minutes(10));
  EXPECT_TRUE(TrustsClientsOf(clients_));
  EXPECT_TRUE(TrustsProxiesOf(proxies_));
}

TEST_F(TrustSourceTest, ABundleThatDoesNotDecodeKeepsTheKnownAuthorities) {
  PublishAll();
  ASSERT_TRUE(Start().ok());
  const auto good = server_.config_map;
  for (const auto& [key, value] :
       {std::pair{"client-ca-file", "garbage"}, std::pair{"client-ca-file", ""},
        std::pair{"requestheader-client-ca-file", "garbage"},
        std::pair{"requestheader-allowed-names", "front-proxy"},
        std::pair{"requestheader-allowed-names", ""},
        std::pair{"requestheader-allowed-names", "null"},
        std::pair{"requestheader-allowed-names", R"({"0":"front-proxy"})"},
        std::pair{"requestheader-allowed-names", R"(["front-proxy",7])"},
        std::pair{"requestheader-username-headers", R"(["X-Remote-User")"}}) {
    server_.config_map = good;
    server_.config_map["requestheader-allowed-names"] = R"(["other"])";
    server_.config_map[key] = value;
    runtime_.AdvanceBy(TrustSource::kLookupPeriod);
    EXPECT_TRUE(TrustsClientsOf(clients_)) << key << value;
    EXPECT_TRUE(TrustsProxiesOf(proxies_)) << key << value;
    EXPECT_THAT(source_->Current()->request_header.allowed_names,
                ElementsAre("front-proxy", "aggregator"))
        << key << value;
  }
}

TEST_F(TrustSourceTest, WithoutLookupNoRequestIsSent) {
  PublishAll();
  options_.skip_lookup = true;
  ASSERT_TRUE(Start().ok());
  runtime_.AdvanceBy(std::chrono::minutes(5));
  EXPECT_EQ(server_.CountLookups(), 0U);
  EXPECT_FALSE(TrustsClientsOf(clients_));
  EXPECT_FALSE(TrustsProxiesOf(proxies_));
}

TEST_F(TrustSourceTest, FilesTakePrecedenceOverTheLookup) {
  PublishAll();
  options_.client_ca_file = Write("ca.crt", others_.pem());
  ASSERT_TRUE(Start().ok());
  EXPECT_TRUE(TrustsClientsOf(others_));
  EXPECT_FALSE(TrustsClientsOf(clients_));
  EXPECT_TRUE(TrustsProxiesOf(proxies_));
}

TEST_F(TrustSourceTest, WithBothFilesNoRequestIsSent) {
  PublishAll();
  options_.client_ca_file = Write("ca.crt", clients_.pem());
  options_.requestheader_client_ca_file = Write("proxy.crt", others_.pem());
  options_.requestheader_allowed_names = {"mine"};
  ASSERT_TRUE(Start().ok());
  runtime_.AdvanceBy(std::chrono::minutes(5));
  EXPECT_EQ(server_.CountLookups(), 0U);
  EXPECT_TRUE(TrustsProxiesOf(others_));
  EXPECT_THAT(source_->Current()->request_header.allowed_names, ElementsAre("mine"));
  EXPECT_THAT(source_->Current()->request_header.username_headers, ElementsAre("x-remote-user"));
}

TEST_F(TrustSourceTest, AFileIsReadAgainWhenItChanges) {
  options_.client_ca_file = Write("ca.crt", clients_.pem());
  ASSERT_TRUE(Start().ok());
  Write("ca.crt", others_.pem());
  runtime_.AdvanceBy(TrustSource::kShortPeriod);
  EXPECT_TRUE(TrustsClientsOf(others_));
  EXPECT_FALSE(TrustsClientsOf(clients_));
  Write("ca.crt", "garbage");
  runtime_.AdvanceBy(TrustSource::kShortPeriod);
  EXPECT_TRUE(TrustsClientsOf(others_));
  std::filesystem::remove(folder_.Path("ca.crt"));
  runtime_.AdvanceBy(TrustSource::kShortPeriod);
  EXPECT_TRUE(TrustsClientsOf(others_));
}

TEST_F(TrustSourceTest, AFileThatIsNotABundleIsAnErrorAtStart) {
  options_.client_ca_file = folder_.Path("missing.crt");
  EXPECT_EQ(Start().message(), "--client-ca-file " + options_.client_ca_file + ": cannot be read");
  options_.client_ca_file = Write("ca.crt", "garbage");
  EXPECT_EQ(Start().message(),
            "--client-ca-file " + options_.client_ca_file + ": contains no PEM certificate");
  options_.client_ca_file = folder_.path();
  EXPECT_EQ(Start().reason(), StatusReason::kInvalidArgument);
  options_.client_ca_file.clear();
  options_.requestheader_client_ca_file = Write("proxy.crt", "");
  EXPECT_THAT(Start().message(), HasSubstr("--requestheader-client-ca-file"));
}

TEST_F(TrustSourceTest, ProxiesThatShareTheClientAuthorityNeedAllowedNames) {
  PublishAll();
  server_.config_map["requestheader-client-ca-file"] = proxies_.pem() + clients_.pem();
  server_.config_map["requestheader-allowed-names"] = "[]";
  ASSERT_TRUE(Start().ok());
  EXPECT_EQ(source_->Current()->request_header.ca, nullptr);
  EXPECT_TRUE(TrustsClientsOf(clients_));
  server_.config_map["requestheader-allowed-names"] = R"(["front-proxy"])";
  runtime_.AdvanceBy(TrustSource::kLookupPeriod);
  EXPECT_TRUE(TrustsProxiesOf(proxies_));
}

TEST_F(TrustSourceTest, AnEmptyPrefixDisablesExtraHeaders) {
  PublishAll();
  server_.config_map["requestheader-extra-headers-prefix"] = R"([""])";
  ASSERT_TRUE(Start().ok());
  EXPECT_THAT(source_->Current()->request_header.extra_headers_prefixes, IsEmpty());
  options_.requestheader_extra_headers_prefix = {""};
  options_.skip_lookup = true;
  ASSERT_TRUE(Start().ok());
  EXPECT_THAT(source_->Current()->request_header.extra_headers_prefixes, IsEmpty());
}

TEST_F(TrustSourceTest, StopsWhileTheApiServerHangs) {
  server_.delay = std::chrono::hours(1);
  ASSERT_TRUE(Start().ok());
  const MonotonicTime begin = runtime_.Now();
  client_.Stop();
  source_->Stop();
  EXPECT_EQ(runtime_.Now(), begin);
}

}  // namespace
}  // namespace capstan::manager
