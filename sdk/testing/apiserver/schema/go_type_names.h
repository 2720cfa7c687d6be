#pragma once

/// The names of Go types, which error texts contain.

#include <string>
#include <string_view>

namespace capstan::testing::server {

/// Returns the named Go type of a string or map field: for ("Taint", "effect") it is
/// "v1.TaintEffect". For a list field it is the type of the elements. "" for a plain string or map.
std::string_view GoTypeName(std::string_view object, std::string_view field);

/// Returns the struct that Go embeds in `object` for this field, with a leading dot, or "".
std::string GoEmbeddedStruct(std::string_view object, std::string_view field);

}  // namespace capstan::testing::server
