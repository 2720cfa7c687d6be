#pragma once

/// The parts of an object that server-side apply distinguishes, and their names in fieldsV1
/// (https://github.com/kubernetes-sigs/structured-merge-diff). "f:spec" is a member of an object or
/// map, "k:{\"name\":\"web\"}" is a list element by its keys, "v:\"example.com/a\"" is a set
/// element, and "." is the container itself.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/schema/schema.h"
#include "json/value.h"

namespace capstan::testing::server {

/// The schema of a value.
struct Part {
  const ValueType* type = nullptr;  ///< null = no schema
  const Field* field = nullptr;     ///< null for elements of lists and maps

  static Part Of(const ValueType& type) { return {&type, nullptr}; }

  /// Whether the members (elements) of the value have their own owners. Otherwise the value has one
  /// owner as a whole.
  bool IsGranularMap(const json::Value& value) const;
  bool IsGranularList(const json::Value& value) const;
  bool IsSet() const { return field && field->list == Field::Topology::kSet; }

  Part Member(std::string_view key) const;
  /// Whether `key` is a field that the schema declares, as opposed to a key of a map.
  bool Declares(std::string_view key) const;
  Part Element() const { return {type ? type->element : nullptr, nullptr}; }
  /// Returns an element's name in fieldsV1, or nullopt if the element lacks a value for one of its
  /// keys.
  std::optional<std::string> ElementName(const json::Value& element) const;
};

/// An index of the members and elements of a value by name. The value must outlive the index.
/// Positions are those at construction.
class PartIndex {
 public:
  PartIndex(const json::Value& value, const Part& part);

  /// Returns the first part with this name, or null.
  const json::Value* Find(std::string_view name) const;
  /// Returns the positions of all elements with this name, in ascending order.
  std::vector<size_t> PlacesOf(std::string_view name) const;

 private:
  const json::Value& value_;
  std::multimap<std::string, size_t, std::less<>> places_;  // elements of a granular list
};
/// Returns the key of the member with this name in fieldsV1, or nullopt if the name is an
/// element's.
std::optional<std::string_view> MemberKey(std::string_view name);
Part PartNamed(const Part& part, std::string_view name);

/// Whether a fieldsV1 node owns the value itself, and not only parts of it.
bool OwnsItself(const json::Value& node);

/// Appends a step to a path as error texts print it: .spec.containers[name="web"].image
void AppendPathStep(std::string& path, std::string_view name);

/// Returns the fieldsV1 of an applied configuration. `errors` receives texts like ".spec.foo: field
/// not declared in schema".
json::Value FieldsOfConfiguration(const json::Value& configuration, const ObjectType& type,
                                  std::vector<std::string>& errors);

}  // namespace capstan::testing::server
