#pragma once

/// Server-side apply (KEP-555), and the metadata.managedFields entries that it needs.
///
/// In this server only appliers own fields. Other writes own nothing, so an apply never conflicts
/// with them. A write that changes a field ends its ownership.

#include <string>

#include <capstan/runtime/status.h>

#include "apiserver/schema/schema.h"
#include "json/value.h"

namespace capstan::testing::server {

struct ApplyOptions {
  std::string field_manager;
  bool force = false;
  std::string subresource;  ///< "" or "status"
  std::string api_version;  ///< the request's version: "apps/v1"
  std::string now;          ///< RFC 3339
};

/// Merges the configuration `applied` into `live` and updates managedFields. Fields that the
/// manager owned and no longer applies are removed if no other manager owns them. If another
/// manager applied a field with another value, the result is a Conflict (409) whose causes name
/// each field and manager, unless `force` is set. `live` is null for an object that does not exist
/// yet. The result may contain nulls; Conform removes them. If neither the object nor the fields of
/// the manager change, the result is `live`, and the time of its managedFields entry does not
/// change.
Result<json::Value> ApplyConfiguration(const json::Value& live, const json::Value& applied,
                                       const ObjectType& type, const ApplyOptions& options);

/// Updates ownership after a write that is not an apply: managers lose the fields that `after`
/// removed or changed. Objects that were never applied do not change.
void DropLostOwnership(const json::Value& before, json::Value& after, const ObjectType& type);

}  // namespace capstan::testing::server
