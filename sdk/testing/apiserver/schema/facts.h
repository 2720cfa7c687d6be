#pragma once

// What Kubernetes says of its built-in resources, beside their types (schema.h). Read from
// facts/kubernetes-1.36.txt, whose head describes its form.

#include <string>
#include <string_view>
#include <vector>

namespace capstan::testing::server {

/// A column of a resource's table.
struct ColumnFacts {
  std::string name;
  std::string type;    // "string", "integer", "date"
  std::string format;  // "name" or ""
  int priority = 0;    // over 0: only with -o wide
};

struct SubresourceFacts {
  std::string name;  // "scale"
  std::string type;  // "autoscaling/v1.Scale", which is also the name of its schema
  std::vector<std::string> verbs;
};

struct ResourceFacts {
  std::string api_version;  // "apps/v1", "v1"
  std::string name;         // "deployments"
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

/// All built-in resources, in the order in which the server prefers groups and versions. Made at
/// the first call.
const std::vector<ResourceFacts>& BuiltInFacts();
/// `resource` is "apps/v1 deployments". Null when there is none.
const ResourceFacts* FindFacts(std::string_view resource);

}  // namespace capstan::testing::server
