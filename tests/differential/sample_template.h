#pragma once

#include <string>

#include "dice.h"
#include "json/value.h"

namespace capstan::differential {

// A JSON value with choices, from which random values are made:
//   {one of: [a, b]}   one of the items, the first more often than the others
//   key%30: a          a member that is there in 30 of 100 values
//   {item%30: a}       an item of a list that is there in 30 of 100 values
//   $pod               the part "pod" of samples/parts.yaml
//   $NAME              the name of the object, also within a text
class SampleTemplate {
 public:
  // `parts` maps the names of parts to templates. Both are borrowed.
  SampleTemplate(const json::Value& parts, Dice& dice) : parts_(parts), dice_(dice) {}

  // Throws std::logic_error when there is no such part.
  json::Value Filled(const json::Value& value, const std::string& name);

 private:
  json::Value FilledText(const std::string& text, const std::string& name);
  json::Value FilledMap(const json::Value& map, const std::string& name);
  json::Value FilledList(const json::Value& list, const std::string& name);
  // Removes the chance ("%30") from a key. Returns whether its value is to be there.
  bool Take(std::string& key);

  const json::Value& parts_;
  Dice& dice_;
};

}  // namespace capstan::differential
