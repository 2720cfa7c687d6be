#pragma once

// The meaning of a carried part of an object, as a text: two parts mean the same exactly when their
// semantic texts are equal (capstan/api/raw_json.h tells the rules).

#include <string>

#include "base/json/json_tree.h"

namespace capstan::internal {

// Of a canonical tree. "" when it means as much as an absent part.
std::string SemanticText(const json::Node& root);

}  // namespace capstan::internal
