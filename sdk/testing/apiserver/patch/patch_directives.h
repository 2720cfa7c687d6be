#pragma once

// What the parts of a strategic merge patch say beside values: how to merge.

#include <string_view>

#include <capstan/runtime/status.h>

#include "json/value.h"

namespace capstan::testing::server {

inline constexpr std::string_view kPatchDirective = "$patch";
inline constexpr std::string_view kRetainKeys = "$retainKeys";
inline constexpr std::string_view kSetElementOrder = "$setElementOrder/";
inline constexpr std::string_view kDeleteFromPrimitiveList = "$deleteFromPrimitiveList/";

Status UnknownDirective(const json::Value& directive, const json::Value& map);

// Takes the null members out of maps.
void DiscardNulls(json::Value& value);
// Takes out maps with a $patch directive. Whether `value` itself stays.
bool RemoveDirectives(json::Value& value);

}  // namespace capstan::testing::server
