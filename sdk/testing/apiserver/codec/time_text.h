#pragma once

/// Converts RFC 3339 times to the form that the API stores and prints.

#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

namespace capstan::testing::server {

/// "2026-01-02T03:04:05+01:00" becomes "2026-01-02T02:04:05Z". Fractions of a second are dropped,
/// or printed with six digits if `microseconds` is set. The zero time (in year 1) becomes "".
/// Errors: BadRequest with the API's text.
///
/// There is one difference from the API: a time whose UTC year is -1 or 10000 is an error. The API
/// accepts such a time but stores a text that no reader, including the API itself, can parse.
Result<std::string> CanonicalTimeText(std::string_view text, bool microseconds);

}  // namespace capstan::testing::server
