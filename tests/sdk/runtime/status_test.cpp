#include <capstan/runtime/status.h>

#include <gtest/gtest.h>

#include <string>

#include "runtime/not_sent.h"

namespace capstan {
namespace {

Status ApiStatus(StatusReason reason, int code) {
  Status::Details details;
  details.reason = reason;
  details.http_code = code;
  details.message = "the server says so";
  return Status(std::move(details));
}

TEST(Status, IsOkByDefault) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().ToString(), "OK");
  EXPECT_EQ(Status().WithContext("anything").ToString(), "OK");
}

TEST(Status, IsQueriedByReason) {
  EXPECT_TRUE(ApiStatus(StatusReason::kNotFound, 404).IsNotFound());
  EXPECT_TRUE(ApiStatus(StatusReason::kConflict, 409).IsConflict());
  EXPECT_FALSE(ApiStatus(StatusReason::kAlreadyExists, 409).IsConflict());
  EXPECT_TRUE(ApiStatus(StatusReason::kExpired, 410).IsGone());
  EXPECT_TRUE(ApiStatus(StatusReason::kGone, 410).IsGone());
}

TEST(Status, DetectsAmbiguousWrites) {
  EXPECT_TRUE(Status(StatusReason::kTransport, "torn").IsAmbiguous());
  EXPECT_TRUE(Status(StatusReason::kDeadlineExceeded, "late").IsAmbiguous());
  EXPECT_TRUE(ApiStatus(StatusReason::kInternalError, 500).IsAmbiguous());
  EXPECT_FALSE(ApiStatus(StatusReason::kConflict, 409).IsAmbiguous());
  EXPECT_FALSE(Status().IsAmbiguous());
  EXPECT_TRUE(Status::Canceled().IsAmbiguous());
  EXPECT_FALSE(NotSent("too late").WithContext("POST").IsAmbiguous());
  EXPECT_TRUE(NotSent("too late").IsCanceled());
}

TEST(Status, ContextKeepsReasonCausesAndRetryAfter) {
  Status::Details details;
  details.reason = StatusReason::kForbidden;
  details.http_code = 403;
  details.message = "namespace is being terminated";
  details.causes.push_back({"NamespaceTerminating", "it ends", "metadata.namespace"});
  details.retry_after = std::chrono::seconds(3);
  const Status status = Status(std::move(details)).WithContext("creating pod");
  EXPECT_EQ(status.ToString(), "Forbidden: creating pod: namespace is being terminated");
  EXPECT_TRUE(status.HasCause("NamespaceTerminating"));
  EXPECT_FALSE(status.HasCause("Namespace"));
  EXPECT_EQ(status.retry_after(), std::chrono::seconds(3));
}

TEST(Status, IsTerminalForErrorsThatARetryCannotFix) {
  const Status status = Status::Terminal("the selector is invalid");
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(status.IsTerminal());
  EXPECT_FALSE(Status(StatusReason::kUnknown, "x").IsTerminal());
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<std::string> value(std::string("pods"));
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(*value, "pods");
  EXPECT_TRUE(value.status().ok());
  const Result<std::string> error(Status::InvalidArgument("no such flag"));
  EXPECT_FALSE(error);
  EXPECT_EQ(error.status().reason(), StatusReason::kInvalidArgument);
}

}  // namespace
}  // namespace capstan
