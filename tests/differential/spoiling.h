#pragma once

#include <string>

#include "dice.h"
#include "json/value.h"

namespace capstan::differential {

// Makes something about an object wrong, or at least unusual.
json::Value Spoiled(json::Value object, Dice& dice);
// Makes something about a text wrong: torn, repeated, no JSON at all.
std::string SpoiledText(std::string text, Dice& dice);

}  // namespace capstan::differential
