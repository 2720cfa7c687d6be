#include <capstan/runtime/status.h>

#include <algorithm>

#include "runtime/not_sent.h"

namespace capstan {
namespace {

const std::string kEmptyMessage;
const std::vector<Status::Cause> kNoCauses;

}  // namespace

std::string_view StatusReasonName(StatusReason reason) {
  switch (reason) {
    case StatusReason::kOk:
      return "OK";
    case StatusReason::kUnknown:
      return "Unknown";
    case StatusReason::kUnauthorized:
      return "Unauthorized";
    case StatusReason::kForbidden:
      return "Forbidden";
    case StatusReason::kNotFound:
      return "NotFound";
    case StatusReason::kAlreadyExists:
      return "AlreadyExists";
    case StatusReason::kConflict:
      return "Conflict";
    case StatusReason::kGone:
      return "Gone";
    case StatusReason::kExpired:
      return "Expired";
    case StatusReason::kInvalid:
      return "Invalid";
    case StatusReason::kServerTimeout:
      return "ServerTimeout";
    case StatusReason::kTimeout:
      return "Timeout";
    case StatusReason::kTooManyRequests:
      return "TooManyRequests";
    case StatusReason::kBadRequest:
      return "BadRequest";
    case StatusReason::kMethodNotAllowed:
      return "MethodNotAllowed";
    case StatusReason::kNotAcceptable:
      return "NotAcceptable";
    case StatusReason::kRequestEntityTooLarge:
      return "RequestEntityTooLarge";
    case StatusReason::kUnsupportedMediaType:
      return "UnsupportedMediaType";
    case StatusReason::kInternalError:
      return "InternalError";
    case StatusReason::kServiceUnavailable:
      return "ServiceUnavailable";
    case StatusReason::kCanceled:
      return "Canceled";
    case StatusReason::kDeadlineExceeded:
      return "DeadlineExceeded";
    case StatusReason::kTransport:
      return "Transport";
    case StatusReason::kMalformed:
      return "Malformed";
    case StatusReason::kInvalidArgument:
      return "InvalidArgument";
  }
  return "Unknown";
}

Status::Status(Details details) {
  if (details.reason != StatusReason::kOk) {
    details_ = std::make_shared<const Details>(std::move(details));
  }
}

Status::Status(StatusReason reason, std::string message)
    : Status(Details{.reason = reason,
                     .http_code = 0,
                     .message = std::move(message),
                     .group = {},
                     .kind = {},
                     .name = {},
                     .causes = {},
                     .retry_after = {},
                     .terminal = false}) {}

Status Status::Terminal(std::string message) {
  Details details;
  details.message = std::move(message);
  details.terminal = true;
  return Status(std::move(details));
}

const std::string& Status::message() const { return details_ ? details_->message : kEmptyMessage; }

const std::vector<Status::Cause>& Status::causes() const {
  return details_ ? details_->causes : kNoCauses;
}

std::optional<std::chrono::nanoseconds> Status::retry_after() const {
  return details_ ? details_->retry_after : std::nullopt;
}

bool Status::HasCause(std::string_view cause_reason) const {
  return std::ranges::any_of(causes(),
                             [&](const Cause& cause) { return cause.reason == cause_reason; });
}

bool Status::IsAmbiguous() const {
  if (ok()) return false;
  switch (reason()) {
    case StatusReason::kTransport:
    case StatusReason::kDeadlineExceeded:
    case StatusReason::kMalformed:
      return true;
    case StatusReason::kCanceled:
      return !HasCause(kNotSent);
    default:
      return http_code() >= 500;
  }
}

std::string Status::ToString() const {
  if (ok()) return "OK";
  std::string text(StatusReasonName(reason()));
  if (!message().empty()) text.append(": ").append(message());
  return text;
}

Status Status::WithContext(std::string_view context) const {
  if (ok()) return *this;
  Details details = *details_;
  details.message = std::string(context) + ": " + details.message;
  return Status(std::move(details));
}

void AppendText(std::string& out, const Status& status) { out += status.ToString(); }

}  // namespace capstan
