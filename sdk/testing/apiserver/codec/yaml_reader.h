#pragma once

// YAML (1.1, as the API reads it) as a JSON value.

#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

#include "json/value.h"

namespace capstan::testing::server {

// The value of the first document of `text`; null when there is none. `repeated` gets a text for
// each key that is there twice in one map. What grows beyond bounds (aliases of aliases of ...) is
// an error.
Result<json::Value> ReadYaml(std::string_view text, std::vector<std::string>& repeated);

}  // namespace capstan::testing::server
