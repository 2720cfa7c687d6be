// A text that parses gives the same value after it is written and parsed again.

#include "fuzz_target.h"
#include "json/value.h"

CAPSTAN_FUZZ_TARGET(json_value) {
  using namespace capstan;
  const auto parsed = json::ParseValue(std::string(input));
  if (!parsed.ok()) return;
  const std::string text = json::ToJson(parsed->value);
  const auto again = json::ParseValue(text);
  fuzz::Require(again.ok(), "what was written parses");
  fuzz::Require(again->value == parsed->value, "a value is the same after writing and parsing");
  fuzz::Require(again->duplicates.empty(), "no member is written twice");
  fuzz::Require(json::ToJson(again->value) == text, "a value has one text");
}
