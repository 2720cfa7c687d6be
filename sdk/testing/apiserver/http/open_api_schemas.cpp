#include <algorithm>
#include <array>
#include <utility>

#include "apiserver/http/group_discovery.h"
#include "apiserver/http/open_api.h"
#include "apiserver/storage/object_fields.h"

namespace capstan::testing::server {
namespace {

using json::Value;

Value Typed(std::string_view type, std::string_view format = {}) {
  Value schema = Value::Object({{"type", type}});
  if (!format.empty()) schema.Set("format", format);
  return schema;
}

Value OneOf(std::string_view a, std::string_view b) {
  return Value::Object({{"oneOf", Value::Array({Typed(a), Typed(b)})}});
}

Value Reference(const std::string& name) {
  return Value::Object({{"$ref", "#/components/schemas/" + name}});
}

// A reference that stands beside other keys has to be wrapped.
Value Wrapped(Value schema) {
  if (!schema.Find("$ref")) return schema;
  return Value::Object({{"allOf", Value::Array({std::move(schema)})}});
}

std::string Package(std::string_view group) {
  if (group.empty()) return "io.k8s.api.core.";
  if (group == "apiextensions.k8s.io") {
    return "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.";
  }
  // "coordination.k8s.io" is the package coordination.
  return "io.k8s.api." + std::string(group.substr(0, group.find('.'))) + ".";
}

// The package of a type that is part of several kinds, by its name.
std::string_view PackageOfPart(std::string_view name) {
  constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
  constexpr std::array kMetaTypes = {"Condition",     "FieldSelectorRequirement",
                                     "LabelSelector", "LabelSelectorRequirement",
                                     "ListMeta",      "ManagedFieldsEntry",
                                     "ObjectMeta",    "OwnerReference",
                                     "ShardInfo",     "DeleteOptions",
                                     "Preconditions", "Status",
                                     "StatusCause",   "StatusDetails"};
  if (std::find(kMetaTypes.begin(), kMetaTypes.end(), name) != kMetaTypes.end()) return kMeta;
  constexpr std::pair<std::string_view, std::string_view> kPrefixes[] = {
      {"Deployment", "io.k8s.api.apps.v1."},
      {"ReplicaSet", "io.k8s.api.apps.v1."},
      {"RollingUpdate", "io.k8s.api.apps.v1."},
      {"Lease", "io.k8s.api.coordination.v1."},
      {"Scale", "io.k8s.api.autoscaling.v1."},
      {"CustomResource", "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."},
      {"JSONSchemaProps", "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."},
  };
  for (const auto& [prefix, package] : kPrefixes) {
    // There are volume sources that begin with "ScaleIO".
    if (name.starts_with(prefix) && !name.starts_with("ScaleIO")) return package;
  }
  return "io.k8s.api.core.v1.";
}

// "io.k8s.api.apps.v1.Deployment", "com.example.stable.v1.CronTab"
std::string NameOfKind(const Resource& resource) {
  if (!resource.own_schema) return Package(resource.group) + resource.version + "." + resource.kind;
  std::string name;
  std::string_view group = resource.group;
  while (!group.empty()) {
    const size_t dot = group.rfind('.');
    name += std::string(dot == std::string_view::npos ? group : group.substr(dot + 1)) + ".";
    group = dot == std::string_view::npos ? "" : group.substr(0, dot);
  }
  return name + resource.version + "." + resource.kind;
}

// Whether it is a part that built-in kinds share. All others stand where they are used.
bool IsShared(const ObjectType& type) { return SchemaSet::BuiltIn().Find(type.name) == &type; }

void AddListKeys(Value& schema, const Field& field) {
  if (field.type.kind == TypeKind::kList) {
    if (field.list == Field::Topology::kMap) {
      schema.Set("x-kubernetes-list-type", "map");
      schema.Set("x-kubernetes-list-map-keys", ArrayOf(field.list_map_keys));
    } else if (field.list == Field::Topology::kSet) {
      schema.Set("x-kubernetes-list-type", "set");
    } else {
      schema.Set("x-kubernetes-list-type", "atomic");
    }
  } else if (field.atomic) {
    schema.Set("x-kubernetes-map-type", "atomic");
  }
  if (field.patch_merge || field.patch_retain_keys) {
    schema.Set("x-kubernetes-patch-strategy", !field.patch_retain_keys ? "merge"
                                              : field.patch_merge      ? "merge,retainKeys"
                                                                       : "retainKeys");
  }
  if (!field.patch_merge_key.empty()) {
    schema.Set("x-kubernetes-patch-merge-key", field.patch_merge_key);
  }
}

void AddLimits(Value& schema, const Field& field) {
  if (!field.enumeration.empty()) schema.Set("enum", ArrayOf(field.enumeration));
  if (!field.pattern.empty()) schema.Set("pattern", field.pattern);
  if (field.minimum) schema.Set("minimum", *field.minimum);
  if (field.maximum) schema.Set("maximum", *field.maximum);
  if (field.nullable) schema.Set("nullable", true);
}

}  // namespace

Value OpenApiSchemas::SchemaOf(const ValueType& type) {
  switch (type.kind) {
    case TypeKind::kString:
      return Typed("string");
    case TypeKind::kBool:
      return Typed("boolean");
    case TypeKind::kInt32:
      return Typed("integer", "int32");
    case TypeKind::kInt64:
      return Typed("integer", "int64");
    case TypeKind::kDouble:
      return Typed("number", "double");
    case TypeKind::kQuantity:
      return OneOf("string", "number");
    case TypeKind::kIntOrString: {
      Value schema = OneOf("integer", "string");
      schema.Set("format", "int-or-string");
      return schema;
    }
    case TypeKind::kTime:
    case TypeKind::kMicroTime:
      return Typed("string", "date-time");
    case TypeKind::kBytes:
      return Typed("string", "byte");
    case TypeKind::kAny:
      break;
    case TypeKind::kObject:
      if (!type.object) break;
      return IsShared(*type.object) ? Reference(AddType(*type.object)) : SchemaOf(*type.object);
    case TypeKind::kList: {
      Value schema = Typed("array");
      schema.Set("items", type.element ? Wrapped(SchemaOf(*type.element)) : Value::Object());
      return schema;
    }
    case TypeKind::kMap: {
      Value schema = Typed("object");
      schema.Set("additionalProperties", type.element ? SchemaOf(*type.element) : Value::Object());
      return schema;
    }
  }
  return Value::Object({{"x-kubernetes-preserve-unknown-fields", true}});
}

Value OpenApiSchemas::SchemaOf(const Field& field) {
  Value schema = Wrapped(SchemaOf(field.type));
  if (!field.description.empty()) schema.Set("description", field.description);
  if (field.default_value) schema.Set("default", *field.default_value);
  AddListKeys(schema, field);
  AddLimits(schema, field);
  return schema;
}

Value OpenApiSchemas::SchemaOf(const ObjectType& type) {
  Value schema = Typed("object");
  if (!type.description.empty()) schema.Set("description", type.description);
  Value required = Value::Array();
  Value properties = Value::Object();
  for (const Field& field : type.fields) {
    properties.Set(field.name, SchemaOf(field));
    if (field.required) required.Append(field.name);
  }
  if (!type.fields.empty()) schema.Set("properties", std::move(properties));
  if (!required.IsEmpty()) schema.Set("required", std::move(required));
  if (type.preserve_unknown) schema.Set("x-kubernetes-preserve-unknown-fields", true);
  if (type.atomic) schema.Set("x-kubernetes-map-type", "atomic");
  return schema;
}

std::string OpenApiSchemas::AddType(const ObjectType& type) {
  std::string name = std::string(PackageOfPart(type.name)) + type.name;
  if (schemas_.Find(name)) return name;
  schemas_.Set(name, Value::Object());  // types may refer to themselves
  Value schema = SchemaOf(type);
  schemas_.Set(name, std::move(schema));
  return name;
}

void OpenApiSchemas::Describe(const Resource& resource, const std::string& name, Value schema) {
  const auto kind = [&resource](std::string text) {
    return Value::Array({Value::Object(
        {{"group", resource.group}, {"version", resource.version}, {"kind", std::move(text)}})});
  };
  constexpr std::string_view kKinds = "x-kubernetes-group-version-kind";
  schema.Set(kKinds, kind(resource.kind));
  schemas_.Set(name, std::move(schema));

  Value list = Typed("object");
  Value items = Typed("array");
  items.Set("items", Wrapped(Reference(name)));
  Value& properties = list.Mutable("properties");
  properties.Set("apiVersion", Typed("string"));
  properties.Set("kind", Typed("string"));
  properties.Set("items", std::move(items));
  if (const ObjectType* metadata = SchemaSet::BuiltIn().Find("ListMeta")) {
    properties.Set("metadata", Wrapped(Reference(AddType(*metadata))));
  }
  list.Set("required", Value::Array({"items"}));
  list.Set(kKinds, kind(resource.kind + "List"));
  schemas_.Set(name + "List", std::move(list));
}

std::string OpenApiSchemas::AddKind(const Resource& resource) {
  std::string name = NameOfKind(resource);
  Describe(resource, name,
           resource.type ? SchemaOf(*resource.type) : SchemaOf(ValueType{TypeKind::kAny}));
  return name;
}

void OpenApiSchemas::AddScale() {
  const ObjectType* type = SchemaSet::BuiltIn().Find("autoscaling/v1.Scale");
  if (!type) return;
  const std::string name = AddType(*type);
  schemas_.Mutable(name).Set(
      "x-kubernetes-group-version-kind",
      Value::Array(
          {Value::Object({{"group", "autoscaling"}, {"version", "v1"}, {"kind", "Scale"}})}));
}

}  // namespace capstan::testing::server
