#pragma once

/// Operations on fieldsV1 trees and on metadata.managedFields entries.

#include <functional>
#include <string>
#include <vector>

#include "apiserver/patch/field_tree.h"
#include "json/value.h"

namespace capstan::testing::server {

/// One entry of metadata.managedFields.
struct ManagedFields {
  json::Value entry;  ///< without fieldsV1
  json::Value fields;

  bool IsApplierOf(const std::string& manager, const std::string& subresource) const;
  /// Returns the manager's name in error texts: `"kubectl"`, `"kubectl" with subresource "status"`.
  std::string ManagerText() const;
};
std::vector<ManagedFields> ReadManagedFields(const json::Value& object);
/// Writes the entries in the API's order. Entries that own nothing are omitted.
void WriteManagedFields(json::Value& object, std::vector<ManagedFields> all);

/// How the values of an owned field differ.
enum class FieldChange : uint8_t { kNone, kAddedOrModified, kRemoved };

/// Returns `fields` without the fields that differ between `before` and `after`. `changed` receives
/// the paths of the added and modified fields, in the API's order.
json::Value KeepUnchanged(const json::Value& fields, const json::Value& before,
                          const json::Value& after, const Part& part, const std::string& path,
                          std::vector<std::string>& changed);

/// Removes from `value` the fields that `last` owns and none of `owners` owns.
void Prune(json::Value& value, const Part& part, const json::Value& last,
           const std::vector<const json::Value*>& owners);

}  // namespace capstan::testing::server
