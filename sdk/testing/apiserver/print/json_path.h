#pragma once

// The JSONPath of printer columns: ".a.b", "['a.b']", "[0]", "[-1]", "[*]" and filters like
// "[?(@.type=="Ready")]". https://kubernetes.io/docs/reference/kubectl/jsonpath/

#include <optional>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace capstan::testing::server {

// What is at `path`: nothing where a member is missing. nullopt when the path is not understood.
// The pointers live as long as `value` is unchanged.
std::optional<std::vector<const json::Value*>> FindPath(const json::Value& value,
                                                        std::string_view path);

}  // namespace capstan::testing::server
