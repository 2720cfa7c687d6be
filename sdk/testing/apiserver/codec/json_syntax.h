#pragma once

/// Describes syntax and type errors of JSON texts with the texts of the API's JSON reader.

#include <string>
#include <string_view>

namespace capstan::json {
class Value;
}

namespace capstan::testing::server {

/// Returns the syntax error of `text`, or "" if the syntax is valid: "invalid character '}' looking
/// for beginning of value", "unexpected end of JSON input".
std::string JsonSyntaxError(std::string_view text);

/// The type name of a JSON value in error texts: "null", "bool", "number", "string", "array",
/// "object".
std::string_view JsonName(const json::Value& value);

}  // namespace capstan::testing::server
