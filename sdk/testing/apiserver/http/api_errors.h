#pragma once

/// Creates the API's Status errors, with its codes, reasons and texts.

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
/// For a path without a route: "the server could not find the requested resource".
Status NoSuchPathError();
Status AlreadyExistsError(const Resource& resource, std::string_view name);
/// "Operation cannot be fulfilled on deployments.apps \"web\": " + why
Status ConflictError(const Resource& resource, std::string_view name, std::string_view why);
/// The text for a write with a stale resourceVersion.
inline constexpr std::string_view kStaleObject =
    "the object has been modified; please apply your changes to the latest version and try again";
Status ForbiddenError(const Resource& resource, std::string_view name, std::string_view why);
Status InvalidError(const Resource& resource, std::string_view name, const FieldErrors& errors);
/// For a kind that does not belong to a resource, e.g. ListOptions of meta.k8s.io.
Status InvalidError(std::string_view group, std::string_view kind, std::string_view name,
                    const FieldErrors& errors);
/// If `message` is empty: "the server does not allow this method on the requested resource".
Status MethodNotAllowedError(std::string message = {});
/// "create is not supported on resources of kind ...". `verb` is the verb of the request, or "".
Status MethodNotSupportedError(const Resource& resource, std::string_view verb);
/// `supported` lists the media types, separated by ", ".
Status NotAcceptableError(std::string_view supported);
/// An error of the router in front of the API, with empty details: 404, 405, 406 or 415.
Status GenericError(int code, std::string message);
Status UnsupportedMediaTypeError(std::string_view supported);
Status RequestTooLargeError(std::string message);
/// 410, for a continue token or resourceVersion that is too old.
Status ExpiredError(std::string message);
Status InternalError(std::string message);
/// 500 without a reason, for failures that the API does not map to a specific error.
Status UnknownError(std::string message);
/// For a resourceVersion newer than the current one.
Status TooLargeVersionError(uint64_t wanted, int64_t current,
                            std::optional<int> retry_after_seconds = 1);

/// The v1 Status object of an error (`status` is not OK). Its "code" is the HTTP status code.
json::Value StatusObject(const Status& status);
/// "status":"Success" with details of what was deleted.
json::Value SuccessObject(const Resource& resource, std::string_view name, std::string_view uid);

}  // namespace capstan::testing::server
