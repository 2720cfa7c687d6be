#include "apiclient/service_account_transport.h"

#include <capstan/testing/fake_cluster.h>
#include <capstan/testing/simulated_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/runtime/format.h>

#include "support/scripted_transport.h"

namespace capstan::manager {
namespace {

using capstan::testing::HeaderOf;
using capstan::testing::JsonAnswer;
using capstan::testing::Refused;
using capstan::testing::ScriptedAnswer;
using capstan::testing::ScriptedTransport;
using capstan::testing::SimulatedRuntime;
using capstan::testing::StatusAnswer;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr const char* kAccountCollection = "/api/v1/namespaces/kube-system/serviceaccounts";
constexpr const char* kTokenSubresource =
    "/api/v1/namespaces/kube-system/serviceaccounts/web-controller/token";

ScriptedAnswer GrantAnswer(const std::string& token, int64_t seconds = 3600) {
  return JsonAnswer(201,
                    Format(R"({{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1",)"
                           R"("spec":{{"expirationSeconds":{}}},"status":{{"token":"{}",)"
                           R"("expirationTimestamp":"2020-01-01T00:00:00Z"}}}})",
                           seconds, token));
}

class ServiceAccountTransportTest : public ::testing::Test {
 protected:
  ServiceAccountTransportTest() {
    server_->OnEvery("GET", "/pods", [](const HttpRequest&) { return JsonAnswer(200, "{}"); });
  }

  Result<int> Get(const std::stop_token& stop = {}, std::optional<Duration> timeout = 30s) {
    HttpRequest request{.method = "GET", .target = "/pods", .headers = {}, .body = {}};
    request.timeout = timeout;
    auto response = transport_.RoundTrip(request, stop);
    if (!response) return response.status();
    return (*response)->status();
  }
  // The tokens that the server received.
  std::vector<std::string> Tokens() const {
    std::vector<std::string> tokens;
    for (const HttpRequest& request : server_->Requests()) {
      const std::string header = HeaderOf(request, "Authorization");
      tokens.push_back(header.substr(header.find(' ') + 1));
    }
    return tokens;
  }
  size_t Renewals() const { return issuer_->Count("POST", kTokenSubresource); }

  SimulatedRuntime runtime_;
  std::shared_ptr<ScriptedTransport> server_ = std::make_shared<ScriptedTransport>(runtime_);
  std::shared_ptr<ScriptedTransport> issuer_ = std::make_shared<ScriptedTransport>(runtime_);
  ServiceAccountTransport transport_{
      server_, Client(issuer_, runtime_, {.qps = 0}), {"kube-system", "web-controller"}, runtime_};
};

TEST_F(ServiceAccountTransportTest, SendsTheTokenOfTheAccount) {
  issuer_->On("POST", kTokenSubresource, GrantAnswer("one"));
  EXPECT_EQ(Get().value(), 200);
  EXPECT_EQ(Get().value(), 200);
  EXPECT_THAT(Tokens(), ElementsAre("one", "one"));
  EXPECT_EQ(HeaderOf(server_->Requests().at(0), "Authorization"), "Bearer one");
  EXPECT_THAT(issuer_->Requests().at(0).body, AllOf(HasSubstr(R"("kind":"TokenRequest")"),
                                                    HasSubstr(R"("expirationSeconds":3600)")));
  EXPECT_EQ(Renewals(), 1U);
}

TEST_F(ServiceAccountTransportTest, CreatesAnAccountThatIsMissing) {
  issuer_->On("POST", kTokenSubresource, StatusAnswer(404, "NotFound"));
  issuer_->On("POST", kAccountCollection, JsonAnswer(201, R"({"kind":"ServiceAccount",
      "metadata":{"name":"web-controller"}})"));
  issuer_->On("POST", kTokenSubresource, GrantAnswer("one"));
  EXPECT_EQ(Get().value(), 200);
  EXPECT_THAT(issuer_->Requests().at(1).body, AllOf(HasSubstr(R"("name":"web-controller")"),
                                                    HasSubstr(R"("kind":"ServiceAccount")")));
}

TEST_F(ServiceAccountTransportTest, UsesAnAccountThatWasCreatedConcurrently) {
  issuer_->On("POST", kTokenSubresource, StatusAnswer(404, "NotFound"));
  issuer_->On("POST", kAccountCollection, StatusAnswer(409, "AlreadyExists"));
  issuer_->On("POST", kTokenSubresource, GrantAnswer("one"));
  EXPECT_EQ(Get().value(), 200);
}

TEST_F(ServiceAccountTransportTest, RenewsATokenAfter80PercentOfItsLifetime) {
  issuer_->On("POST", kTokenSubresource, GrantAnswer("one"));
  issuer_->On("POST", kTokenSubresource, GrantAnswer("two"));
  ASSERT_EQ(Get().value(), 200);
  runtime_.AdvanceBy(2879s);
  ASSERT_EQ(Get().value(), 200);
  runtime_.AdvanceBy(145s);  // the jitter is 5 % of 2880 s
  ASSERT_EQ(Get().value(), 200);
  EXPECT_THAT(Tokens(), ElementsAre("one", "one", "two"));
}

TEST_F(ServiceAccountTransportTest, ConcurrentRequestsShareOneTokenRequest) {
  ScriptedAnswer slow = GrantAnswer("one");
  slow.delay = 2s;
  issuer_->On("POST", kTokenSubresource, slow);
  std::vector<std::unique_ptr<Thread>> callers;
  for (int i = 0; i < 5; ++i) {
    const std::optional<Duration> timeout =
        i % 2 == 0 ? std::optional<Duration>(30s) : std::nullopt;  // the timeout of a watch
    callers.push_back(
        runtime_.Start("caller", [=, this] { EXPECT_EQ(Get({}, timeout).value(), 200); }));
  }
  callers.clear();
  EXPECT_EQ(Tokens().size(), 5U);
  EXPECT_THAT(Tokens(), Each(std::string("one")));
  EXPECT_EQ(Renewals(), 1U);
}

TEST_F(ServiceAccountTransportTest, UsesTheFormerTokenDuringARenewal) {
  issuer_->On("POST", kTokenSubresource, GrantAnswer("one"));
  ScriptedAnswer slow = GrantAnswer("two");
  slow.delay = 20s;
  issuer_->On("POST", kTokenSubresource, slow);
  ASSERT_EQ(Get().value(), 200);
  runtime_.AdvanceBy(3100s);
  auto renewing = runtime_.Start("renewing", [this] { EXPECT_EQ(Get().value(), 200); });
  runtime_.AdvanceBy(1s);
  const MonotonicTime before = runtime_.Now();
  EXPECT_EQ(Get().value(), 200);
  EXPECT_EQ(runtime_.Now(), before);
  renewing->Join();
  EXPECT_THAT(Tokens(), ElementsAre("one", "one", "two"));
}

TEST_F(ServiceAccountTransportTest, UsesTheFormerTokenUntilItExpiresWhenRenewalsFail) {
  issuer_->On("POST", kTokenSubresource, GrantAnswer("one"));
  issuer_->OnEvery("POST", kTokenSubresource,
                   [](const HttpRequest&) { return StatusAnswer(403, "Forbidden", "not you"); });
  ASSERT_EQ(Get().value(), 200);
  runtime_.AdvanceBy(3100s);
  for (int i = 0; i < 45; ++i) {
    EXPECT_EQ(Get().value(), 200);
    runtime_.AdvanceBy(10s);
  }
  EXPECT_THAT(Tokens(), Each(std::string("one")));
  runtime_.AdvanceBy(50s);
  const Status status = Get().status();
  EXPECT_TRUE(status.IsUnauthorized());
  EXPECT_FALSE(status.IsAmbiguous()) << "nothing was sent";
  EXPECT_THAT(
      status.message(),
      HasSubstr("service account kube-system/web-controller: no token: Forbidden: not you"));
  EXPECT_EQ(server_->Requests().size(), 46U);
}

TEST_F(ServiceAccountTransportTest, RetriesAFailingIssuerOncePerSecond) {
  issuer_->OnEvery("POST", kTokenSubresource,
                   [](const HttpRequest&) { return StatusAnswer(403, "Forbidden"); });
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Get().status().IsUnauthorized());
  EXPECT_EQ(Renewals(), 1U);
  runtime_.AdvanceBy(1s);
  EXPECT_TRUE(Get().status().IsUnauthorized());
  EXPECT_EQ(Renewals(), 2U);

  issuer_->On("POST", kTokenSubresource, GrantAnswer("one"));
  runtime_.AdvanceBy(1s);
  ASSERT_EQ(Get().value(), 200);
  issuer_->OnEvery("POST", kTokenSubresource, [](const HttpRequest&) { return Refused(); });
  runtime_.AdvanceBy(3100s);
  const size_t before = Renewals();
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(Get().value(), 200);
    runtime_.AdvanceBy(100ms);
  }
  EXPECT_EQ(Renewals(), before + 1);
}

TEST_F(ServiceAccountTransportTest, RenewsARefusedTokenAndRepeatsTheRequest) {
  issuer_->On("POST", kTokenSubresource, GrantAnswer("one"));
  issuer_->On("POST", kTokenSubresource, GrantAnswer("two"));
  ASSERT_EQ(Get().value(), 200);
  runtime_.AdvanceBy(60s);
  server_->On("GET", "/pods", StatusAnswer(401, "Unauthorized"));
  EXPECT_EQ(Get().value(), 200);
  EXPECT_EQ(Get().value(), 200);
  EXPECT_THAT(Tokens(), ElementsAre("one", "one", "two", "two"));
}

TEST_F(ServiceAccountTransportTest, RenewsARefusedTokenOnceForConcurrentRequests) {
  issuer_->On("POST", kTokenSubresource, GrantAnswer("one"));
  ScriptedAnswer slow = GrantAnswer("two");
  slow.delay = 1s;
  issuer_->On("POST", kTokenSubresource, slow);
  ASSERT_EQ(Get().value(), 200);
  runtime_.AdvanceBy(60s);
  for (int i = 0; i < 3; ++i) server_->On("GET", "/pods", StatusAnswer(401, "Unauthorized"));
  std::vector<std::unique_ptr<Thread>> callers;
  callers.reserve(3);
  for (int i = 0; i < 3; ++i) {
    callers.push_back(runtime_.Start("caller", [this] { EXPECT_EQ(Get().value(), 200); }));
  }
  callers.clear();
  EXPECT_EQ(Renewals(), 2U);
}

TEST_F(ServiceAccountTransportTest, ReturnsTheRefusalWhenANewTokenIsRefusedToo) {
  issuer_->OnEvery("POST", kTokenSubresource, [n = 0](const HttpRequest&) mutable {
    return GrantAnswer("token-" + std::to_string(++n));
  });
  ASSERT_EQ(Get().value(), 200);
  runtime_.AdvanceBy(60s);
  server_->OnEvery("GET", "/secrets",
                   [](const HttpRequest&) { return StatusAnswer(401, "Unauthorized"); });
  const auto get_secrets = [&] {
    const HttpRequest request{.method = "GET", .target = "/secrets", .headers = {}, .body = {}};
    return (*transport_.RoundTrip(request, {}).value()).status();
  };
  EXPECT_EQ(get_secrets(), 401);
  EXPECT_EQ(Renewals(), 2U);
  EXPECT_EQ(get_secrets(), 401);
  EXPECT_EQ(Renewals(), 2U) << "it is seconds old";
  runtime_.AdvanceBy(10s);
  EXPECT_EQ(get_secrets(), 401);
  EXPECT_EQ(Renewals(), 3U);
}

TEST_F(ServiceAccountTransportTest, ReturnsTheRefusalWhenTheRenewalFails) {
  issuer_->On("POST", kTokenSubresource, GrantAnswer("one"));
  issuer_->On("POST", kTokenSubresource, StatusAnswer(403, "Forbidden"));
  ASSERT_EQ(Get().value(), 200);
  runtime_.AdvanceBy(60s);
  server_->On("GET", "/pods", StatusAnswer(401, "Unauthorized"));
  EXPECT_EQ(Get().value(), 401);
  EXPECT_EQ(Get().value(), 200) << "with the token that there is";
}

TEST_F(ServiceAccountTransportTest, AnotherCallerRenewsWhenTheFirstGivesUp) {
  ScriptedAnswer slow = GrantAnswer("never");
  slow.delay = 1h;
  issuer_->On("POST", kTokenSubresource, slow);
  issuer_->On("POST", kTokenSubresource, GrantAnswer("one"));
  std::stop_source stop;
  auto first =
      runtime_.Start("first", [&] { EXPECT_TRUE(Get(stop.get_token()).status().IsCanceled()); });
  runtime_.AdvanceBy(1s);
  auto second = runtime_.Start("second", [&] { EXPECT_EQ(Get().value(), 200); });
  runtime_.AdvanceBy(1s);
  stop.request_stop();
  first->Join();
  second->Join();
  EXPECT_THAT(Tokens(), ElementsAre("one"));
}

TEST_F(ServiceAccountTransportTest, WaitsForATokenNoLongerThanTheRequestTimeout) {
  ScriptedAnswer slow = GrantAnswer("one");
  slow.delay = 20s;
  issuer_->On("POST", kTokenSubresource, slow);
  auto first = runtime_.Start("first", [&] { EXPECT_EQ(Get({}, 30s).value(), 200); });
  runtime_.AdvanceBy(1s);
  const MonotonicTime start = runtime_.Now();
  EXPECT_TRUE(Get({}, 5s).status().IsUnauthorized());
  EXPECT_EQ(runtime_.Now() - start, 5s);
  first->Join();
  EXPECT_EQ(server_->Requests().at(0).timeout, Duration(10s)) << "what is left of 30 s";
}

TEST_F(ServiceAccountTransportTest, RefusesAnAnswerWithoutAValidToken) {
  issuer_->On("POST", kTokenSubresource, GrantAnswer(""));
  EXPECT_THAT(Get().status().message(), HasSubstr("the response has no token, or an expired one"));
  runtime_.AdvanceBy(2s);
  issuer_->On("POST", kTokenSubresource, GrantAnswer("one", 0));  // expired long ago
  EXPECT_THAT(Get().status().message(), HasSubstr("the response has no token, or an expired one"));
}

TEST(ServiceAccountTransport, GetsATokenAndAnAccountFromAServer) {
  capstan::testing::FakeCluster cluster;
  auto base = std::make_shared<ScriptedTransport>(cluster.runtime());
  base->OnEvery("GET", "/pods", [](const HttpRequest&) { return JsonAnswer(200, "{}"); });
  ServiceAccountTransport transport(base, cluster.client(), {"kube-system", "web-controller"},
                                    cluster.runtime());
  const HttpRequest request{.method = "GET", .target = "/pods", .headers = {}, .body = {}};
  ASSERT_TRUE(transport.RoundTrip(request, {}));
  // A JSON web token (JWT).
  EXPECT_THAT(HeaderOf(base->Requests().at(0), "Authorization"),
              ::testing::MatchesRegex("Bearer [^ .]+\\.[^ .]+\\.[^ .]+"));
  EXPECT_THAT(cluster.client().GetPath(std::string(kAccountCollection) + "/web-controller").value(),
              HasSubstr("web-controller"));
}

TEST(WithoutCredentials, KeepsServerProxyAndCertificateAuthorityOnly) {
  RestConfig config;
  config.server = "https://api:6443";
  config.proxy_url = "http://proxy";
  config.user_agent = "agent";
  config.tls = {.ca_pem = "ca",
                .client_cert_pem = "cert",
                .client_key_pem = "key",
                .ca_file = "/ca",
                .client_cert_file = "/cert",
                .client_key_file = "/key",
                .server_name = "name",
                .insecure_skip_verify = true};
  config.bearer_token = "token";
  config.bearer_token_file = "/token";
  config.username = "user";
  config.password = "password";
  config.exec = ExecConfig{};
  config.impersonate_user = "other";
  config.impersonate_uid = "uid";
  config.impersonate_groups = {"group"};
  config.impersonate_extra = {{"scope", {"all"}}};
  const RestConfig bare = WithoutCredentials(config);
  EXPECT_EQ(bare.server, "https://api:6443");
  EXPECT_EQ(bare.proxy_url, "http://proxy");
  EXPECT_EQ(bare.user_agent, "agent");
  EXPECT_EQ(bare.tls.ca_pem, "ca");
  EXPECT_EQ(bare.tls.ca_file, "/ca");
  EXPECT_EQ(bare.tls.server_name, "name");
  EXPECT_TRUE(bare.tls.insecure_skip_verify);
  for (const std::string& credential :
       {bare.tls.client_cert_pem, bare.tls.client_key_pem, bare.tls.client_cert_file,
        bare.tls.client_key_file, bare.bearer_token, bare.bearer_token_file, bare.username,
        bare.password, bare.impersonate_user, bare.impersonate_uid}) {
    EXPECT_EQ(credential, "");
  }
  EXPECT_FALSE(bare.exec);
  EXPECT_TRUE(bare.impersonate_groups.empty());
  EXPECT_TRUE(bare.impersonate_extra.empty());
}

}  // namespace
}  // namespace capstan::manager
