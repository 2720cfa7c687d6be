#pragma once

// Many changes of one object. A value keeps its members sorted in one array, so that n members that
// come or go one by one would cost n * n steps; here they come and go at once, in the end.

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "json/value.h"

namespace capstan::testing::server {

// Nobody else may touch the object until the edit is finished.
class ObjectEdit {
 public:
  explicit ObjectEdit(json::Value& object) : object_(object) {}
  ~ObjectEdit() { Finish(); }
  ObjectEdit(const ObjectEdit&) = delete;
  ObjectEdit& operator=(const ObjectEdit&) = delete;

  // As a Value's functions of these names. References hold until the edit is finished.
  const json::Value* Find(std::string_view key) const;
  json::Value& Mutable(std::string_view key);
  void Set(std::string_view key, json::Value value) { Mutable(key) = std::move(value); }
  void Erase(std::string_view key);
  void Finish();

 private:
  json::Value& object_;
  std::map<std::string, json::Value, std::less<>> added_;
  std::set<std::string, std::less<>> erased_;  // still in the object
};

}  // namespace capstan::testing::server
