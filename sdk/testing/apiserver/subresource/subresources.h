#pragma once

// What serves requests for parts of objects. kinds.cpp says which resource has which.

#include <string_view>

#include "apiserver/schema/resource.h"

namespace capstan::testing::server {

/// A part that is the object itself, of which a write changes only what the kind's strategy lets
/// it: status, finalize, approval.
Result<ApiAnswer> ServeObjectPart(Writer& writer, const ApiRequest& request, Warnings& warnings);
/// The replicas of an object as an autoscaling/v1 Scale.
Result<ApiAnswer> ServeScale(Writer& writer, const ApiRequest& request, Warnings& warnings);
/// Puts a pod on a node: pods/NAME/binding, and POST of bindings.
Result<ApiAnswer> ServeBinding(Writer& writer, const ApiRequest& request, Warnings& warnings);
/// Deletes a pod and says why.
Result<ApiAnswer> ServeEviction(Writer& writer, const ApiRequest& request, Warnings& warnings);
/// Makes a token of a service account.
Result<ApiAnswer> ServeToken(Writer& writer, const ApiRequest& request, Warnings& warnings);

/// The handler of a part of a built-in resource ("v1 pods"), or null when it is not served.
RequestHandler FindHandler(std::string_view resource, std::string_view subresource);

}  // namespace capstan::testing::server
