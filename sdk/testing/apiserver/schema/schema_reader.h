#pragma once

// Reads the text of schema_text.h.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

#include "apiserver/schema/schema.h"

namespace capstan::testing::server {

class SchemaReader {
 public:
  explicit SchemaReader(SchemaSet& set) : set_(set) {}

  // Adds the types of `text`. What they refer to may come later, also in another text.
  Status Read(std::string_view text);
  // Call after all texts: sorts the fields, and finds types that nobody defined.
  Status Finish();

 private:
  Status ReadLine(std::string_view line);
  Status ReadType(const std::vector<std::string_view>& words, std::string_view description);
  Status ReadField(const std::vector<std::string_view>& words, std::string_view description);
  ValueType TypeOf(std::string_view text);
  ObjectType* Object(std::string_view name);

  SchemaSet& set_;
  ObjectType* current_ = nullptr;
  std::set<std::string, std::less<>> defined_;
};

}  // namespace capstan::testing::server
