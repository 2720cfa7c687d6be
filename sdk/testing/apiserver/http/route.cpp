#include "apiserver/http/route.h"

#include <algorithm>
#include <span>
#include <vector>

#include "apiserver/http/api_errors.h"

namespace capstan::testing::server {
namespace {

using Segments = std::span<const std::string>;

struct GroupVersion {
  std::string group;
  std::string version;
};

// Removes the group and version segments.
GroupVersion TakeGroupVersion(Segments& segments) {
  GroupVersion found;
  if (segments[0] == "api") {
    found.version = segments[1];
    segments = segments.subspan(2);
  } else {
    found = {segments[1], segments[2]};
    segments = segments.subspan(3);
  }
  return found;
}

struct MethodOfVerb {
  std::string_view verb;
  std::string_view method;
};

// The methods for one object and for its subresources.
constexpr MethodOfVerb kObjectMethods[] = {{"get", "GET"},
                                           {"create", "POST"},
                                           {"update", "PUT"},
                                           {"patch", "PATCH"},
                                           {"delete", "DELETE"}};
constexpr MethodOfVerb kCollectionMethods[] = {
    {"list", "GET"}, {"create", "POST"}, {"deletecollection", "DELETE"}};

using Methods = std::vector<std::string_view>;

bool Contains(const Methods& methods, std::string_view method) {
  return std::find(methods.begin(), methods.end(), method) != methods.end();
}

template <size_t N>
Methods MethodsOfVerbs(const std::vector<std::string>& verbs, const MethodOfVerb (&known)[N]) {
  Methods methods;
  for (const auto& [verb, method] : known) {
    if (std::find(verbs.begin(), verbs.end(), verb) != verbs.end()) methods.push_back(method);
  }
  return methods;
}

// Returns no methods if there is no such subresource.
Methods MethodsOfPart(const Resource& resource, std::string_view part) {
  const Subresource* const found = resource.FindSubresource(part);
  return found ? MethodsOfVerbs(found->verbs, kObjectMethods) : Methods();
}

Methods MethodsOf(const Route& route) {
  const Resource& resource = *route.resource;
  if (!route.subresource.empty()) return MethodsOfPart(resource, route.subresource);
  const bool everywhere = resource.namespaced && route.namespace_.empty();
  Methods methods = route.name.empty() ? MethodsOfVerbs(resource.verbs, kCollectionMethods)
                                       : MethodsOfVerbs(resource.verbs, kObjectMethods);
  // Objects are created by POST to a collection in a namespace.
  if (!route.name.empty()) std::erase(methods, "POST");
  if (everywhere) {
    std::erase_if(methods,
                  [&](std::string_view method) { return !route.name.empty() || method != "GET"; });
  }
  return methods;
}

std::string VerbOf(std::string_view method, bool one, bool watch) {
  if (method == "GET") return one ? "get" : watch ? "watch" : "list";
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  return one ? "delete" : "deletecollection";
}

// Whether the group has a built-in resource, and not only custom resources.
bool IsBuiltInGroup(const ResourceCatalog& catalog, std::string_view group) {
  const auto all = catalog.All();
  return std::any_of(all.begin(), all.end(), [&](const Resource* resource) {
    return resource->group == group && !resource->own_schema;
  });
}

// Rejects names that would change the path.
Status CheckSegment(std::string_view name) {
  std::string fault;
  if (name == "." || name == "..") fault = "may not be '" + std::string(name) + "'";
  if (name.find('%') != std::string_view::npos) fault = "may not contain '%'";
  if (fault.empty()) return Status::Ok();
  return BadRequestError("Name parameter invalid: " + Quoted(name) + ": " + fault);
}

// Parses the segments after the version: [namespaces/NAMESPACE/]RESOURCE[/NAME[/SUBRESOURCE]]
Result<Route> RouteOf(Segments segments, const GroupVersion& place,
                      const ResourceCatalog& catalog) {
  Route route;
  if (segments.size() > 2 && segments[0] == "namespaces" && segments[2] != "status" &&
      segments[2] != "finalize") {
    route.namespace_ = segments[1];
    segments = segments.subspan(2);
    if (route.namespace_.empty()) return NoSuchPathError();
  }
  if (segments.empty()) return NoSuchPathError();
  const auto is_empty = [](const std::string& segment) { return segment.empty(); };
  if (std::any_of(segments.begin(), segments.end(), is_empty)) return NoSuchPathError();
  route.resource = catalog.Find(place.group, place.version, segments[0]);
  if (!route.resource) {
    if (IsBuiltInGroup(catalog, place.group)) return NoSuchPathError();
    return route;
  }
  if (!route.resource->namespaced && !route.namespace_.empty()) return NoSuchPathError();
  if (segments.size() > 3 && !route.resource->own_schema) return NoSuchPathError();
  if (segments.size() > 1) route.name = segments[1];
  if (segments.size() > 2) route.subresource = segments[2];
  return route;
}

// Routes a custom resource. Its handler reports unknown subresources and methods, not the router.
Result<Route> CustomRoute(Route route, std::string_view method, bool watch) {
  const Resource& resource = *route.resource;
  if (resource.namespaced && route.namespace_.empty() && (method != "GET" || !route.name.empty())) {
    return NoSuchPathError();
  }
  const bool is_part = !route.subresource.empty();
  if (is_part && MethodsOfPart(resource, route.subresource).empty()) {
    return NotFoundError(resource, route.name);
  }
  if (!Contains({"GET", "POST", "PUT", "PATCH", "DELETE"}, method))
    return MethodNotSupportedError(resource, "");
  route.verb = VerbOf(method, !route.name.empty(), watch);
  if (is_part && !Contains(MethodsOfPart(resource, route.subresource), method)) {
    return MethodNotSupportedError(resource, route.verb);
  }
  if (route.name.empty() && (method == "PUT" || method == "PATCH")) {
    return BadRequestError("name must be provided");
  }
  if (Status status = CheckSegment(route.name); !status.ok()) return status;
  if (method == "POST") route.name.clear();  // the name in the object is used
  return route;
}

}  // namespace

bool IsResourcePath(const Target& target) {
  const auto& segments = target.segments;
  if (segments.empty()) return false;
  return (segments[0] == "api" && segments.size() > 2) ||
         (segments[0] == "apis" && segments.size() > 3);
}

Result<Route> FindRoute(std::string_view method, const Target& target,
                        const ResourceCatalog& catalog) {
  Segments segments = target.segments;
  const GroupVersion place = TakeGroupVersion(segments);
  // The deprecated watch path.
  const bool watch_path = segments[0] == "watch";
  if (watch_path) segments = segments.subspan(1);
  auto route = RouteOf(segments, place, catalog);
  if (!route.ok() || !route->resource) return route;
  const bool watch = target.query.GetBool("watch");
  if (route->resource->own_schema && !watch_path) {
    return CustomRoute(*std::move(route), method, watch);
  }

  const Methods methods = MethodsOf(*route);
  if (methods.empty()) return NoSuchPathError();
  if (watch_path && (!route->subresource.empty() || !Contains(methods, "GET"))) {
    return NoSuchPathError();
  }
  if (!Contains(watch_path ? Methods{"GET"} : methods, method)) return MethodNotAllowedError();
  if (Status status = CheckSegment(route->name); !status.ok()) return status;
  route->verb = watch_path ? "watch" : VerbOf(method, !route->name.empty(), watch);
  return route;
}

}  // namespace capstan::testing::server
