#pragma once

/// Maps a method and path to a verb and a resource.

#include <string>
#include <string_view>

#include "apiserver/http/request.h"

namespace capstan::testing::server {

struct Route {
  /// get, list, watch, create, update, patch, delete, deletecollection. The verb of an apply is
  /// patch here, because its content type is not known yet.
  std::string verb;
  const Resource* resource = nullptr;
  std::string namespace_;
  std::string name;
  std::string subresource;
};

/// Whether the path is below a group and version that can contain resources: /api/v1/...,
/// /apis/GROUP/VERSION/...
bool IsResourcePath(const Target& target);

/// Errors: NotFound if there is no such path, and MethodNotAllowed. A Route without a resource is a
/// path in a group that is not served.
Result<Route> FindRoute(std::string_view method, const Target& target,
                        const ResourceCatalog& catalog);

}  // namespace capstan::testing::server
