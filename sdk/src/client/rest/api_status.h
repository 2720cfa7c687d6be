#pragma once

// What an API server's answers say when they are no object: API Statuses, and the plain texts and
// HTML pages of proxies.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

namespace capstan {

// How much of a body is read to find an API Status in it.
inline constexpr size_t kErrorBodyLimit = 1 << 20;

// The Status in `json` if it is an API Status (kind "Status"): OK when it says Success. nullopt
// when it is something else. `http_code` and `retry_after`, of the answer, stand in for what it
// lacks.
std::optional<Status> ParseApiStatus(std::string_view json, int http_code,
                                     std::optional<Duration> retry_after = std::nullopt);

// The error of an answer with a code other than 2xx. A body that is no API Status is judged by the
// code, and quoted in part.
Status StatusOfAnswer(int http_code, std::string_view method, std::string_view body,
                      std::optional<Duration> retry_after);

// The value of a Retry-After header in seconds; nullopt for none and for the form with a date.
std::optional<Duration> ParseRetryAfter(std::string_view header);

}  // namespace capstan
