#pragma once

/// The scale subresource: an autoscaling/v1 Scale as a view of an object.

#include <string>

#include "apiserver/schema/resource.h"

namespace capstan::testing::server {

/// Returns the Scale of `object`. An error if the object has no replicas at the resource's path.
Result<json::Value> ScaleOf(const Resource& resource, const json::Value& object);
/// Returns `object` with the replicas of `scale`, and its resourceVersion as a precondition.
/// Errors: Invalid, BadRequest.
Result<json::Value> Scaled(const Resource& resource, const json::Value& object,
                           const json::Value& scale);
/// Formats a LabelSelector as text: "app=web,tier in (a,b)". Malformed parts are omitted.
std::string SelectorText(const json::Value& selector);

}  // namespace capstan::testing::server
