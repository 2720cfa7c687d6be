#pragma once

/// Facts about the built-in resources of Kubernetes, other than their types (schema.h). They are
/// read from facts/kubernetes-1.36.txt, whose header describes the format.

#include <string>
#include <string_view>
#include <vector>

namespace capstan::testing::server {

/// A column of a resource's table.
struct ColumnFacts {
  std::string name;
  std::string type;    ///< "string", "integer", "date"
  std::string format;  ///< "name" or ""
  int priority = 0;    ///< above 0: shown only with -o wide
};

struct SubresourceFacts {
  std::string name;  ///< "scale"
  std::string type;  ///< "autoscaling/v1.Scale", also the name of its schema
  std::vector<std::string> verbs;
};

struct ResourceFacts {
  std::string api_version;  ///< "apps/v1", "v1"
  std::string name;         ///< "deployments"
  std::string kind;
  bool namespaced = true;
  bool served_by_default = true;
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  std::vector<std::string> verbs;
  std::vector<SubresourceFacts> subresources;
  std::vector<ColumnFacts> columns;

  const SubresourceFacts* FindSubresource(std::string_view subresource) const;
};

/// Returns all built-in resources, in the server's preference order of groups and versions. They
/// are read at the first call.
const std::vector<ResourceFacts>& BuiltInFacts();
/// Returns the facts about `resource` ("apps/v1 deployments"), or null if there are none.
const ResourceFacts* FindFacts(std::string_view resource);

}  // namespace capstan::testing::server
