#pragma once

/// Builds OpenAPI v3 documents of the served kinds, one per group and version. They contain what
/// clients use: schemas for `kubectl explain` and for patches, and the parameters of PATCH.
/// https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-v3

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/schema/resource.h"
#include "json/value.h"

namespace capstan::testing::server {

/// `resources` belong to one group and version.
json::Value OpenApiDocument(const std::vector<const Resource*>& resources);

/// Collects the schemas (components.schemas) of types and of the types they refer to.
class OpenApiSchemas {
 public:
  /// Adds the resource's kind and its list kind. Returns the name of the kind.
  std::string AddKind(const Resource& resource);
  /// Adds a built-in type. Returns its name, "io.k8s.api.core.v1.PodSpec".
  std::string AddType(const ObjectType& type);
  /// Adds the kind of a subresource whose kind differs from the resource's. Returns its name.
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
