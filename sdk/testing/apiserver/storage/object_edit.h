#pragma once

/// Applies many changes to one object. A Value keeps its members sorted in one array, so n separate
/// insertions or removals take O(n^2) steps. ObjectEdit applies them all at once in Finish.

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "json/value.h"

namespace capstan::testing::server {

/// The object must not be accessed otherwise until Finish.
class ObjectEdit {
 public:
  explicit ObjectEdit(json::Value& object) : object_(object) {}
  ~ObjectEdit() { Finish(); }
  ObjectEdit(const ObjectEdit&) = delete;
  ObjectEdit& operator=(const ObjectEdit&) = delete;

  /// Same as the functions of Value with these names. References are valid until Finish.
  const json::Value* Find(std::string_view key) const;
  json::Value& Mutable(std::string_view key);
  void Set(std::string_view key, json::Value value) { Mutable(key) = std::move(value); }
  void Erase(std::string_view key);
  void Finish();

 private:
  json::Value& object_;
  std::map<std::string, json::Value, std::less<>> added_;
  std::set<std::string, std::less<>> erased_;  // not yet removed from the object
};

}  // namespace capstan::testing::server
