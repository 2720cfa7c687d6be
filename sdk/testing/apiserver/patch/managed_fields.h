#pragma once

// Operations on fieldsV1 trees and on the entries of metadata.managedFields.

#include <functional>
#include <string>
#include <vector>

#include "apiserver/patch/field_tree.h"
#include "json/value.h"

namespace capstan::testing::server {

// One entry of metadata.managedFields.
struct ManagedFields {
  json::Value entry;  // without fieldsV1
  json::Value fields;

  bool IsApplierOf(const std::string& manager, const std::string& subresource) const;
  // As messages name a manager: `"kubectl"`, `"kubectl" with subresource "status"`.
  std::string ManagerText() const;
};
std::vector<ManagedFields> ReadManagedFields(const json::Value& object);
// In the API's order. Entries that own nothing are left out.
void WriteManagedFields(json::Value& object, std::vector<ManagedFields> all);

// How the values at an owned place differ.
enum class FieldChange : uint8_t { kNone, kAddedOrModified, kRemoved };

// `fields` without what differs between `before` and `after`. `changed` gets the path of each that
// was added or modified, in the API's order.
json::Value KeepUnchanged(const json::Value& fields, const json::Value& before,
                          const json::Value& after, const Part& part, const std::string& path,
                          std::vector<std::string>& changed);

// Takes what `last` owned, and none of `owners` owns, out of `value`.
void Prune(json::Value& value, const Part& part, const json::Value& last,
           const std::vector<const json::Value*>& owners);

}  // namespace capstan::testing::server
