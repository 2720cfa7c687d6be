#pragma once

/// Reads the texts of facts/: the table generated from a Kubernetes version, and our additions. The
/// header of each text describes its format.

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

  /// Adds the resources and types of `text`, which consists of whole lines of a table. Types may
  /// refer to types that come later, also in another text.
  Status Read(std::string_view text);
  /// Adds descriptions and defaults from `text`, which consists of whole lines of descriptions.txt.
  /// Call it after all tables are read.
  Status Describe(std::string_view text);
  /// Sorts the fields and reports undefined types. Call it last.
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
  // Qualifies a name without a package with the current package.
  std::string Qualified(std::string_view name) const;
  ObjectType* Object(std::string_view qualified);
  void AddShortNames();
  void AddMember(std::string_view name, std::string_view description);

  SchemaSet& set_;
  std::vector<ResourceFacts>& resources_;
  std::string package_;  // "apps/v1"
  std::string openapi_package_;
  ObjectType* current_ = nullptr;    // null between resources
  ObjectType* described_ = nullptr;  // set by Describe
  std::set<std::string, std::less<>> defined_;
};

}  // namespace capstan::testing::server
