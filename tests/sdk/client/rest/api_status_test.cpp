#include "client/rest/api_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

namespace capstan {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ApiStatus, IsParsedWithCausesAndRetryAfter) {
  const auto status = ParseApiStatus(R"({
    "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
    "message": "pods \"a\" is forbidden: the namespace is being terminated",
    "reason": "Forbidden", "code": 403,
    "details": {"name": "a", "kind": "pods", "retryAfterSeconds": 7, "causes": [
      {"reason": "NamespaceTerminating", "message": "it is being terminated",
       "field": "metadata.namespace"}]}})",
                                     500);
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->IsForbidden());
  EXPECT_EQ(status->http_code(), 403);
  EXPECT_TRUE(status->HasCause("NamespaceTerminating"));
  EXPECT_EQ(status->causes()[0].field, "metadata.namespace");
  EXPECT_EQ(status->retry_after(), Duration(7s));
  EXPECT_EQ(status->message(), "pods \"a\" is forbidden: the namespace is being terminated");
}

TEST(ApiStatus, IsOkWhenItSaysSuccess) {
  const auto status =
      ParseApiStatus(R"({"kind":"Status","apiVersion":"v1","status":"Success"})", 200);
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->ok());
}

TEST(ApiStatus, IsNotParsedFromOtherObjects) {
  EXPECT_FALSE(ParseApiStatus(R"({"kind":"Pod","apiVersion":"v1"})", 200));
  EXPECT_FALSE(ParseApiStatus(R"({"kind":"Status","apiVersion":"example.dev/v1"})", 200));
  EXPECT_FALSE(ParseApiStatus("[]", 200));
  EXPECT_FALSE(ParseApiStatus("ok", 200));
  EXPECT_FALSE(ParseApiStatus("", 200));
}

TEST(ApiStatus, IgnoresMembersOfTheWrongType) {
  const auto status = ParseApiStatus(
      R"({"kind":"Status","apiVersion":"v1","status":7,"reason":[],"code":"x","message":{},
          "details":{"causes":{"a":1},"retryAfterSeconds":"soon"}})",
      404);
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->IsNotFound());
  EXPECT_FALSE(status->message().empty());
}

TEST(ApiStatus, UsesTheCodeForAnUnknownReason) {
  const auto status = ParseApiStatus(
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Odd","code":409})", 500);
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->IsConflict());
}

TEST(StatusOfAnswer, UsesTheCodeForAForeignBody) {
  const std::pair<int, StatusReason> expected[] = {
      {302, StatusReason::kUnknown},
      {400, StatusReason::kBadRequest},
      {401, StatusReason::kUnauthorized},
      {403, StatusReason::kForbidden},
      {404, StatusReason::kNotFound},
      {405, StatusReason::kMethodNotAllowed},
      {406, StatusReason::kNotAcceptable},
      {409, StatusReason::kConflict},
      {410, StatusReason::kGone},
      {413, StatusReason::kRequestEntityTooLarge},
      {415, StatusReason::kUnsupportedMediaType},
      {418, StatusReason::kUnknown},
      {422, StatusReason::kInvalid},
      {429, StatusReason::kTooManyRequests},
      {500, StatusReason::kInternalError},
      {502, StatusReason::kServiceUnavailable},
      {503, StatusReason::kServiceUnavailable},
      {504, StatusReason::kTimeout},
      {599, StatusReason::kInternalError},
  };
  for (const auto& [code, reason] : expected) {
    const Status status = StatusOfAnswer(code, "PATCH", "<html>", std::nullopt);
    EXPECT_EQ(status.reason(), reason) << code;
    EXPECT_EQ(status.http_code(), code);
    EXPECT_EQ(status.IsAmbiguous(), code >= 500) << code;
  }
  EXPECT_TRUE(StatusOfAnswer(409, "POST", "", std::nullopt).IsAlreadyExists());
}

TEST(StatusOfAnswer, QuotesTheStartOfAForeignBodyOnOneLine) {
  const std::string page = "<html>\r\n<h1>Bad \x01\xc3\xa4 Gateway</h1>" + std::string(5000, 'x');
  const Status status = StatusOfAnswer(502, "GET", page, std::nullopt);
  EXPECT_THAT(status.message(), HasSubstr("HTTP 502: <html> <h1>Bad"));
  EXPECT_THAT(status.message(), Not(HasSubstr("\n")));
  EXPECT_LT(status.message().size(), 400u);
}

TEST(StatusOfAnswer, UsesTheHeaderWithoutADelayInTheBody) {
  const std::string body =
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"TooManyRequests"})";
  EXPECT_EQ(StatusOfAnswer(429, "GET", body, 3s).retry_after(), Duration(3s));
  EXPECT_EQ(StatusOfAnswer(503, "GET", "busy", 4s).retry_after(), Duration(4s));
  EXPECT_EQ(StatusOfAnswer(503, "GET", "busy", std::nullopt).retry_after(), std::nullopt);
}

TEST(StatusOfAnswer, IgnoresASuccessStatusInAnErrorBody) {
  const std::string body = R"({"kind":"Status","apiVersion":"v1","status":"Success"})";
  EXPECT_EQ(StatusOfAnswer(500, "GET", body, std::nullopt).reason(), StatusReason::kInternalError);
}

TEST(RetryAfter, IsANumberOfSeconds) {
  EXPECT_EQ(ParseRetryAfter("12"), Duration(12s));
  EXPECT_EQ(ParseRetryAfter("0"), Duration(0s));
  EXPECT_EQ(ParseRetryAfter("999999999"), Duration(24h));
  for (const char* other :
       {"", "-1", "1.5", "12s", "Fri, 31 Dec 1999 23:59:59 GMT", "99999999999999999999999"}) {
    EXPECT_EQ(ParseRetryAfter(other), std::nullopt) << other;
  }
}

}  // namespace
}  // namespace capstan
