#pragma once

/// The directives in a strategic merge patch, which say how to merge.

#include <string_view>

#include <capstan/runtime/status.h>

#include "json/value.h"

namespace capstan::testing::server {

inline constexpr std::string_view kPatchDirective = "$patch";
inline constexpr std::string_view kRetainKeys = "$retainKeys";
inline constexpr std::string_view kSetElementOrder = "$setElementOrder/";
inline constexpr std::string_view kDeleteFromPrimitiveList = "$deleteFromPrimitiveList/";

Status UnknownDirective(const json::Value& directive, const json::Value& map);

/// Removes null members from maps, recursively.
void DiscardNulls(json::Value& value);
/// Removes maps that have a $patch directive. Returns false if `value` itself must be removed.
bool RemoveDirectives(json::Value& value);

}  // namespace capstan::testing::server
