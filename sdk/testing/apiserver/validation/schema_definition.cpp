#include "apiserver/validation/schema_definition.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/storage/object_fields.h"
#include "apiserver/validation/schema_instance.h"

namespace capstan::testing::server {
namespace {

// The position of a schema.
enum class Level : uint8_t { kRoot, kItem, kField };

void ValidateStructuralType(const json::Value& schema, Level level, const FieldPath& path,
                            FieldErrors& errors) {
  const std::string& type = schema.Get("type").AsString();
  if (schema.Get("x-kubernetes-embedded-resource").AsBool() && type != "object") {
    constexpr std::string_view kText = "must be object if x-kubernetes-embedded-resource is true";
    if (type.empty()) {
      errors.Required(path.At("type"), std::string(kText));
    } else {
      errors.Invalid(path.At("type"), type, std::string(kText));
    }
  } else if (type.empty() && !schema.Get("x-kubernetes-int-or-string").AsBool() &&
             !schema.Get("x-kubernetes-preserve-unknown-fields").AsBool()) {
    constexpr std::string_view kPlaces[] = {"at the root", "for specified array items",
                                            "for specified object fields"};
    errors.Required(path.At("type"),
                    "must not be empty " + std::string(kPlaces[static_cast<size_t>(level)]));
  }
  if (level == Level::kRoot && !type.empty() && type != "object") {
    errors.Invalid(path.At("type"), type, "must be object at the root");
  }
}

void ValidateStructural(const json::Value& schema, Level level, const FieldPath& path,
                        FieldErrors& errors) {
  const json::Value& items = schema.Get("items");
  if (schema.Get("type").AsString() == "array" && !items.IsObject()) {
    errors.Required(path.At("items"), "must be specified");
  }
  if (items.IsObject()) ValidateStructural(items, Level::kItem, path.Child("items"), errors);
  const FieldPath properties = path.Child("properties");
  for (const json::Member& property : schema.Get("properties").members()) {
    ValidateStructural(property.value, Level::kField, properties.Key(property.key), errors);
  }
  const json::Value& additional = schema.Get("additionalProperties");
  const FieldPath additional_path = path.Child("additionalProperties");
  if (!additional.IsNull() && level == Level::kRoot) {
    errors.Forbidden(additional_path.Text(), "must not be used at the root");
  }
  if (additional.IsObject()) {
    ValidateStructural(additional, Level::kField, additional_path, errors);
  }
  ValidateStructuralType(schema, level, path, errors);
}

// Validates x-kubernetes-list-type and its requirements.
void ValidateListType(const json::Value& schema, const FieldPath& path, FieldErrors& errors) {
  if (!Has(schema, "x-kubernetes-list-type")) {
    if (!schema.Get("x-kubernetes-list-map-keys").items().empty()) {
      errors.Required(path.At("x-kubernetes-list-type"),
                      "must be map if x-kubernetes-list-map-keys is non-empty");
    }
    return;
  }
  const std::string& list_type = schema.Get("x-kubernetes-list-type").AsString();
  const std::string& type = schema.Get("type").AsString();
  if (type.empty()) {
    errors.Required(path.At("type"), "must be array if x-kubernetes-list-type is specified");
  } else if (type != "array") {
    errors.Invalid(path.At("type"), type, "must be array if x-kubernetes-list-type is specified");
  }
  if (list_type != "atomic" && list_type != "set" && list_type != "map") {
    errors.NotSupported(path.At("x-kubernetes-list-type"), list_type, {"atomic", "set", "map"});
  }
  if (list_type != "map") return;
  const std::string& item = schema.Get("items", "type").AsString();
  if (schema.Get("items").IsObject() && item != "object") {
    errors.Invalid(path.At("items.type"), item,
                   "must be object if parent array's x-kubernetes-list-type is map");
  }
  const json::Value& keys = schema.Get("x-kubernetes-list-map-keys");
  if (keys.items().empty()) {
    errors.Required(path.At("x-kubernetes-list-map-keys"),
                    "must not be empty if x-kubernetes-list-type is map");
  }
  for (const json::Value& key : keys.items()) {
    const json::Value* property = schema.Get("items", "properties").Find(key.AsString());
    if (!property) {
      errors.Invalid(path.At("x-kubernetes-list-map-keys"), keys,
                     "entries must all be names of item properties");
      continue;
    }
    const auto& required = schema.Get("items", "required").items();
    if (Has(*property, "default")) continue;
    if (std::find(required.begin(), required.end(), key) != required.end()) continue;
    errors.Required(path.At("items.properties[" + key.AsString() + "].default"),
                    "this property is in x-kubernetes-list-map-keys, so it must have a default or "
                    "be a required property");
  }
}

void ValidateNode(const json::Value& schema, const FieldPath& path, FieldErrors& errors);

void ValidateNodes(const json::Value& schema, const FieldPath& path, FieldErrors& errors) {
  const json::Value& additional = schema.Get("additionalProperties");
  if (!additional.IsNull()) {
    const FieldPath at = path.Child("additionalProperties");
    const bool allows_all = additional.IsBool() && additional.AsBool();
    if (!schema.Get("properties").members().empty() && !allows_all) {
      errors.Forbidden(at.Text(), "additionalProperties and properties are mutual exclusive");
    }
    if (additional.IsObject()) ValidateNode(additional, at, errors);
  }
  const FieldPath properties = path.Child("properties");
  for (const json::Member& property : schema.Get("properties").members()) {
    ValidateNode(property.value, properties.Key(property.key), errors);
  }
  if (schema.Get("not").IsObject()) ValidateNode(schema.Get("not"), path.Child("not"), errors);
  for (const std::string_view list : {"allOf", "oneOf", "anyOf"}) {
    const auto& branches = schema.Get(list).items();
    const FieldPath at = path.Child(list);
    for (size_t i = 0; i < branches.size(); ++i) ValidateNode(branches[i], at.Index(i), errors);
  }
  if (schema.Get("items").IsObject()) {
    ValidateNode(schema.Get("items"), path.Child("items"), errors);
  }
}

// Validates the rules for all schemas, structural or not.
void ValidateNode(const json::Value& schema, const FieldPath& path, FieldErrors& errors) {
  const std::string& type = schema.Get("type").AsString();
  static const std::vector<std::string> kTypes = {"array",  "boolean", "integer",
                                                  "number", "object",  "string"};
  if (!type.empty() && std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) {
    errors.NotSupported(path.At("type"), type, kTypes);
  }
  if (Has(schema, "$ref")) errors.Forbidden(path.At("$ref"), "$ref is not supported");
  if (schema.Get("uniqueItems").AsBool()) {
    errors.Forbidden(path.At("uniqueItems"),
                     "uniqueItems cannot be set to true since the runtime complexity becomes "
                     "quadratic");
  }
  if (const json::Value& additional = schema.Get("additionalProperties");
      additional.IsBool() && !additional.AsBool()) {
    errors.Forbidden(path.At("additionalProperties"),
                     "additionalProperties cannot be set to false");
  }
  ValidateNodes(schema, path, errors);
  if (const json::Value& preserve = schema.Get("x-kubernetes-preserve-unknown-fields");
      preserve.IsBool() && !preserve.AsBool()) {
    errors.Invalid(path.At("x-kubernetes-preserve-unknown-fields"), preserve,
                   "must be true or undefined");
  }
  ValidateListType(schema, path, errors);
}

// Validates that defaults match their schemas.
void ValidateDefaults(const json::Value& schema, const FieldPath& path, FieldErrors& errors) {
  if (Has(schema, "default")) {
    FieldErrors found;
    ValidateInstance(schema.Get("default"), schema, "", found);
    for (FieldError error : found.all()) {
      const bool of_part = !error.field.empty() && error.field[0] != '<';
      error.field = path.At("default") + (of_part ? "." + error.field : "");
      errors.Add(std::move(error));
    }
  }
  const FieldPath properties = path.Child("properties");
  for (const json::Member& property : schema.Get("properties").members()) {
    ValidateDefaults(property.value, properties.Key(property.key), errors);
  }
  for (const std::string_view inner : {"additionalProperties", "items"}) {
    if (schema.Get(inner).IsObject())
      ValidateDefaults(schema.Get(inner), path.Child(inner), errors);
  }
}

}  // namespace

void ValidateSchemaDefinition(const json::Value& schema, const FieldPath& path,
                              FieldErrors& errors) {
  const size_t before = errors.all().size();
  if (schema.Get("nullable").AsBool()) {
    errors.Forbidden(path.At("nullable"), "nullable cannot be true at the root");
  }
  ValidateStructural(schema, Level::kRoot, path, errors);
  ValidateNode(schema, path, errors);
  if (errors.all().size() == before) ValidateDefaults(schema, path, errors);
}

}  // namespace capstan::testing::server
