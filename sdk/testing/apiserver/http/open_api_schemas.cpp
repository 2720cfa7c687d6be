#include <algorithm>
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

// Wraps a reference so that it can have sibling keys.
Value Wrapped(Value schema) {
  if (!schema.Find("$ref")) return schema;
  return Value::Object({{"allOf", Value::Array({std::move(schema)})}});
}

std::string NameOfType(const ObjectType& type) { return type.package + "." + type.name; }

// "io.k8s.api.apps.v1.Deployment", "com.example.stable.v1.CronTab"
std::string NameOfKind(const Resource& resource) {
  if (!resource.own_schema && resource.type) return NameOfType(*resource.type);
  std::string name;
  std::string_view group = resource.group;
  while (!group.empty()) {
    const size_t dot = group.rfind('.');
    name += std::string(dot == std::string_view::npos ? group : group.substr(dot + 1)) + ".";
    group = dot == std::string_view::npos ? "" : group.substr(0, dot);
  }
  return name + resource.version + "." + resource.kind;
}

// Whether built-in kinds share the type. Other types are inlined.
bool IsShared(const ObjectType& type) { return !type.package.empty(); }

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
  if (field.patch_replace) {
    schema.Set("x-kubernetes-patch-strategy", "replace");
  } else if (field.patch_merge || field.patch_retain_keys) {
    schema.Set("x-kubernetes-patch-strategy", !field.patch_retain_keys ? "merge"
                                              : field.patch_merge      ? "merge,retainKeys"
                                                                       : "retainKeys");
  }
  if (!field.patch_merge_key.empty()) {
    schema.Set("x-kubernetes-patch-merge-key", field.patch_merge_key);
  }
}

void AddLimits(Value& schema, const Field& field) {
  if (!field.enumeration.empty()) {
    // The enumeration of a list applies to its elements.
    const bool is_list = field.type.kind == TypeKind::kList;
    (is_list ? schema.Mutable("items") : schema).Set("enum", ArrayOf(field.enumeration));
  }
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
  std::string name = NameOfType(type);
  if (schemas_.Find(name)) return name;
  schemas_.Set(name, Value::Object());  // a placeholder, because types can refer to themselves
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

std::string OpenApiSchemas::AddPart(const KindName& kind) {
  const std::string version = GroupVersionName(kind.group, kind.version);
  const ObjectType* type = SchemaSet::BuiltIn().Find(version + "." + kind.kind);
  if (!type) return {};
  std::string name = AddType(*type);
  schemas_.Mutable(name).Set(
      "x-kubernetes-group-version-kind",
      Value::Array({Value::Object(
          {{"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}})}));
  return name;
}

}  // namespace capstan::testing::server
