#pragma once

// Base64 in the form that the API stores and shows it.

#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

namespace capstan::testing::server {

// Without line breaks and with unused bits cleared. An error (BadRequest) has the API's text.
Result<std::string> CanonicalBase64Text(std::string_view text);

}  // namespace capstan::testing::server
