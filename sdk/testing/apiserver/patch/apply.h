#pragma once

// Server-side apply (KEP-555) and the bookkeeping of metadata.managedFields that it needs.
//
// Only appliers own fields here. Writes by other means own nothing, so that an apply never
// conflicts with them; they end the ownership of what they change.

#include <string>

#include <capstan/runtime/status.h>

#include "apiserver/schema/schema.h"
#include "json/value.h"

namespace capstan::testing::server {

struct ApplyOptions {
  std::string field_manager;
  bool force = false;
  std::string subresource;  // "" or "status"
  std::string api_version;  // of the request, "apps/v1"
  std::string now;          // RFC 3339
};

// `live` with the configuration `applied` merged into it: fields the manager owned and no longer
// applies are removed if nobody else owns them, managedFields are brought up to date. A field that
// another manager applied with another value is a Conflict (409) whose causes name each field and
// manager, unless forced. `live` is null for an object that does not exist yet. The result may
// have nulls; Conform takes them out. What is unchanged is `live` itself.
Result<json::Value> ApplyConfiguration(const json::Value& live, const json::Value& applied,
                                       const ObjectType& type, const ApplyOptions& options);

// After a write that was no apply: who applied a field that `after` no longer has, or has with
// another value, does not own it any more. Does nothing to objects that nobody applied.
void DropLostOwnership(const json::Value& before, json::Value& after, const ObjectType& type);

}  // namespace capstan::testing::server
