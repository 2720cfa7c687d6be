#pragma once

/// The path and query of requests to the Kubernetes API.
/// https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris

#include <string>
#include <string_view>

#include <capstan/api/object.h>
#include <capstan/client/client.h>
#include <capstan/runtime/status.h>

namespace capstan {

/// "/apis/apps/v1/namespaces/default/deployments". InvalidArgument if the type is not a resource,
/// or if a namespace is given and the type is not namespaced.
Result<std::string> CollectionPath(const TypeDescriptor& type, std::string_view namespace_);
/// The path of an object, or of its `subresource` unless that is "".
Result<std::string> ObjectPath(const TypeDescriptor& type, const NamespacedName& name,
                               std::string_view subresource = {});

/// The query with its leading "?", or "".
std::string QueryOf(const ListOptions& options);
std::string QueryOf(const WatchOptions& options);

/// The name of a resource in messages and metrics: "deployments.apps", or "pods".
std::string QualifiedResource(const TypeDescriptor& type);

}  // namespace capstan
