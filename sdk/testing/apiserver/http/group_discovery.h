#pragma once

/// Builds the discovery documents: the served groups, versions and resources.
/// https://kubernetes.io/docs/concepts/overview/kubernetes-api/#discovery-api

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/schema/resource.h"
#include "json/value.h"

namespace capstan::testing::server {

struct DiscoveredSubresource {
  std::string name;  ///< "status"
  KindName kind;
  std::vector<std::string> verbs;
};

struct DiscoveredResource {
  std::string name;
  std::string singular;
  std::string kind;
  bool namespaced = true;
  std::vector<std::string> verbs;
  std::vector<std::string> short_names = {};
  std::vector<std::string> categories = {};
  std::vector<DiscoveredSubresource> subresources = {};
};

struct DiscoveredVersion {
  std::string version;
  std::vector<DiscoveredResource> resources;  ///< sorted by name
};

struct DiscoveredGroup {
  std::string name;                         ///< "" is the core group
  std::vector<DiscoveredVersion> versions;  ///< the preferred one first
};

/// Returns the groups of the catalog and of access reviews.
std::vector<DiscoveredGroup> DiscoverGroups(const ResourceCatalog& catalog);

/// Returns the name of a group and version in paths and references: "apps/v1", "v1".
std::string GroupVersionName(std::string_view group, std::string_view version);

/// Build the documents of /api, /apis, /apis/GROUP and /apis/GROUP/VERSION.
json::Value ApiVersionsDocument();
json::Value GroupListDocument(const std::vector<DiscoveredGroup>& groups);
json::Value GroupDocument(const DiscoveredGroup& group);
json::Value ResourceListDocument(const DiscoveredGroup& group, const DiscoveredVersion& version);
/// Builds the apidiscovery.k8s.io/v2 document of the core group (for /api) or of all other groups
/// (for /apis).
json::Value AggregatedDocument(const std::vector<DiscoveredGroup>& groups, bool core);

}  // namespace capstan::testing::server
