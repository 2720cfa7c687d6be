#pragma once

/// Checks of lists in a strategic merge patch. Errors have the API's texts.

#include <string>

#include <capstan/runtime/status.h>

#include "json/value.h"

namespace capstan::testing::server {

Status NoMergeKey(const json::Value& map, const std::string& merge_key);

/// The elements of both lists must all be maps, or all be scalars of one type.
Status CheckElements(const json::Value& original, const json::Value& patch);
/// All elements must be maps that have the key.
Status CheckMergeKey(const json::Value& list, const std::string& merge_key);
/// The elements of `patch` must occur in `order`, and in the same order.
Status CheckOrder(const json::Value& patch, const json::Value& order, const std::string& merge_key);

}  // namespace capstan::testing::server
