#pragma once

/// Error responses of an API server: API Statuses, and the plain text and HTML pages of proxies.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

namespace capstan {

/// The number of bytes of a body that are read to find an API Status.
inline constexpr size_t kErrorBodyLimit = 1 << 20;

/// Parses `text`, JSON or protobuf, as an API Status (kind "Status"). Returns OK if it says
/// Success, and nullopt if `text` is something else. `http_code` and `retry_after` of the response
/// replace missing fields.
std::optional<Status> ParseApiStatus(std::string_view text, int http_code,
                                     std::optional<Duration> retry_after = std::nullopt);

/// The error of a response with a code other than 2xx. If the body is not an API Status, the code
/// determines the error, and part of the body is quoted.
Status StatusOfAnswer(int http_code, std::string_view method, std::string_view body,
                      std::optional<Duration> retry_after);

/// The value of a Retry-After header in seconds; nullopt if it is empty or has the date form.
std::optional<Duration> ParseRetryAfter(std::string_view header);

}  // namespace capstan
