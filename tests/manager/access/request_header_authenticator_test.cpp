#include "access/request_header_authenticator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "support/client_authority.h"

namespace capstan::manager {
namespace {

using testing::ClientAuthority;

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const WallTime kProxyTime{std::chrono::seconds(1'800'000'000)};

class RequestHeader : public ::testing::Test {
 protected:
  RequestHeader() {
    config_ = {.ca = ClientCa::Parse(authority_.pem()).value(),
               .allowed_names = {"front-proxy"},
               .username_headers = {"x-remote-user", "X-Other-User"},
               .uid_headers = {"x-remote-uid"},
               .group_headers = {"x-remote-group", "x-other-group"},
               .extra_headers_prefixes = {"x-remote-extra-"}};
    request_.client_certificates = {authority_.IssueTo("front-proxy")};
    request_.headers = {{"X-Remote-User", "jane"}};
  }
  Result<std::optional<UserInfo>> Authenticate() {
    return AuthenticateByRequestHeader(config_, request_, kProxyTime);
  }

  const ClientAuthority authority_{"proxies"};
  RequestHeaderConfig config_;
  http::ServerRequest request_;
};

TEST_F(RequestHeader, AFrontProxyPassesOnTheUser) {
  request_.headers = {{"X-REMOTE-USER", "jane"},
                      {"x-remote-group", "web"},
                      {"X-Remote-Group", "admins"},
                      {"X-Remote-Group", ""},
                      {"X-Other-Group", "more"},
                      {"X-Remote-Uid", "1042"},
                      {"X-Remote-Extra-Scopes", "read"},
                      {"x-remote-extra-scopes", "write"},
                      {"X-Remote-Extra-Acme.com%2FProject", "some \"thing\""}};
  const UserInfo user = Authenticate().value().value();
  EXPECT_EQ(user.name, "jane");
  EXPECT_EQ(user.uid, "1042");
  EXPECT_THAT(user.groups, ElementsAre("web", "admins", "more"));
  EXPECT_EQ(user.extra.text(),
            R"({"acme.com/project":["some \"thing\""],"scopes":["read","write"]})");
}

TEST_F(RequestHeader, TheFirstConfiguredHeaderWithAValueIsUsed) {
  request_.headers = {{"X-Other-User", "john"}, {"X-Remote-User", "jane"}};
  EXPECT_EQ(Authenticate().value()->name, "jane");
  request_.headers = {{"X-Other-User", "john"}, {"X-Remote-User", ""}};
  EXPECT_EQ(Authenticate().value()->name, "john");
}

TEST_F(RequestHeader, HeadersAreIgnoredWithoutAProxyCertificate) {
  request_.client_certificates.clear();
  EXPECT_EQ(Authenticate().value(), std::nullopt);
  config_.ca = nullptr;
  request_.client_certificates = {authority_.IssueTo("front-proxy")};
  EXPECT_EQ(Authenticate().value(), std::nullopt);
}

TEST_F(RequestHeader, ACertificateOfAnotherAuthorityIsRefused) {
  const ClientAuthority other("proxies");
  request_.client_certificates = {other.IssueTo("front-proxy")};
  EXPECT_TRUE(Authenticate().status().IsUnauthorized());
}

TEST_F(RequestHeader, OnlyAllowedProxyNamesAreAccepted) {
  for (const char* name : {"", "Front-Proxy", "front-proxy ", "front-prox", "front-proxy2"}) {
    request_.client_certificates = {authority_.IssueTo(name)};
    EXPECT_TRUE(Authenticate().status().IsUnauthorized()) << name;
  }
  using std::string_literals::operator""s;
  request_.client_certificates = {authority_.IssueTo("front-proxy\0.evil"s)};
  EXPECT_TRUE(Authenticate().status().IsUnauthorized());
  config_.allowed_names.clear();
  EXPECT_EQ(Authenticate().value()->name, "jane");
}

TEST_F(RequestHeader, SimilarHeaderNamesAreIgnored) {
  for (const char* name : {"X_Remote_User", "X-Remote_User", "X-Remote-User ", " X-Remote-User",
                           "X-Remote-Users", "X-Remote-Use", "Remote-User", ""}) {
    request_.headers = {{name, "jane"}};
    EXPECT_EQ(Authenticate().value(), std::nullopt) << name;
  }
  request_.headers = {{"X-Remote-User", "jane"},
                      {"X_Remote_Group", "system:masters"},
                      {"X-Remote-Group2", "system:masters"},
                      {"X_Remote_Extra_a", "b"}};
  EXPECT_THAT(Authenticate().value()->groups, IsEmpty());
  EXPECT_TRUE(Authenticate().value()->extra.empty());
}

TEST_F(RequestHeader, WithoutAUserHeaderNobodyIsAuthenticated) {
  request_.headers = {{"X-Remote-Group", "system:masters"}};
  EXPECT_EQ(Authenticate().value(), std::nullopt);
  request_.headers.clear();
  EXPECT_EQ(Authenticate().value(), std::nullopt);
}

TEST_F(RequestHeader, ValuesThatAreNotUtf8AreRefused) {
  request_.headers.emplace_back("X-Remote-Extra-A", "\xff");
  EXPECT_TRUE(Authenticate().status().IsUnauthorized());
}

TEST_F(RequestHeader, InvalidEscapesInExtraKeysAreKept) {
  request_.headers = {{"X-Remote-User", "jane"},
                      {"X-Remote-Extra-A%ZZ", "1"},
                      {"X-Remote-Extra-%", "2"},
                      {"X-Remote-Extra-a?b%20", "3"},
                      {"X-Remote-Extra-", "4"}};
  EXPECT_EQ(Authenticate().value()->extra.text(),
            R"({"":["4"],"%":["2"],"a%zz":["1"],"a?b%20":["3"]})");
}

TEST_F(RequestHeader, DetectsIdentityHeaders) {
  for (const char* name : {"X-Remote-User", "x-other-user", "X-REMOTE-UID", "X-Remote-Group",
                           "X-Remote-Extra-", "x-remote-EXTRA-Scopes"}) {
    EXPECT_TRUE(IsIdentityHeader(config_, name)) << name;
  }
  for (const char* name : {"X-Remote-Extra", "X-Remote", "Accept", ""}) {
    EXPECT_FALSE(IsIdentityHeader(config_, name)) << name;
  }
}

}  // namespace
}  // namespace capstan::manager
