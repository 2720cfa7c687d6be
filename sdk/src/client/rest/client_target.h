#pragma once

// The path and query of requests to the Kubernetes API.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris

#include <string>
#include <string_view>

#include <capstan/api/object.h>
#include <capstan/client/client.h>
#include <capstan/runtime/status.h>

namespace capstan {

// "/apis/apps/v1/namespaces/default/deployments". InvalidArgument when the type is no resource, or
// has no namespaces and is given one.
Result<std::string> CollectionPath(const TypeDescriptor& type, std::string_view namespace_);
// The path of one object, and of one of its subresources unless that is "".
Result<std::string> ObjectPath(const TypeDescriptor& type, const NamespacedName& name,
                               std::string_view subresource = {});

// "?...", or "".
std::string QueryOf(const ListOptions& options);
std::string QueryOf(const WatchOptions& options);

// "deployments.apps", or "pods": how a resource is called in messages and metrics.
std::string QualifiedResource(const TypeDescriptor& type);

}  // namespace capstan
