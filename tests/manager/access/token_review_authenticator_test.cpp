#include "access/token_review_authenticator.h"

#include <capstan/testing/simulated_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <capstan/log/log.h>

#include "review_server.h"

namespace capstan::manager {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Records all log lines, from all components and at every verbosity, during its lifetime.
class ReviewLog final : public LogSink {
 public:
  ReviewLog() {
    SetLogSink(this);
    SetLogVerbosity(10);
  }
  ~ReviewLog() override {
    SetLogSink(nullptr);
    SetLogVerbosity(0);
  }
  void Write(std::string_view line) override {
    MutexLock lock(mutex_);
    text_.append(line).append("\n");
  }
  std::string text() const {
    MutexLock lock(mutex_);
    return text_;
  }

 private:
  mutable Mutex mutex_;
  std::string text_ CAPSTAN_GUARDED_BY(mutex_);
};

class TokenReviewTest : public ::testing::Test {
 protected:
  TokenReviewTest() { server_.tokens["good"] = TokenOf("jane", R"(["web","admins"])"); }

  Result<std::optional<UserInfo>> Authenticate(
      std::vector<std::pair<std::string, std::string>> headers) {
    http::ServerRequest request;
    request.headers = std::move(headers);
    return authenticator_.Authenticate(request);
  }
  Result<std::optional<UserInfo>> AuthenticateToken(const std::string& token) {
    return Authenticate({{"Authorization", "Bearer " + token}});
  }

  testing::SimulatedRuntime runtime_;
  ReviewServer server_{runtime_};
  MetricsRegistry metrics_;
  ReviewClient client_{server_.transport, "10.0.0.1:6443", "apiserver_delegated_authn", runtime_,
                       metrics_};
  TokenReviewAuthenticator authenticator_{&client_, std::chrono::seconds(10), runtime_};
};

TEST_F(TokenReviewTest, TheApiServerIdentifiesTheUserOfAToken) {
  server_.tokens["good"] =
      R"({"authenticated":true,"user":{"username":"jane","uid":"7","groups":["web","admins"],)"
      R"("extra":{"authentication.kubernetes.io/pod-name":["web-1"]}},"audiences":["a"]})";
  const UserInfo user = AuthenticateToken("good").value().value();
  EXPECT_EQ(user.name, "jane");
  EXPECT_EQ(user.uid, "7");
  EXPECT_THAT(user.groups, ElementsAre("web", "admins"));
  EXPECT_EQ(user.extra.text(), R"({"authentication.kubernetes.io/pod-name":["web-1"]})");
  EXPECT_EQ(server_.LastBody(), R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview",)"
                                R"("spec":{"token":"good"}})");
}

TEST_F(TokenReviewTest, WithoutAnAuthorizationHeaderNobodyIsAuthenticated) {
  EXPECT_EQ(Authenticate({}).value(), std::nullopt);
  EXPECT_EQ(Authenticate({{"X-Authorization", "Bearer good"}}).value(), std::nullopt);
  EXPECT_EQ(server_.CountTokenReviews(), 0U);
}

TEST_F(TokenReviewTest, ABadTokenIsRefused) {
  EXPECT_TRUE(AuthenticateToken("bad").status().IsUnauthorized());
  server_.tokens["nobody"] = TokenOf("");
  EXPECT_TRUE(AuthenticateToken("nobody").status().IsUnauthorized());
  server_.tokens["silent"] = "{}";
  EXPECT_TRUE(AuthenticateToken("silent").status().IsUnauthorized());
}

TEST_F(TokenReviewTest, TheSchemeIsCaseInsensitiveAndSpacesAreIgnored) {
  for (const char* value : {"Bearer good", "bearer good", "BEARER good", "  Bearer good \t"}) {
    EXPECT_EQ(Authenticate({{"AUTHORIZATION", value}}).value()->name, "jane") << value;
  }
}

TEST_F(TokenReviewTest, AMalformedTokenIsRefusedWithoutAReview) {
  for (const std::string& value :
       {std::string(), std::string("Bearer"), std::string("Bearer "), std::string("Bearer  good"),
        std::string("Bearer good good"), std::string("Bearer\tgood"), std::string("Bearergood"),
        std::string("Basic Z29vZA=="), std::string("good"), std::string("Bearer go\x01od"),
        std::string("Bearer good\n"), std::string("Bearer go\0od", 12),
        std::string("Bearer g\xc3\xb6\xc3\xb6"), std::string("Bearer \xff")}) {
    EXPECT_TRUE(Authenticate({{"Authorization", value}}).status().IsUnauthorized()) << value;
  }
  EXPECT_TRUE(Authenticate({{"Authorization", "Bearer good"}, {"authorization", "Bearer good"}})
                  .status()
                  .IsUnauthorized());
  EXPECT_EQ(server_.CountTokenReviews(), 0U);
}

TEST_F(TokenReviewTest, ATooLongTokenIsRefusedWithoutAReview) {
  EXPECT_TRUE(AuthenticateToken(std::string(10'000'000, 'a')).status().IsUnauthorized());
  EXPECT_TRUE(AuthenticateToken(std::string(TokenReviewAuthenticator::kLongestToken + 1, 'a'))
                  .status()
                  .IsUnauthorized());
  EXPECT_EQ(server_.CountTokenReviews(), 0U);
  const std::string longest(TokenReviewAuthenticator::kLongestToken, 'a');
  server_.tokens[longest] = TokenOf("jane");
  EXPECT_EQ(AuthenticateToken(longest).value()->name, "jane");
}

TEST_F(TokenReviewTest, AnAnswerIsCachedForItsTtl) {
  AuthenticateToken("good").value().value();
  server_.tokens.clear();
  runtime_.AdvanceBy(std::chrono::milliseconds(9999));
  EXPECT_EQ(AuthenticateToken("good").value()->name, "jane");
  EXPECT_EQ(server_.CountTokenReviews(), 1U);
  runtime_.AdvanceBy(std::chrono::milliseconds(1));
  EXPECT_TRUE(AuthenticateToken("good").status().IsUnauthorized());
}

TEST_F(TokenReviewTest, ARefusalIsCachedForAShorterTime) {
  EXPECT_FALSE(AuthenticateToken("new"));
  server_.tokens["new"] = TokenOf("john");
  EXPECT_FALSE(AuthenticateToken("new"));
  EXPECT_EQ(server_.CountTokenReviews(), 1U);
  runtime_.AdvanceBy(TokenReviewAuthenticator::kRefusedTtl);
  EXPECT_EQ(AuthenticateToken("new").value()->name, "john");
}

TEST_F(TokenReviewTest, TheNumberOfCachedTokensIsLimited) {
  AuthenticateToken("good").value().value();
  for (int i = 0; i < 3000; ++i) EXPECT_FALSE(AuthenticateToken("bad" + std::to_string(i)));
  EXPECT_EQ(authenticator_.cached_answers(), TokenReviewAuthenticator::kMaxCached + 1);
}

TEST_F(TokenReviewTest, InvalidTokensDoNotEvictValidOnes) {
  AuthenticateToken("good").value().value();
  const size_t before = server_.CountTokenReviews();
  for (int i = 0; i < 1500; ++i) EXPECT_FALSE(AuthenticateToken("bad" + std::to_string(i)));
  EXPECT_EQ(AuthenticateToken("good").value()->name, "jane");
  EXPECT_EQ(server_.CountTokenReviews(), before + 1500);
}

TEST_F(TokenReviewTest, CachedAnswersAreUsedDuringAnOutage) {
  AuthenticateToken("good").value().value();
  server_.failure = testing::Refused();
  EXPECT_EQ(AuthenticateToken("good").value()->name, "jane");
  EXPECT_TRUE(AuthenticateToken("other").status().IsTransport());
  runtime_.AdvanceBy(std::chrono::seconds(10));
  EXPECT_TRUE(AuthenticateToken("good").status().IsTransport());
  server_.failure.reset();
  EXPECT_EQ(AuthenticateToken("good").value()->name, "jane");
}

TEST_F(TokenReviewTest, AReviewTimesOut) {
  server_.delay = std::chrono::hours(1);
  const MonotonicTime begin = runtime_.Now();
  EXPECT_TRUE(AuthenticateToken("good").status().IsTransport());
  EXPECT_EQ(runtime_.Now() - begin, ReviewClient::kDeadline);

  // Retries have the same deadline.
  server_.delay = {};
  server_.failure = testing::StatusAnswer(429, "TooManyRequests");
  EXPECT_FALSE(AuthenticateToken("good"));
  EXPECT_LE(runtime_.Now() - begin, 2 * ReviewClient::kDeadline);
}

TEST_F(TokenReviewTest, ReviewsAreCountedByStatusCode) {
  (void)AuthenticateToken("good");
  (void)AuthenticateToken("bad");
  server_.failure = testing::StatusAnswer(403, "Forbidden");
  (void)AuthenticateToken("other");
  server_.failure = testing::Refused();
  (void)AuthenticateToken("other");
  const std::string text = metrics_.Serialize();
  EXPECT_THAT(text, HasSubstr("apiserver_delegated_authn_request_total{code=\"201\"} 2"));
  EXPECT_THAT(text, HasSubstr("apiserver_delegated_authn_request_total{code=\"403\"} 1"));
  EXPECT_THAT(text, HasSubstr("apiserver_delegated_authn_request_total{code=\"<error>\"} 1"));
  EXPECT_THAT(
      text, HasSubstr("apiserver_delegated_authn_request_duration_seconds_count{code=\"201\"} 2"));
}

TEST_F(TokenReviewTest, TokensAreNeverLogged) {
  const std::string secret = "sesame-opens";
  const ReviewLog log;
  (void)AuthenticateToken(secret);
  (void)Authenticate({{"Authorization", "Bearer " + secret + " " + secret}});
  (void)Authenticate({{"Authorization", "Basic " + secret}});
  for (const int code : {400, 401, 403, 422, 500, 503}) {
    // A server that quotes the request.
    server_.failure = testing::JsonAnswer(code, "cannot decode " + secret);
    if (code == 401 || code == 403) server_.failure = testing::StatusAnswer(code, "Forbidden");
    (void)AuthenticateToken(secret + std::to_string(code));
  }
  server_.failure = testing::JsonAnswer(201, R"({"kind":"Odd","token":")" + secret + "\"}");
  (void)AuthenticateToken(secret + "odd");
  EXPECT_THAT(log.text(), HasSubstr("Failed to make webhook authenticator request"));
  EXPECT_THAT(log.text(), Not(HasSubstr(secret)));
}

TEST(TokenReview, WithoutAnApiServerEveryTokenIsRefused) {
  testing::SimulatedRuntime runtime;
  TokenReviewAuthenticator authenticator(nullptr, std::chrono::seconds(10), runtime);
  http::ServerRequest request;
  request.headers = {{"Authorization", "Bearer good"}};
  EXPECT_TRUE(authenticator.Authenticate(request).status().IsUnauthorized());
}

}  // namespace
}  // namespace capstan::manager
