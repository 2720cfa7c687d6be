#pragma once

// Objects of resources that are views of the same stored objects: events of events.k8s.io/v1 are
// stored as events of core/v1, which get the members that an event always shows. Objects of all
// other resources stay as they are.

#include "apiserver/schema/resource.h"
#include "json/value.h"

namespace capstan::testing::server {

// `object` of `resource`, as the store keeps it.
json::Value ToStored(const Resource& resource, json::Value object);
// The stored `object`, as `resource` shows it.
json::Value FromStored(const Resource& resource, const json::Value& object);
// Whether `resource` shows objects in another form than the stored one.
bool IsConverted(const Resource& resource);

}  // namespace capstan::testing::server
