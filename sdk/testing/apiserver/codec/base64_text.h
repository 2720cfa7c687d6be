#pragma once

/// Converts Base64 to the form that the API stores and prints.

#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

namespace capstan::testing::server {

/// Returns `text` in canonical Base64: without line breaks, with unused bits cleared. Errors:
/// BadRequest with the API's text.
Result<std::string> CanonicalBase64Text(std::string_view text);

}  // namespace capstan::testing::server
