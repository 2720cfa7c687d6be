#pragma once

/// Builds the meta.k8s.io/v1 Tables that `kubectl get` requests.

#include <string_view>
#include <vector>

#include <capstan/runtime/clock.h>

#include "apiserver/schema/resource.h"
#include "json/value.h"

namespace capstan::testing::server {

/// Returns the metadata of an object as a PartialObjectMetadata.
json::Value PartialObject(const json::Value& object, std::string_view api_version);

/// Returns a table with one row per object. `include` is the value of includeObject: "" and
/// "Metadata" (a PartialObjectMetadata), "Object" or "None". Ages are relative to `now`.
json::Value TableOf(const Resource& resource, const std::vector<const json::Value*>& objects,
                    const json::Value& list_metadata, std::string_view include, WallTime now);

}  // namespace capstan::testing::server
