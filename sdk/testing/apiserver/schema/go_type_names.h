#pragma once

// What Go calls the parts of an object, as its messages show them.

#include <string>
#include <string_view>

namespace capstan::testing::server {

// The type of a text or map in a field of a kind or a part of one ("Taint", "effect"):
// "v1.TaintEffect". A list's elements have it. "" for a plain text or map.
std::string_view GoTypeName(std::string_view object, std::string_view field);

// The struct that Go embeds in `object` for some of its fields, with a dot before it, or "".
std::string GoEmbeddedStruct(std::string_view object, std::string_view field);

}  // namespace capstan::testing::server
