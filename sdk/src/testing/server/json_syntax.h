#pragma once

// What is wrong with a text that is not JSON, in the words of the API's JSON reader.

#include <string>
#include <string_view>

namespace capstan::testing::server {

// "invalid character '}' looking for beginning of value", "unexpected end of JSON input", or ""
// when the syntax is right.
std::string JsonSyntaxError(std::string_view text);

}  // namespace capstan::testing::server
