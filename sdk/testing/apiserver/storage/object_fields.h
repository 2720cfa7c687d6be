#pragma once

/// Accessors of object fields. A null field counts as absent.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/value.h"

namespace capstan::testing::server {

inline bool Has(const json::Value& object, std::string_view field) {
  const json::Value* value = object.Find(field);
  return value && !value->IsNull();
}

inline void SetIfAbsent(json::Value& object, std::string_view field, json::Value value) {
  if (!Has(object, field)) object.Set(field, std::move(value));
}

inline void EraseIfEmpty(json::Value& object, std::string_view field) {
  if (const json::Value* value = object.Find(field); value && value->IsEmpty()) object.Erase(field);
}

inline json::Value ArrayOf(const std::vector<std::string>& texts) {
  json::Value array = json::Value::Array();
  for (const std::string& text : texts) array.Append(text);
  return array;
}

}  // namespace capstan::testing::server
