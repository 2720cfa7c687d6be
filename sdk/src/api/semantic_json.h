#pragma once

/// The meaning of a carried part of an object, as a text. Two parts have the same meaning exactly
/// if their semantic texts are equal (capstan/api/raw_json.h has the rules).

#include <string>

#include "base/json/json_tree.h"

namespace capstan::internal {

/// `root` must be canonical. Returns "" if its meaning is that of an absent part.
std::string SemanticText(const json::Node& root);

}  // namespace capstan::internal
