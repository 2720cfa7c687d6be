#pragma once

// OpenAPI v3 documents of the served kinds, one a group and version, as far as clients use them:
// schemas for `kubectl explain` and patches, and the parameters that PATCH takes.
// https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-v3

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/schema/resource.h"
#include "json/value.h"

namespace capstan::testing::server {

// `resources` are those of one group and version.
json::Value OpenApiDocument(const std::vector<const Resource*>& resources);

// Collects schemas (components.schemas) of types and of all that they refer to.
class OpenApiSchemas {
 public:
  // Adds the resource's kind and its list; gives the kind's name.
  std::string AddKind(const Resource& resource);
  // Adds a built-in type; gives its name, "io.k8s.api.core.v1.PodSpec".
  std::string AddType(const ObjectType& type);
  // Adds what a subresource is about, when it is not the resource's kind; gives its name.
  std::string AddPart(const KindName& kind);
  json::Value Take() { return std::move(schemas_); }

 private:
  json::Value SchemaOf(const ValueType& type);
  json::Value SchemaOf(const Field& field);
  json::Value SchemaOf(const ObjectType& type);
  void Describe(const Resource& resource, const std::string& name, json::Value schema);

  json::Value schemas_ = json::Value::Object();
};

}  // namespace capstan::testing::server
