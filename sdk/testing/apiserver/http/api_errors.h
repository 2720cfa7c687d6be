#pragma once

// The Status answers of the API, by their cause, with its codes, reasons and texts.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

#include "apiserver/validation/field_error.h"
#include "json/value.h"

namespace capstan::testing::server {

struct Resource;

Status BadRequestError(std::string message);
Status NotFoundError(const Resource& resource, std::string_view name);
// A path that leads nowhere: "the server could not find the requested resource".
Status NoSuchPathError();
Status AlreadyExistsError(const Resource& resource, std::string_view name);
// "Operation cannot be fulfilled on deployments.apps \"web\": " + why
Status ConflictError(const Resource& resource, std::string_view name, std::string_view why);
// The text of a write whose resourceVersion is stale.
inline constexpr std::string_view kStaleObject =
    "the object has been modified; please apply your changes to the latest version and try again";
Status ForbiddenError(const Resource& resource, std::string_view name, std::string_view why);
Status InvalidError(const Resource& resource, std::string_view name, const FieldErrors& errors);
// Of a kind that is no resource's, e.g. ListOptions of meta.k8s.io.
Status InvalidError(std::string_view group, std::string_view kind, std::string_view name,
                    const FieldErrors& errors);
// Without a message: "the server does not allow this method on the requested resource".
Status MethodNotAllowedError(std::string message = {});
// "create is not supported on resources of kind ...": `verb` is one of a request's, or "".
Status MethodNotSupportedError(const Resource& resource, std::string_view verb);
// `supported`: the media types, with ", " between them.
Status NotAcceptableError(std::string_view supported);
// What the router in front of the API says, with empty details: 404, 405, 406, 415.
Status GenericError(int code, std::string message);
Status UnsupportedMediaTypeError(std::string_view supported);
Status RequestTooLargeError(std::string message);
// 410: a continue token or resourceVersion that is too old.
Status ExpiredError(std::string message);
Status InternalError(std::string message);
// 500 without a reason: what the API makes of a failure that it has no answer for.
Status UnknownError(std::string message);
// A resourceVersion of the future.
Status TooLargeVersionError(uint64_t wanted, int64_t current,
                            std::optional<int> retry_after_seconds = 1);

// The v1 Status object of an error (`status` is not OK). Its "code" is the HTTP status code.
json::Value StatusObject(const Status& status);
// "status":"Success" with details of what was deleted.
json::Value SuccessObject(const Resource& resource, std::string_view name, std::string_view uid);

}  // namespace capstan::testing::server
