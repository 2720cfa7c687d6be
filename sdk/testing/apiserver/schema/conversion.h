#pragma once

/// Converts between resources that share stored objects. Events of events.k8s.io/v1 are stored as
/// core/v1 events, with the members that a core/v1 event always has. Objects of all other resources
/// are not changed.

#include "apiserver/schema/resource.h"
#include "json/value.h"

namespace capstan::testing::server {

/// Converts an object of `resource` to its stored form.
json::Value ToStored(const Resource& resource, json::Value object);
/// Converts a stored object to the form of `resource`.
json::Value FromStored(const Resource& resource, const json::Value& object);
/// Whether the form of `resource` differs from the stored form.
bool IsConverted(const Resource& resource);

}  // namespace capstan::testing::server
