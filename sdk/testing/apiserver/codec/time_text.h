#pragma once

// Times (RFC 3339) in the form that the API stores and shows them.

#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

namespace capstan::testing::server {

// "2026-01-02T03:04:05+01:00" is "2026-01-02T02:04:05Z"; fractions of a second are dropped, or with
// `microseconds` asked for and given six digits. The zero time (of the year 1) is "". An error
// (BadRequest) has the API's text. One more error than there: a time that UTC puts into the year -1
// or 10000, which the API takes and then shows as a text that nobody, itself included, reads.
Result<std::string> CanonicalTimeText(std::string_view text, bool microseconds);

}  // namespace capstan::testing::server
