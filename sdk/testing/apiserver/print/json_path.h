#pragma once

/// Evaluates the JSONPath of printer columns: ".a.b", "['a.b']", "[0]", "[-1]", "[*]" and filters
/// like "[?(@.type=="Ready")]". https://kubernetes.io/docs/reference/kubectl/jsonpath/

#include <optional>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace capstan::testing::server {

/// Returns the values at `path`. The result is empty if a member is missing, and nullopt if the
/// path is not supported. The pointers are valid until `value` changes.
std::optional<std::vector<const json::Value*>> FindPath(const json::Value& value,
                                                        std::string_view path);

}  // namespace capstan::testing::server
