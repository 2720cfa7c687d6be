#pragma once

// meta.k8s.io/v1 Tables, as `kubectl get` asks for them.

#include <string_view>
#include <vector>

#include <capstan/runtime/clock.h>

#include "apiserver/schema/resource.h"
#include "json/value.h"

namespace capstan::testing::server {

// `objects` as rows. `include` is includeObject's value: "" and "Metadata" (a
// PartialObjectMetadata), "Object" or "None". `now` is what ages count from.
json::Value TableOf(const Resource& resource, const std::vector<const json::Value*>& objects,
                    const json::Value& list_metadata, std::string_view include, WallTime now);

}  // namespace capstan::testing::server
