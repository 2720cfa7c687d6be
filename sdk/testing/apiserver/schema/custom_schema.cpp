// SchemaSet::OfCustomResource (schema.h).

#include <algorithm>
#include <utility>

#include "apiserver/schema/schema.h"

namespace capstan::testing::server {
namespace {

Status Broken(const std::string& path, const std::string& why) {
  Status::Details details;
  details.reason = StatusReason::kInvalid;
  details.http_code = 422;
  details.message = "openAPIV3Schema" + path + ": " + why;
  return Status(std::move(details));
}

bool IsTrue(const json::Value& schema, std::string_view key) { return schema.Get(key).AsBool(); }

void ReadRules(const json::Value& schema, Field& field) {
  field.description = schema.Get("description").AsString();
  field.nullable = IsTrue(schema, "nullable");
  field.pattern = schema.Get("pattern").AsString();
  if (const json::Value* value = schema.Find("default")) field.default_value = *value;
  if (schema.Get("minimum").IsNumber()) field.minimum = schema.Get("minimum").AsDouble();
  if (schema.Get("maximum").IsNumber()) field.maximum = schema.Get("maximum").AsDouble();
  for (const json::Value& value : schema.Get("enum").items()) {
    field.enumeration.push_back(value.IsString() ? value.AsString() : json::ToJson(value));
  }
  const std::string& list = schema.Get("x-kubernetes-list-type").AsString();
  field.list = list == "map"   ? Field::Topology::kMap
               : list == "set" ? Field::Topology::kSet
                               : Field::Topology::kAtomic;
  for (const json::Value& key : schema.Get("x-kubernetes-list-map-keys").items()) {
    field.list_map_keys.push_back(key.AsString());
  }
  field.atomic = schema.Get("x-kubernetes-map-type").AsString() == "atomic";
}

}  // namespace

class CustomSchemaReader {
 public:
  CustomSchemaReader(SchemaSet& set, std::string kind) : set_(set), kind_(std::move(kind)) {}

  Status Read(const json::Value& schema) {
    Result<ValueType> root = Object(schema, "");
    if (!root.ok()) return root.status();
    AddEnvelope(*set_.types_[kind_]);
    return Status::Ok();
  }

 private:
  Result<ValueType> TypeOf(const json::Value& schema, const std::string& path) {
    if (!schema.IsObject()) return Broken(path, "must be an object");
    if (IsTrue(schema, "x-kubernetes-int-or-string")) return Plain(TypeKind::kIntOrString);
    const std::string& type = schema.Get("type").AsString();
    if (type == "string") return Plain(TypeKind::kString);
    if (type == "boolean") return Plain(TypeKind::kBool);
    if (type == "number") return Plain(TypeKind::kDouble);
    if (type == "integer") {
      const bool is_short = schema.Get("format").AsString() == "int32";
      return Plain(is_short ? TypeKind::kInt32 : TypeKind::kInt64);
    }
    if (type == "array") return List(schema, path);
    if (type == "object") return MapOrObject(schema, path);
    if (type.empty() && IsTrue(schema, "x-kubernetes-preserve-unknown-fields")) {
      return Plain(TypeKind::kAny);
    }
    return Broken(path + ".type", type.empty() ? "must not be empty for specified object fields"
                                               : "unsupported type \"" + type + "\"");
  }

  static ValueType Plain(TypeKind kind) { return {kind, nullptr, nullptr}; }

  Result<ValueType> ContainerOf(TypeKind kind, const json::Value& schema, const std::string& path) {
    Result<ValueType> element = TypeOf(schema, path);
    if (!element.ok()) return element;
    return ValueType{kind, nullptr, &set_.elements_.emplace_back(*element)};
  }

  Result<ValueType> List(const json::Value& schema, const std::string& path) {
    if (!schema.Find("items")) return Broken(path + ".items", "must be specified");
    return ContainerOf(TypeKind::kList, schema.Get("items"), path + "[]");
  }

  Result<ValueType> MapOrObject(const json::Value& schema, const std::string& path) {
    const json::Value& more = schema.Get("additionalProperties");
    const bool has_properties = !schema.Get("properties").members().empty();
    if (has_properties || IsTrue(schema, "x-kubernetes-embedded-resource")) {
      return Object(schema, path);
    }
    if (more.IsObject()) return ContainerOf(TypeKind::kMap, more, path + "{}");
    if (more.AsBool()) return Plain(TypeKind::kAny);
    return Object(schema, path);
  }

  Result<ValueType> Object(const json::Value& schema, const std::string& path) {
    // Property names can look like paths, so make the name unique.
    std::string name = kind_ + path;
    while (set_.types_.contains(name)) name += '\'';
    std::unique_ptr<ObjectType>& place = set_.types_[name];
    place = std::make_unique<ObjectType>();
    ObjectType* const type = place.get();
    type->name = std::move(name);
    type->description = schema.Get("description").AsString();
    type->custom = true;
    type->preserve_unknown =
        IsTrue(schema, "x-kubernetes-preserve-unknown-fields") || schema.IsNull();
    type->atomic = schema.Get("x-kubernetes-map-type").AsString() == "atomic";
    for (const json::Member& member : schema.Get("properties").members()) {
      const std::string here = path + "." + member.key;
      Result<ValueType> value = TypeOf(member.value, here);
      // The server has its own types for these.
      if (!value.ok() && !(path.empty() && IsEnvelope(member.key))) return value;
      Field field;
      field.name = member.key;
      if (value.ok()) field.type = *value;
      ReadRules(member.value, field);
      type->fields.push_back(std::move(field));
    }
    for (const json::Value& name : schema.Get("required").items()) {
      for (Field& field : type->fields) {
        if (field.name == name.AsString()) field.required = true;
      }
    }
    if (IsTrue(schema, "x-kubernetes-embedded-resource")) AddEnvelope(*type);
    return ValueType{TypeKind::kObject, type, nullptr};
  }

  static bool IsEnvelope(std::string_view name) {
    return name == "apiVersion" || name == "kind" || name == "metadata";
  }

  // Adds apiVersion, kind and metadata, and replaces their schemas.
  static void AddEnvelope(ObjectType& type) {
    std::vector<Field>& fields = type.fields;
    fields.erase(std::remove_if(fields.begin(), fields.end(),
                                [](const Field& field) { return IsEnvelope(field.name); }),
                 fields.end());
    const ValueType metadata{TypeKind::kObject, SchemaSet::BuiltIn().Find("ObjectMeta"), nullptr};
    for (const char* name : {"apiVersion", "kind", "metadata"}) {
      Field field;
      field.name = name;
      field.type = field.name == "metadata" ? metadata : Plain(TypeKind::kString);
      fields.push_back(std::move(field));
    }
    std::sort(fields.begin(), fields.end(),
              [](const Field& a, const Field& b) { return a.name < b.name; });
  }

  SchemaSet& set_;
  const std::string kind_;
};

Result<std::unique_ptr<SchemaSet>> SchemaSet::OfCustomResource(const std::string& kind,
                                                               const json::Value& open_api_schema) {
  auto set = std::make_unique<SchemaSet>();
  if (Status status = CustomSchemaReader(*set, kind).Read(open_api_schema); !status.ok()) {
    return status;
  }
  return set;
}

}  // namespace capstan::testing::server
