#pragma once

// What is wrong with a text that is not JSON, or not the JSON that was asked for, in the words of
// the API's JSON reader.

#include <string>
#include <string_view>

namespace capstan::json {
class Value;
}

namespace capstan::testing::server {

// "invalid character '}' looking for beginning of value", "unexpected end of JSON input", or ""
// when the syntax is right.
std::string JsonSyntaxError(std::string_view text);

// As errors call the type of a JSON value: "null", "bool", "number", "string", "array", "object".
std::string_view JsonName(const json::Value& value);

}  // namespace capstan::testing::server
