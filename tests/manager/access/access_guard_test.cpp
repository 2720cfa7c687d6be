#include "access/access_guard.h"

#include <capstan/testing/simulated_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "access/review_cache.h"
#include "review_server.h"
#include "support/client_authority.h"

namespace capstan::manager {
namespace {

using testing::ClientAuthority;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

using Headers = std::vector<std::pair<std::string, std::string>>;

class AccessGuardTest : public ::testing::Test {
 protected:
  AccessGuardTest() {
    server_.tokens = {{"jane", TokenOf("jane", R"(["system:serviceaccounts"])")},
                      {"root", TokenOf("root", R"(["system:masters"])")}};
    server_.rights = {"jane get /metrics"};
    server_.config_map = {{"client-ca-file", clients_.pem()},
                          {"requestheader-client-ca-file", proxies_.pem()},
                          {"requestheader-allowed-names", R"(["front-proxy"])"},
                          {"requestheader-username-headers", R"(["X-Remote-User"])"},
                          {"requestheader-group-headers", R"(["X-Remote-Group"])"},
                          {"requestheader-extra-headers-prefix", R"(["X-Remote-Extra-"])"}};
  }

  Status Start() {
    guard_ = std::make_unique<AccessGuard>(
        authentication_, authorization_,
        AccessGuard::Server{has_server_ ? server_.transport : nullptr, "10.0.0.1:6443"},
        AccessGuard::Server{has_server_ ? server_.transport : nullptr, "10.0.0.1:6443"}, runtime_,
        metrics_);
    const Status status = guard_->Start();
    runtime_.RunUntilIdle();
    return status;
  }
  http::ServerResponse Serve(const http::ServerRequest& request) {
    if (!guard_) {
      EXPECT_TRUE(Start().ok());
    }
    served_.reset();
    return guard_->Serve(request, [this](const http::ServerRequest& passed) {
      served_ = passed;
      return http::ServerResponse{.body = "page"};
    });
  }
  http::ServerResponse Get(const std::string& path, Headers headers = {},
                           std::vector<std::string> certificates = {}) {
    return Serve({.path = path,
                  .query = {},
                  .headers = std::move(headers),
                  .client_certificates = std::move(certificates)});
  }
  int CodeOf(const std::string& path, Headers headers = {},
             std::vector<std::string> certificates = {}) {
    const int code = Get(path, std::move(headers), std::move(certificates)).status;
    EXPECT_EQ(served_.has_value(), code == 200) << path;
    return code;
  }
  static Headers Bearer(const std::string& token) { return {{"Authorization", "Bearer " + token}}; }

  const ClientAuthority clients_{"clients"};
  const ClientAuthority proxies_{"proxies"};
  testing::SimulatedRuntime runtime_;
  ReviewServer server_{runtime_};
  bool has_server_ = true;
  MetricsRegistry metrics_;
  AuthenticationOptions authentication_;
  AuthorizationOptions authorization_;
  std::unique_ptr<AccessGuard> guard_;
  std::optional<http::ServerRequest> served_;
};

TEST_F(AccessGuardTest, AnAuthorizedTokenIsServed) {
  EXPECT_EQ(CodeOf("/metrics", Bearer("jane")), 200);
  EXPECT_EQ(server_.LastBody(),
            R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":)"
            R"({"nonResourceAttributes":{"path":"/metrics","verb":"get"},"user":"jane","groups":)"
            R"(["system:serviceaccounts","system:authenticated"],"uid":"uid-jane"}})");
}

TEST_F(AccessGuardTest, AnUnauthorizedUserGetsTheForbiddenAnswerOfKubeApiserver) {
  const http::ServerResponse response = Get("/configz", Bearer("jane"));
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(response.body, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                           R"("message":"forbidden: User \"jane\" cannot get path \"/configz\"",)"
                           R"("reason":"Forbidden","code":403})"
                           "\n");
}

TEST_F(AccessGuardTest, TheReviewedVerbIsTheHttpMethod) {
  EXPECT_EQ(
      Serve({.method = "PUT", .path = "/metrics", .query = {}, .headers = Bearer("jane")}).status,
      403);
  server_.rights.insert("jane put /debug/flags/v");
  EXPECT_EQ(
      Serve({.method = "PUT", .path = "/debug/flags/v", .query = {}, .headers = Bearer("jane")})
          .status,
      200);
  EXPECT_EQ(
      Serve({.method = "HEAD", .path = "/metrics", .query = {}, .headers = Bearer("jane")}).status,
      403);
}

TEST_F(AccessGuardTest, WithoutCredentialsTheAnswerIsUnauthorized) {
  const http::ServerResponse response = Get("/metrics");
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(response.body, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                           R"("message":"Unauthorized","reason":"Unauthorized","code":401})"
                           "\n");
  EXPECT_FALSE(served_);
  for (const char* path : {"/", "/nothing", "/debug/pprof/heap", "/healthz/", "/healthz/ping"}) {
    const http::ServerResponse other = Get(path);
    EXPECT_EQ(other.status, 401) << path;
    EXPECT_EQ(other.body, response.body) << path;
    EXPECT_EQ(other.headers, response.headers) << path;
  }
  EXPECT_EQ(Get("/metrics", Bearer("wrong")).body, response.body);
  EXPECT_EQ(Get("/metrics", {{"Authorization", "Basic cm9vdDo="}}).body, response.body);
  EXPECT_EQ(server_.CountAccessReviews(), 0U);
}

TEST_F(AccessGuardTest, HealthIsServedWithoutAuthorization) {
  for (const char* path : {"/healthz", "/readyz", "/livez"}) EXPECT_EQ(CodeOf(path), 200);
  EXPECT_EQ(CodeOf("/healthz", Bearer("wrong")), 200);
  EXPECT_EQ(CodeOf("/healthz", {}, {"garbage"}), 200);
  EXPECT_EQ(server_.CountTokenReviews(), 0U);
  EXPECT_EQ(server_.CountAccessReviews(), 0U);
}

TEST_F(AccessGuardTest, ThePathIsNormalizedBeforeAuthorizationAndServing) {
  authorization_.always_allow_paths = {"/healthz*", "/open/*"};
  for (const char* path : {"/healthz/../metrics", "/healthz//..//metrics", "/open/../metrics",
                           "//metrics", "/open/./../../metrics", "/open/..", "/OPEN/a"}) {
    EXPECT_EQ(CodeOf(path), 401) << path;
  }
  EXPECT_EQ(CodeOf("/metrics/../healthz/./ping"), 200);
  EXPECT_EQ(served_->path, "/healthz/ping");
  EXPECT_EQ(CodeOf("//open//a/"), 200);
  EXPECT_EQ(served_->path, "/open/a/");
  EXPECT_EQ(CodeOf("/x/../metrics", Bearer("jane")), 200);
  EXPECT_EQ(served_->path, "/metrics");
  server_.rights = {"jane get /metrics/../configz"};
  EXPECT_EQ(CodeOf("/metrics/../configz", Bearer("jane")), 403);
}

TEST_F(AccessGuardTest, AClientCertificateAuthenticatesTheUser) {
  server_.rights.insert("john get /metrics");
  const std::string certificate =
      clients_.Issue({.common_names = {"john"}, .organizations = {"ops"}, .uids = {"42"}});
  EXPECT_EQ(CodeOf("/metrics", {}, {certificate}), 200);
  EXPECT_THAT(server_.LastBody(),
              HasSubstr(R"("user":"john","groups":["ops","system:authenticated"],"uid":"42",)"
                        R"("extra":{"authentication.kubernetes.io/credential-id":["X509SHA256=)"));
  EXPECT_EQ(CodeOf("/metrics", {}, {clients_.IssueTo("jack")}), 403);
}

TEST_F(AccessGuardTest, InvalidCertificatesAreNotAuthenticated) {
  const ClientAuthority others("clients");
  for (const std::string& certificate :
       {others.IssueTo("jane"), testing::SelfSigned("jane"), std::string("garbage"),
        clients_.Issue({.common_names = {"jane"}, .ends = -std::chrono::seconds(1)}),
        clients_.Issue({.common_names = {"jane"}, .begins = std::chrono::minutes(1)}),
        clients_.Issue({.common_names = {"jane"}, .extended_key_usage = "serverAuth"}),
        clients_.IssueTo(""), clients_.Issue({.organizations = {"system:masters"}})}) {
    EXPECT_EQ(CodeOf("/metrics", {}, {certificate}), 401);
  }
  EXPECT_EQ(server_.CountAccessReviews(), 0U);
}

TEST_F(AccessGuardTest, AValidTokenIsAcceptedDespiteAnInvalidCertificate) {
  EXPECT_EQ(CodeOf("/metrics", Bearer("jane"), {testing::SelfSigned("jane")}), 200);
  EXPECT_EQ(CodeOf("/metrics", Bearer("wrong"), {testing::SelfSigned("jane")}), 401);
  // A valid certificate also counts with an invalid token, which is not reviewed.
  EXPECT_EQ(CodeOf("/metrics", Bearer("wrong"), {clients_.IssueTo("jane")}), 200);
  EXPECT_EQ(server_.CountTokenReviews(), 2U);
}

TEST_F(AccessGuardTest, AFrontProxyPassesOnTheUser) {
  const Headers headers = {{"X-Remote-User", "jane"}, {"X-Remote-Group", "web"}};
  EXPECT_EQ(CodeOf("/metrics", headers, {proxies_.IssueTo("front-proxy")}), 200);
  EXPECT_THAT(server_.LastBody(),
              HasSubstr(R"("user":"jane","groups":["web","system:authenticated"])"));
}

TEST_F(AccessGuardTest, ProxyHeadersOfOtherClientsAreIgnored) {
  const Headers masters = {{"X-Remote-User", "jane"}, {"X-Remote-Group", "system:masters"}};
  EXPECT_EQ(CodeOf("/metrics", masters), 401);
  EXPECT_EQ(CodeOf("/metrics", masters, {proxies_.IssueTo("other-proxy")}), 401);
  EXPECT_EQ(CodeOf("/metrics", masters, {testing::SelfSigned("front-proxy")}), 401);
  EXPECT_EQ(
      CodeOf("/metrics", masters,
             {proxies_.Issue({.common_names = {"front-proxy"}, .ends = -std::chrono::seconds(1)})}),
      401);
  EXPECT_EQ(CodeOf("/metrics", {{"X_Remote_User", "jane"}, {"x_remote_group", "system:masters"}},
                   {proxies_.IssueTo("front-proxy")}),
            401);
  // The certificate identifies a client, whatever headers it sends.
  EXPECT_EQ(CodeOf("/metrics", masters, {clients_.IssueTo("front-proxy")}), 403);
  EXPECT_THAT(server_.LastBody(),
              HasSubstr(R"("user":"front-proxy","groups":["system:authenticated"])"));
  Headers both = Bearer("jane");
  both.insert(both.end(), masters.begin(), masters.end());
  EXPECT_EQ(CodeOf("/configz", both), 403);
}

TEST_F(AccessGuardTest, CredentialsAreRemovedBeforePagesAreCalled) {
  Headers headers = {{"X-REMOTE-USER", "jane"},   {"x-remote-group", "web"},
                     {"X-Remote-Extra-A", "1"},   {"authorization", "Bearer jane"},
                     {"Authorization", "Bearer"}, {"Accept", "text/plain"}};
  EXPECT_EQ(CodeOf("/healthz", headers), 200);
  EXPECT_THAT(served_->headers, ElementsAre(Pair("Accept", "text/plain")));
  headers.erase(headers.begin() + 4);
  EXPECT_EQ(CodeOf("/metrics", headers), 200);
  EXPECT_THAT(served_->headers, ElementsAre(Pair("Accept", "text/plain")));
}

TEST_F(AccessGuardTest, TheRestOfTheRequestIsPassedOnUnchanged) {
  server_.rights.insert("jane put /debug/flags/v");
  Serve({.method = "PUT",
         .path = "/debug/flags/v",
         .query = {{"a", "b"}},
         .headers = Bearer("jane"),
         .body = "5",
         .remote_address = "10.0.0.9:1234"});
  ASSERT_TRUE(served_);
  EXPECT_EQ(served_->method, "PUT");
  EXPECT_EQ(served_->body, "5");
  EXPECT_EQ(served_->Get("a"), "b");
  EXPECT_EQ(served_->remote_address, "10.0.0.9:1234");
}

TEST_F(AccessGuardTest, SystemMastersNeedNoReview) {
  EXPECT_EQ(CodeOf("/configz", Bearer("root")), 200);
  EXPECT_EQ(
      CodeOf(
          "/configz", {},
          {clients_.Issue({.common_names = {"admin"}, .organizations = {"a", "system:masters"}})}),
      200);
  EXPECT_EQ(CodeOf("/configz", {}, {clients_.IssueTo("system:masters")}), 403);
  EXPECT_EQ(server_.CountAccessReviews(), 1U);
}

TEST_F(AccessGuardTest, AnAnonymousUserIsNotAuthenticated) {
  EXPECT_EQ(CodeOf("/metrics", {}, {clients_.IssueTo("system:anonymous")}), 403);
  EXPECT_THAT(server_.LastBody(), HasSubstr(R"("user":"system:anonymous","extra")"));
  EXPECT_EQ(CodeOf("/metrics", {},
                   {clients_.Issue(
                       {.common_names = {"jack"}, .organizations = {"system:unauthenticated"}})}),
            403);
  EXPECT_THAT(server_.LastBody(), HasSubstr(R"("groups":["system:unauthenticated"],)"));
}

TEST_F(AccessGuardTest, DecisionsAreCachedForTheConfiguredTime) {
  authorization_.authorized_ttl = std::chrono::seconds(8);
  authorization_.unauthorized_ttl = std::chrono::seconds(3);
  EXPECT_EQ(CodeOf("/metrics", Bearer("jane")), 200);
  EXPECT_EQ(CodeOf("/configz", Bearer("jane")), 403);
  server_.rights = {"jane get /configz"};
  runtime_.AdvanceBy(std::chrono::milliseconds(2999));
  EXPECT_EQ(CodeOf("/configz", Bearer("jane")), 403);
  runtime_.AdvanceBy(std::chrono::milliseconds(1));
  EXPECT_EQ(CodeOf("/configz", Bearer("jane")), 200);
  runtime_.AdvanceBy(std::chrono::milliseconds(4999));
  EXPECT_EQ(CodeOf("/metrics", Bearer("jane")), 200);
  runtime_.AdvanceBy(std::chrono::milliseconds(1));
  EXPECT_EQ(CodeOf("/metrics", Bearer("jane")), 403);
}

TEST_F(AccessGuardTest, DecisionsAreCachedByUser) {
  server_.tokens["john"] = TokenOf("john");
  EXPECT_EQ(CodeOf("/metrics", Bearer("jane")), 200);
  EXPECT_EQ(CodeOf("/metrics", Bearer("john")), 403);
}

TEST_F(AccessGuardTest, ADeniedReviewWinsOverAllowed) {
  server_.transport->On(
      "POST", kAccessReviews,
      testing::JsonAnswer(201, R"({"kind":"SubjectAccessReview","status":)"
                               R"({"allowed":true,"denied":true,"reason":"no"}})"));
  const http::ServerResponse response = Get("/metrics", Bearer("jane"));
  EXPECT_EQ(response.status, 403);
  EXPECT_THAT(response.body, HasSubstr(R"(cannot get path \"/metrics\": no")"));
}

TEST_F(AccessGuardTest, AFailedReviewDeniesTheRequest) {
  EXPECT_EQ(CodeOf("/metrics", Bearer("jane")), 200);
  for (const testing::ScriptedAnswer& failure :
       {testing::Refused(), testing::StatusAnswer(403, "Forbidden", "secret"),
        testing::StatusAnswer(500, "InternalError", "secret"), testing::JsonAnswer(201, "{}"),
        testing::JsonAnswer(201, ""), testing::JsonAnswer(201, "[]"),
        testing::JsonAnswer(200, R"({"kind":"Other","status":{"allowed":true}})")}) {
    server_.transport->On("POST", kAccessReviews, failure);
    const http::ServerResponse response = Get("/configz", Bearer("jane"));
    EXPECT_EQ(response.status, 500);
    EXPECT_EQ(response.body,
              R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
              R"("message":"Internal Server Error","reason":"InternalError","code":500})"
              "\n");
    EXPECT_FALSE(served_);
  }
}

TEST_F(AccessGuardTest, AnOutageLeavesHealthAndCachedDecisions) {
  EXPECT_EQ(CodeOf("/metrics", Bearer("jane")), 200);
  server_.delay = std::chrono::hours(1);
  MonotonicTime begin = runtime_.Now();
  EXPECT_EQ(CodeOf("/metrics", Bearer("jane")), 200);
  EXPECT_EQ(CodeOf("/healthz"), 200);
  EXPECT_EQ(CodeOf("/healthz", Bearer("wrong")), 200);
  EXPECT_EQ(CodeOf("/configz", Bearer("root")), 401);  // its token is not cached yet
  EXPECT_LE(runtime_.Now() - begin, std::chrono::seconds(10));
  runtime_.AdvanceBy(std::chrono::seconds(10));
  EXPECT_EQ(CodeOf("/metrics", Bearer("jane")), 401);
  EXPECT_EQ(
      CodeOf("/configz", {},
             {clients_.Issue({.common_names = {"admin"}, .organizations = {"system:masters"}})}),
      200);
  EXPECT_EQ(CodeOf("/metrics", {}, {clients_.IssueTo("jane")}), 500);
}

TEST_F(AccessGuardTest, AFloodOccupiesALimitedNumberOfThreads) {
  ASSERT_TRUE(Start().ok());
  server_.delay = std::chrono::hours(1);
  std::vector<std::unique_ptr<Thread>> threads;
  for (int i = 0; i < ReviewCache<int>::kMostInProgress; ++i) {
    threads.push_back(runtime_.Start("flood", [this, i] {
      (void)guard_->Serve(
          {.path = "/metrics", .query = {}, .headers = Bearer("flood" + std::to_string(i))},
          [](const http::ServerRequest&) { return http::ServerResponse{}; });
    }));
  }
  runtime_.RunUntilIdle();
  const MonotonicTime begin = runtime_.Now();
  const http::ServerResponse response = Get("/metrics", Bearer("jane"));
  EXPECT_EQ(response.status, 429);
  EXPECT_THAT(response.headers, ElementsAre(Pair("Retry-After", "1")));
  EXPECT_EQ(CodeOf("/livez"), 200);
  EXPECT_EQ(runtime_.Now(), begin);
  runtime_.AdvanceBy(std::chrono::seconds(11));
}

TEST_F(AccessGuardTest, WithoutAnApiServerOnlySystemMastersAreServed) {
  has_server_ = false;
  authentication_.skip_lookup = true;
  EXPECT_EQ(CodeOf("/metrics", Bearer("jane")), 401);
  EXPECT_EQ(CodeOf("/metrics"), 401);
  EXPECT_EQ(CodeOf("/healthz"), 200);
}

TEST_F(AccessGuardTest, StopEndsWaitingRequests) {
  ASSERT_TRUE(Start().ok());
  server_.delay = std::chrono::hours(1);
  std::optional<int> code;
  const auto thread = runtime_.Start("request", [&] {
    code = guard_
               ->Serve({.path = "/metrics", .query = {}, .headers = Bearer("jane")},
                       [](const http::ServerRequest&) { return http::ServerResponse{}; })
               .status;
  });
  runtime_.RunUntilIdle();
  EXPECT_EQ(code, std::nullopt);
  guard_->Stop();
  runtime_.RunUntilIdle();
  EXPECT_EQ(code, 401);
  EXPECT_EQ(CodeOf("/metrics", Bearer("root")), 401);
  EXPECT_EQ(CodeOf("/healthz"), 200);
}

TEST_F(AccessGuardTest, HostileRequestsGetRegularErrors) {
  using std::string_literals::operator""s;
  EXPECT_EQ(CodeOf("/metrics", Bearer(std::string(10'000'000, 'a'))), 401);
  EXPECT_EQ(CodeOf("/metrics\0/../healthz"s), 200);  // normalised, it is the same path
  EXPECT_EQ(served_->path, "/healthz");
  EXPECT_EQ(CodeOf("/healthz\0"s), 401);
  EXPECT_EQ(CodeOf("/\xff", Bearer("jane")), 403);
  EXPECT_EQ(CodeOf(std::string(1'000'000, '/')), 401);
  EXPECT_EQ(CodeOf("/" + std::string(1'000'000, 'a'), Bearer("jane")), 403);
  EXPECT_EQ(CodeOf("/\"\\\n", Bearer("jane")), 403);
  EXPECT_EQ(CodeOf("/metrics", {{"X-Remote-User", "\xff"}}, {proxies_.IssueTo("front-proxy")}),
            403);
  std::vector<std::string> chain(1000, clients_.IssueTo("jane"));
  EXPECT_EQ(CodeOf("/metrics", {}, chain), 401);
  Headers many(10'000, {"X-Remote-Extra-A", "b"});
  EXPECT_EQ(CodeOf("/metrics", many), 401);
  EXPECT_EQ(Serve({.method = "GET\"}", .path = "/metrics", .query = {}, .headers = Bearer("jane")})
                .status,
            403);
}

TEST_F(AccessGuardTest, APageThatThrowsIsAnInternalError) {
  ASSERT_TRUE(Start().ok());
  const http::ServerResponse response = guard_->Serve(
      {.path = "/healthz", .query = {}},
      [](const http::ServerRequest&) -> http::ServerResponse { throw std::runtime_error("x"); });
  EXPECT_EQ(response.status, 500);
  EXPECT_THAT(response.body, HasSubstr("Internal Server Error"));
}

TEST_F(AccessGuardTest, InvalidFlagsAreErrorsThatNameTheFlag) {
  authorization_.always_allow_paths = {"/a*b"};
  EXPECT_THAT(Start().message(), HasSubstr("--authorization-always-allow-paths"));
  authorization_.always_allow_paths = {};
  authentication_.client_ca_file = "/does/not/exist";
  EXPECT_THAT(Start().message(), HasSubstr("--client-ca-file /does/not/exist"));
}

TEST_F(AccessGuardTest, AuthenticationAttemptsAreCounted) {
  CodeOf("/metrics", Bearer("jane"));
  CodeOf("/configz", Bearer("jane"));
  CodeOf("/metrics");
  CodeOf("/healthz");
  server_.failure = testing::Refused();
  CodeOf("/metrics", Bearer("other"));
  CodeOf("/whyz", Bearer("jane"));
  const std::string text = metrics_.Serialize();
  EXPECT_THAT(text, HasSubstr("authentication_attempts{result=\"success\"} 3"));
  EXPECT_THAT(text, HasSubstr("authentication_attempts{result=\"failure\"} 1"));
  EXPECT_THAT(text, HasSubstr("authentication_attempts{result=\"error\"} 1"));
  EXPECT_THAT(text, HasSubstr("authorization_attempts_total{result=\"allowed\"} 1"));
  EXPECT_THAT(text, HasSubstr("authorization_attempts_total{result=\"denied\"} 1"));
  EXPECT_THAT(text, HasSubstr("authorization_attempts_total{result=\"error\"} 1"));
  EXPECT_THAT(text, HasSubstr("apiserver_delegated_authz_request_total{code=\"201\"} 2"));
}

}  // namespace
}  // namespace capstan::manager
