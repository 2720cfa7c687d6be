#pragma once

// The scale subresource: an autoscaling/v1 Scale as a view of an object.

#include <string>

#include "apiserver/schema/resource.h"

namespace capstan::testing::server {

// `object` as a Scale. An error when it has no replicas where the resource says they are.
Result<json::Value> ScaleOf(const Resource& resource, const json::Value& object);
// `object` with the replicas (and the resourceVersion, as a precondition) of `scale`. Errors:
// Invalid, BadRequest.
Result<json::Value> Scaled(const Resource& resource, const json::Value& object,
                           const json::Value& scale);
// A LabelSelector as text: "app=web,tier in (a,b)". Malformed parts are left out.
std::string SelectorText(const json::Value& selector);

}  // namespace capstan::testing::server
