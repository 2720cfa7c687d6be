#pragma once

/// Reads YAML 1.1, as the API does, into a JSON value.

#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

#include "json/value.h"

namespace capstan::testing::server {

/// Returns the value of the first document of `text`, or null if there is none. `repeated` receives
/// a text for each key that occurs twice in one map. A document that expands beyond the limits
/// (aliases of aliases) is an error.
Result<json::Value> ReadYaml(std::string_view text, std::vector<std::string>& repeated);

}  // namespace capstan::testing::server
