#pragma once

/// The handlers of subresources. kinds.cpp says which resource has which.

#include <string_view>

#include "apiserver/schema/resource.h"

namespace capstan::testing::server {

/// Serves subresources that have the object's kind: status, finalize, approval. The strategy of the
/// kind decides what a write can change.
Result<ApiAnswer> ServeObjectPart(Writer& writer, const ApiRequest& request, Warnings& warnings);
/// Serves the replicas of an object as an autoscaling/v1 Scale.
Result<ApiAnswer> ServeScale(Writer& writer, const ApiRequest& request, Warnings& warnings);
/// Binds a pod to a node: pods/NAME/binding, and POST of bindings.
Result<ApiAnswer> ServeBinding(Writer& writer, const ApiRequest& request, Warnings& warnings);
/// Deletes a pod and records the reason.
Result<ApiAnswer> ServeEviction(Writer& writer, const ApiRequest& request, Warnings& warnings);
/// Creates a token of a service account.
Result<ApiAnswer> ServeToken(Writer& writer, const ApiRequest& request, Warnings& warnings);

/// Returns the handler of a subresource of a built-in resource ("v1 pods"), or null if it is not
/// served.
RequestHandler FindHandler(std::string_view resource, std::string_view subresource);

}  // namespace capstan::testing::server
