#pragma once

#include <string>

#include "dice.h"
#include "json/value.h"

namespace capstan::differential {

// Makes a part of an object invalid, or at least unusual.
json::Value Malformed(json::Value object, Dice& dice);
// Makes a text invalid: truncated, repeated, not JSON.
std::string MalformedText(std::string text, Dice& dice);

}  // namespace capstan::differential
