#include "apiserver/http/api_errors.h"

#include <chrono>
#include <utility>

#include "apiserver/schema/resource.h"

namespace capstan::testing::server {
namespace {

Status ErrorOf(int code, StatusReason reason, std::string message) {
  Status::Details details;
  details.reason = reason;
  details.http_code = code;
  details.message = std::move(message);
  return Status(std::move(details));
}

// An error about one object. The details name the object.
Status ObjectError(int code, StatusReason reason, const Resource& resource, std::string_view name,
                   std::string message) {
  Status::Details details;
  details.reason = reason;
  details.http_code = code;
  details.message = std::move(message);
  details.group = resource.group;
  details.kind = resource.name;
  details.name = name;
  return Status(std::move(details));
}

// `deployments.apps "web"`
std::string Named(const Resource& resource, std::string_view name) {
  return resource.QualifiedName() + " " + Quoted(name);
}

Status WithRetry(int code, StatusReason reason, std::string message,
                 std::optional<int> retry_after_seconds, std::vector<Status::Cause> causes = {}) {
  Status::Details details;
  details.reason = reason;
  details.http_code = code;
  details.message = std::move(message);
  details.causes = std::move(causes);
  if (retry_after_seconds) details.retry_after = std::chrono::seconds(*retry_after_seconds);
  return Status(std::move(details));
}

json::Value CausesOf(const Status& status) {
  json::Value causes = json::Value::Array();
  for (const Status::Cause& cause : status.causes()) {
    json::Value one = json::Value::Object();
    if (!cause.reason.empty()) one.Set("reason", cause.reason);
    if (!cause.message.empty()) one.Set("message", cause.message);
    if (!cause.field.empty()) one.Set("field", cause.field);
    causes.Append(std::move(one));
  }
  return causes;
}

void SetUnlessEmpty(json::Value& object, std::string_view key, json::Value value) {
  if (!value.IsEmpty()) object.Set(key, std::move(value));
}

json::Value DetailsOf(const Status& status) {
  json::Value details = json::Value::Object();
  if (const Status::Details* known = status.details()) {
    SetUnlessEmpty(details, "name", known->name);
    SetUnlessEmpty(details, "group", known->group);
    SetUnlessEmpty(details, "kind", known->kind);
  }
  SetUnlessEmpty(details, "causes", CausesOf(status));
  if (const auto retry = status.retry_after()) {
    SetUnlessEmpty(details, "retryAfterSeconds",
                   std::chrono::duration_cast<std::chrono::seconds>(*retry).count());
  }
  return details;
}

// Returns the code and reason of a Status. A failure inside the server may have no HTTP code.
std::pair<int, std::string_view> CodeAndReason(const Status& status) {
  switch (status.reason()) {
    case StatusReason::kMalformed:
    case StatusReason::kInvalidArgument:
      return {400, "BadRequest"};
    case StatusReason::kUnknown:
      return {status.http_code() ? status.http_code() : 500, ""};
    case StatusReason::kOk:
    case StatusReason::kCanceled:
    case StatusReason::kDeadlineExceeded:
    case StatusReason::kTransport:
      return {500, "InternalError"};
    default:
      return {status.http_code() ? status.http_code() : 500, StatusReasonName(status.reason())};
  }
}

// Whether the Status object has a "details" member. It may be empty: for errors of the router (404,
// 405, and 406 and 415 whose text begins with the code) and for patches that are rejected without a
// reason (422).
bool HasDetails(const Status& status, const json::Value& details) {
  const int code = status.http_code();
  if (code == 422) return true;
  if (!details.IsEmpty() || code == 404 || code == 405) return true;
  return (code == 406 || code == 415) && status.message().starts_with(std::to_string(code) + ": ");
}

json::Value StatusEnvelope() {
  return json::Value::Object(
      {{"kind", "Status"}, {"apiVersion", "v1"}, {"metadata", json::Value::Object()}});
}

}  // namespace

Status BadRequestError(std::string message) {
  return ErrorOf(400, StatusReason::kBadRequest, std::move(message));
}

Status NotFoundError(const Resource& resource, std::string_view name) {
  return ObjectError(404, StatusReason::kNotFound, resource, name,
                     Named(resource, name) + " not found");
}

Status NoSuchPathError() {
  return ErrorOf(404, StatusReason::kNotFound, "the server could not find the requested resource");
}

Status AlreadyExistsError(const Resource& resource, std::string_view name) {
  return ObjectError(409, StatusReason::kAlreadyExists, resource, name,
                     Named(resource, name) + " already exists");
}

Status ConflictError(const Resource& resource, std::string_view name, std::string_view why) {
  return ObjectError(
      409, StatusReason::kConflict, resource, name,
      "Operation cannot be fulfilled on " + Named(resource, name) + ": " + std::string(why));
}

Status ForbiddenError(const Resource& resource, std::string_view name, std::string_view why) {
  std::string subject = name.empty() ? resource.QualifiedName() : Named(resource, name);
  return ObjectError(403, StatusReason::kForbidden, resource, name,
                     std::move(subject) + " is forbidden: " + std::string(why));
}

Status InvalidError(const Resource& resource, std::string_view name, const FieldErrors& errors) {
  // Events are validated in their stored form, core/v1.
  const bool events = resource.group == "events.k8s.io";
  return InvalidError(events ? std::string_view() : std::string_view(resource.group), resource.kind,
                      name, errors);
}

Status InvalidError(std::string_view group, std::string_view kind, std::string_view name,
                    const FieldErrors& errors) {
  Status::Details details;
  details.reason = StatusReason::kInvalid;
  details.http_code = 422;
  details.group = group;
  details.kind = kind;
  details.name = name;
  details.message = kind;
  if (!group.empty()) details.message.append(".").append(group);
  details.message += " " + Quoted(name) + " is invalid";
  if (!errors.empty()) details.message += ": " + errors.ToString();
  for (const FieldError& error : errors.all()) {
    details.causes.push_back({std::string(error.Reason()), error.Body(), error.field});
  }
  return Status(std::move(details));
}

Status MethodNotAllowedError(std::string message) {
  if (message.empty()) message = "the server does not allow this method on the requested resource";
  return ErrorOf(405, StatusReason::kMethodNotAllowed, std::move(message));
}

Status MethodNotSupportedError(const Resource& resource, std::string_view verb) {
  return ObjectError(405, StatusReason::kMethodNotAllowed, resource, {},
                     std::string(verb) + " is not supported on resources of kind " +
                         Quoted(resource.QualifiedName()));
}

Status NotAcceptableError(std::string_view supported) {
  return ErrorOf(406, StatusReason::kNotAcceptable,
                 "only the following media types are accepted: " + std::string(supported));
}

Status GenericError(int code, std::string message) {
  const StatusReason reason = code == 404   ? StatusReason::kNotFound
                              : code == 405 ? StatusReason::kMethodNotAllowed
                              : code == 406 ? StatusReason::kNotAcceptable
                                            : StatusReason::kUnsupportedMediaType;
  return ErrorOf(code, reason, std::move(message));
}

Status UnsupportedMediaTypeError(std::string_view supported) {
  return ErrorOf(
      415, StatusReason::kUnsupportedMediaType,
      "the body of the request was in an unknown format - accepted media types include: " +
          std::string(supported));
}

Status RequestTooLargeError(std::string message) {
  return ErrorOf(413, StatusReason::kRequestEntityTooLarge,
                 "Request entity too large: " + std::move(message));
}

Status ExpiredError(std::string message) {
  return ErrorOf(410, StatusReason::kExpired, std::move(message));
}

Status InternalError(std::string message) {
  Status::Details details;
  details.reason = StatusReason::kInternalError;
  details.http_code = 500;
  details.causes.push_back({.reason = {}, .message = message, .field = {}});
  details.message = "Internal error occurred: " + std::move(message);
  return Status(std::move(details));
}

Status UnknownError(std::string message) {
  return ErrorOf(500, StatusReason::kUnknown, std::move(message));
}

Status TooLargeVersionError(uint64_t wanted, int64_t current,
                            std::optional<int> retry_after_seconds) {
  return WithRetry(504, StatusReason::kTimeout,
                   "Timeout: Too large resource version: " + std::to_string(wanted) +
                       ", current: " + std::to_string(current),
                   retry_after_seconds,
                   {{"ResourceVersionTooLarge", "Too large resource version", {}}});
}

json::Value StatusObject(const Status& status) {
  const auto [code, reason] = CodeAndReason(status);
  json::Value object = StatusEnvelope();
  object.Set("status", "Failure");
  SetUnlessEmpty(object, "message", status.message());
  SetUnlessEmpty(object, "reason", reason);
  json::Value details = DetailsOf(status);
  if (HasDetails(status, details)) object.Set("details", std::move(details));
  object.Set("code", code);
  return object;
}

json::Value SuccessObject(const Resource& resource, std::string_view name, std::string_view uid) {
  json::Value object = StatusEnvelope();
  object.Set("status", "Success");
  json::Value details = json::Value::Object();
  SetUnlessEmpty(details, "name", name);
  SetUnlessEmpty(details, "group", resource.group);
  SetUnlessEmpty(details, "kind", resource.name);
  SetUnlessEmpty(details, "uid", uid);
  object.Set("details", std::move(details));
  return object;
}

}  // namespace capstan::testing::server
