// serviceaccounts/NAME/token.

#include <gmock/gmock.h>

#include "sdk/testing/apiserver/write_fixture.h"

namespace capstan::testing::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ServiceAccountToken : public WriteTest {
 protected:
  ServiceAccountToken() {
    EXPECT_EQ(Create("serviceaccounts", R"({"metadata":{"name":"robot"}})").code, 201);
  }
  Answer Request(const std::string& body, const std::string& account = "robot") {
    return Send({.verb = "create",
                 .resource = "serviceaccounts",
                 .name = account,
                 .body = body,
                 .subresource = "token"});
  }
  Answer Bound(const std::string& reference) {
    return Request(R"({"spec":{"boundObjectRef":)" + reference + "}}");
  }
};

TEST_F(ServiceAccountToken, LastsAnHourByDefault) {
  const Answer answer = Request(R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest",)"
                                R"("metadata":{"creationTimestamp":null},"spec":{"audiences":null,)"
                                R"("expirationSeconds":null,"boundObjectRef":null},)"
                                R"("status":{"token":"","expirationTimestamp":null}})");
  ASSERT_EQ(answer.code, 201) << answer.message();
  EXPECT_EQ(answer.object.Get("kind").AsString(), "TokenRequest");
  EXPECT_EQ(answer.object.Get("apiVersion").AsString(), "authentication.k8s.io/v1");
  EXPECT_EQ(answer.object.Get("metadata", "name").AsString(), "robot");
  EXPECT_EQ(answer.object.Get("metadata", "uid").AsString(), UidOf("serviceaccounts", "robot"));
  EXPECT_EQ(answer.object.Get("spec", "expirationSeconds").AsInteger(), 3600);
  EXPECT_EQ(answer.object.Get("spec", "audiences").items().size(), 1U);
  EXPECT_THAT(answer.object.Get("status", "token").AsString(), Not(""));
  EXPECT_THAT(answer.object.Get("status", "expirationTimestamp").AsString(), Not(""));
}

TEST_F(ServiceAccountToken, HasTheRequestedAudiencesAndDuration) {
  const Answer answer =
      Request(R"({"spec":{"audiences":["vault"],"expirationSeconds":600,"extra":1}})");
  ASSERT_EQ(answer.code, 201) << answer.message();
  EXPECT_EQ(json::ToJson(answer.object.Get("spec")),
            R"({"audiences":["vault"],"boundObjectRef":null,"expirationSeconds":600})");
  ASSERT_EQ(answer.warnings.size(), 1U);
  EXPECT_THAT(answer.warnings[0], HasSubstr("spec.extra"));
}

TEST_F(ServiceAccountToken, LastsAtLeastTenMinutes) {
  for (const char* seconds : {"0", "599", "4294967297"}) {
    const Answer answer = Request(std::string(R"({"spec":{"expirationSeconds":)") + seconds + "}}");
    EXPECT_EQ(answer.code, 422);
    EXPECT_THAT(answer.message(), HasSubstr("spec.expirationSeconds")) << seconds;
  }
}

TEST_F(ServiceAccountToken, MustMatchTheAccountInThePath) {
  EXPECT_EQ(Request("{}", "nobody").code, 404);
  EXPECT_EQ(Request(R"({"metadata":{"name":"other"}})").code, 422);
  EXPECT_EQ(Request(R"({"metadata":{"namespace":"other"}})").code, 400);
  const Answer answer = Request(R"({"metadata":{"uid":"1"}})");
  EXPECT_EQ(answer.code, 409);
  EXPECT_THAT(answer.message(), HasSubstr("TokenRequest.authentication.k8s.io \"robot\": the UID"));
}

TEST_F(ServiceAccountToken, CanBeBoundOnlyToAnExistingObject) {
  ASSERT_EQ(Create("secrets", R"({"metadata":{"name":"s"}})").code, 201);
  EXPECT_EQ(Bound(R"({"apiVersion":"v1","kind":"Secret","name":"s"})").code, 201);
  EXPECT_EQ(Bound(R"({"apiVersion":"v1","kind":"Secret","name":"t"})").code, 404);
  EXPECT_EQ(Bound(R"({"apiVersion":"v1","kind":"Secret","name":"s","uid":"1"})").code, 409);
  EXPECT_EQ(Bound(R"({"apiVersion":"v1","kind":"ConfigMap","name":"s"})").message(),
            "cannot bind token to object of type /v1, Kind=ConfigMap");
  EXPECT_EQ(Bound(R"({"apiVersion":"apps/v1","kind":"Pod","name":"s"})").message(),
            "cannot bind token to object of type apps/v1, Kind=Pod");
}

TEST_F(ServiceAccountToken, AnotherKindIsABadRequest) {
  EXPECT_EQ(Request(R"({"apiVersion":"v1","kind":"Pod"})").code, 400);
  EXPECT_EQ(Request("[]").code, 400);
  EXPECT_EQ(Request(R"({"spec":{"expirationSeconds":"600"}})").code, 400);
}

}  // namespace
}  // namespace capstan::testing::server
