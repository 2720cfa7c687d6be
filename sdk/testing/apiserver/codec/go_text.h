#pragma once

/// Prints JSON values as Go's %v does. The API uses this form in some of its texts.

#include <string>
#include <string_view>

#include "json/value.h"

namespace capstan::testing::server {

/// "map[name:web ports:[80 443]]"
std::string GoText(const json::Value& value);
/// "int64", "map[string]interface {}"
std::string_view GoTypeName(const json::Value& value);

}  // namespace capstan::testing::server
