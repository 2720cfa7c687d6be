#pragma once

// From a method and path to what is asked of which resource.

#include <string>
#include <string_view>

#include "apiserver/http/request.h"

namespace capstan::testing::server {

struct Route {
  // get, list, watch, create, update, patch, delete, deletecollection. (An apply is a patch until
  // its content type has been seen.)
  std::string verb;
  const Resource* resource = nullptr;
  std::string namespace_;
  std::string name;
  std::string subresource;
};

// Whether the path is below a group and version that resources can be in: /api/v1/...,
// /apis/GROUP/VERSION/...
bool IsResourcePath(const Target& target);

// Errors: NotFound, when there is no such path, and MethodNotAllowed. A Route without a resource is
// a path of a group that is not served at all.
Result<Route> FindRoute(std::string_view method, const Target& target,
                        const ResourceCatalog& catalog);

}  // namespace capstan::testing::server
