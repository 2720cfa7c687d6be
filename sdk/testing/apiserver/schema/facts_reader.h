#pragma once

// Reads the texts of facts/: the table that is made from a version of Kubernetes, and what we add
// to it. The head of each text describes its form.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

#include "apiserver/schema/facts.h"
#include "apiserver/schema/schema.h"

namespace capstan::testing::server {

class FactsReader {
 public:
  FactsReader(SchemaSet& set, std::vector<ResourceFacts>& resources)
      : set_(set), resources_(resources) {}

  /// Adds the resources and types of `text`, whole lines of a table. What types refer to may come
  /// later, also in another text.
  Status Read(std::string_view text);
  /// Adds descriptions and defaults, whole lines of descriptions.txt. Call after all tables.
  Status Describe(std::string_view text);
  /// Call at the end: sorts the fields, and finds types that nobody defined.
  Status Finish();

 private:
  using Words = std::vector<std::string_view>;

  Status ReadLine(std::string_view line);
  Status ReadResource(const Words& words);
  Status ReadSubresource(const Words& words);
  Status ReadColumns(std::string_view text);
  Status ReadPackage(const Words& words);
  Status ReadType(const Words& words, bool is_kind);
  Status ReadField(const Words& words);
  Status DescribeLine(std::string_view line);

  ValueType TypeOf(std::string_view text);
  // A name without a package is in the present one.
  std::string Qualified(std::string_view name) const;
  ObjectType* Object(std::string_view qualified);
  void AddShortNames();
  void AddMember(std::string_view name, std::string_view description);

  SchemaSet& set_;
  std::vector<ResourceFacts>& resources_;
  std::string package_;  // "apps/v1"
  std::string openapi_package_;
  ObjectType* current_ = nullptr;    // null between resources
  ObjectType* described_ = nullptr;  // by Describe
  std::set<std::string, std::less<>> defined_;
};

}  // namespace capstan::testing::server
