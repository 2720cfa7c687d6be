#pragma once

// What the lists of a strategic merge patch must be like. Errors are the API's.

#include <string>

#include <capstan/runtime/status.h>

#include "json/value.h"

namespace capstan::testing::server {

Status NoMergeKey(const json::Value& map, const std::string& merge_key);

// The elements of both lists must all be maps, or all be scalars of one type.
Status CheckElements(const json::Value& original, const json::Value& patch);
// All elements must be maps that have the key.
Status CheckMergeKey(const json::Value& list, const std::string& merge_key);
// The elements of `patch` must be in `order`, and come as they do there.
Status CheckOrder(const json::Value& patch, const json::Value& order, const std::string& merge_key);

}  // namespace capstan::testing::server
