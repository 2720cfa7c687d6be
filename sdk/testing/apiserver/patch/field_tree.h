#pragma once

// The parts of an object that server-side apply tells apart, and their names in fieldsV1
// (https://github.com/kubernetes-sigs/structured-merge-diff): "f:spec" is a member of an object or
// map, "k:{\"name\":\"web\"}" an element of a list by its keys, "v:\"example.com/a\"" an element of
// a set, and "." a container itself.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/schema/schema.h"
#include "json/value.h"

namespace capstan::testing::server {

// What a schema says about a value.
struct Part {
  const ValueType* type = nullptr;  // null: nothing
  const Field* field = nullptr;     // null for elements of lists and maps

  static Part Of(const ValueType& type) { return {&type, nullptr}; }

  // Whether members (elements) of the value have owners of their own. Else it has one as a whole.
  bool IsGranularMap(const json::Value& value) const;
  bool IsGranularList(const json::Value& value) const;
  bool IsSet() const { return field && field->list == Field::Topology::kSet; }

  Part Member(std::string_view key) const;
  // Whether `key` is a field that the schema names, not a key of a map.
  bool Declares(std::string_view key) const;
  Part Element() const { return {type ? type->element : nullptr, nullptr}; }
  // An element's name in fieldsV1; nullopt when it has no value for one of its keys.
  std::optional<std::string> ElementName(const json::Value& element) const;
};

// Finds the members and elements of a value by name, however many there are. The value must outlive
// it; places are those that elements had at first.
class PartIndex {
 public:
  PartIndex(const json::Value& value, const Part& part);

  // The first one of that name, or null.
  const json::Value* Find(std::string_view name) const;
  // The places of all elements of that name, from the first on.
  std::vector<size_t> PlacesOf(std::string_view name) const;

 private:
  const json::Value& value_;
  std::multimap<std::string, size_t, std::less<>> places_;  // of a granular list's elements
};
// The key of a member with that name; nullopt when it is an element's.
std::optional<std::string_view> MemberKey(std::string_view name);
Part PartNamed(const Part& part, std::string_view name);

// Whether a node of fieldsV1 owns the value itself, not only something in it.
bool OwnsItself(const json::Value& node);

// A path as messages have it: .spec.containers[name="web"].image
void AppendPathStep(std::string& path, std::string_view name);

// The fieldsV1 of an applied configuration. Errors are texts like ".spec.foo: field not declared in
// schema".
json::Value FieldsOfConfiguration(const json::Value& configuration, const ObjectType& type,
                                  std::vector<std::string>& errors);

}  // namespace capstan::testing::server
