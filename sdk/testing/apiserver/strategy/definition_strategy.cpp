#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <capstan/runtime/format.h>

#include "apiserver/strategy/spec_status_strategy.h"
#include "apiserver/strategy/strategies.h"
#include "apiserver/validation/names.h"
#include "apiserver/validation/schema_definition.h"
#include "base/text/ascii.h"
#include "base/text/joined.h"

namespace capstan::testing::server {
namespace {

const std::string& StorageVersionOf(const json::Value& definition) {
  for (const json::Value& version : definition.Get("spec", "versions").items()) {
    if (version.Get("storage").AsBool()) return version.Get("name").AsString();
  }
  static const std::string kNone;
  return kNone;
}

json::Value Condition(std::string_view type, std::string_view reason, std::string_view message,
                      const json::Value& since) {
  json::Value condition = json::Value::Object(
      {{"message", message}, {"reason", reason}, {"status", "True"}, {"type", type}});
  if (!since.IsNull()) condition.Set("lastTransitionTime", since);
  return condition;
}

void ValidateLabelName(const json::Value& names, std::string_view field, const FieldPath& path,
                       FieldErrors& errors) {
  const std::string& name = names.Get(field).AsString();
  if (name.empty()) return;
  if (const Faults faults = FaultsOfDns1035Label(name); !faults.empty()) {
    errors.Invalid(path.At(field), name, text::Joined(faults));
  }
}

void ValidateKindName(const json::Value& names, std::string_view field, const FieldPath& path,
                      FieldErrors& errors) {
  const std::string& name = names.Get(field).AsString();
  if (name.empty()) return;
  if (const Faults faults = FaultsOfDns1035Label(text::Lower(name)); !faults.empty()) {
    errors.Invalid(path.At(field), name,
                   "may have mixed case, but should otherwise match: " + text::Joined(faults));
  }
}

void ValidateNameList(const json::Value& names, std::string_view field, const FieldPath& path,
                      FieldErrors& errors) {
  const auto& list = names.Get(field).items();
  for (size_t i = 0; i < list.size(); ++i) {
    if (const Faults faults = FaultsOfDns1035Label(list[i].AsString()); !faults.empty()) {
      errors.Invalid(path.At(field, i), list[i], text::Joined(faults));
    }
  }
}

void ValidateNames(const json::Value& names, const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view field : {"plural", "singular", "kind", "listKind"}) {
    if (names.Get(field).AsString().empty()) errors.Required(path.At(field));
  }
  ValidateLabelName(names, "plural", path, errors);
  ValidateLabelName(names, "singular", path, errors);
  ValidateKindName(names, "kind", path, errors);
  ValidateKindName(names, "listKind", path, errors);
  ValidateNameList(names, "shortNames", path, errors);
  const std::string& kind = names.Get("kind").AsString();
  if (!kind.empty() && kind == names.Get("listKind").AsString()) {
    errors.Invalid(path.At("listKind"), kind, "kind and listKind may not be the same");
  }
  ValidateNameList(names, "categories", path, errors);
}

// Validates a path of a scale subresource.
void ValidateScalePath(const json::Value& scale, std::string_view field, std::string_view under,
                       const FieldPath& path, FieldErrors& errors) {
  const std::string& value = scale.Get(field).AsString();
  if (value.empty()) {
    errors.Required(path.At(field));
  } else if (value.front() != '.') {
    errors.Invalid(path.At(field), value, "must be a simple json path starting with .");
  } else if (value.substr(0, under.size() + 1) != std::string(under) + ".") {
    errors.Invalid(path.At(field), value, "should be a json path under " + std::string(under));
  }
}

void ValidateColumns(const json::Value& columns, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kTypes = "boolean,date,integer,number,string";
  for (size_t i = 0; i < columns.items().size(); ++i) {
    const json::Value& column = columns.items()[i];
    const FieldPath at = path.Index(i);
    if (column.Get("name").AsString().empty()) errors.Required(at.At("name"));
    const std::string& type = column.Get("type").AsString();
    const std::string list = "must be one of " + std::string(kTypes);
    if (type.empty()) {
      errors.Required(at.At("type"), list);
    } else if (("," + std::string(kTypes) + ",").find("," + type + ",") == std::string::npos) {
      errors.Invalid(at.At("type"), type, list);
    }
    if (column.Get("jsonPath").AsString().empty()) errors.Required(at.At("JSONPath"));
  }
}

// A part of the versions. If it is the same in all versions, the API moves it to the spec, so it is
// validated once there. `of_spec` is its name in the spec.
struct Part {
  std::string_view name;
  std::string_view of_spec;
};
constexpr Part kSchema = {"schema", "validation"};
constexpr Part kSubresources = {"subresources", "subresources"};
constexpr Part kColumns = {"additionalPrinterColumns", "additionalPrinterColumns"};

bool IsShared(const json::Value& versions, const Part& part) {
  const auto& all = versions.items();
  return std::all_of(all.begin(), all.end(), [&](const json::Value& version) {
    return version.Get(part.name) == all.front().Get(part.name);
  });
}

void ValidateSchema(const json::Value& version, const FieldPath& path, FieldErrors& errors) {
  const json::Value& schema = version.Get("schema", "openAPIV3Schema");
  if (schema.IsNull()) return;
  const json::Value& type = schema.Get("type");
  if (!version.Get("subresources", "status").IsNull() && !type.AsString().empty() &&
      type.AsString() != "object") {
    errors.Invalid(path.At("openAPIV3Schema.type"), type,
                   "only \"object\" is allowed as the type at the root of the schema if the status "
                   "subresource is enabled");
  }
  ValidateSchemaDefinition(schema, path.Child("openAPIV3Schema"), errors);
}

void ValidateSubresources(const json::Value& version, const FieldPath& path, FieldErrors& errors) {
  const json::Value& scale = version.Get("subresources", "scale");
  if (scale.IsNull()) return;
  const FieldPath at = path.Child("scale");
  ValidateScalePath(scale, "specReplicasPath", ".spec", at, errors);
  ValidateScalePath(scale, "statusReplicasPath", ".status", at, errors);
}

void ValidatePart(const Part& part, const json::Value& version, const FieldPath& path,
                  FieldErrors& errors) {
  if (part.name == kSchema.name) {
    ValidateSchema(version, path, errors);
  } else if (part.name == kSubresources.name) {
    ValidateSubresources(version, path, errors);
  } else {
    ValidateColumns(version.Get(part.name), path, errors);
  }
}

// Prints versions as the API does, without parts that differ between versions.
std::string PrintedVersions(const json::Value& versions) {
  std::string text;
  for (const json::Value& version : versions.items()) {
    text += text.empty() ? '[' : ',';
    text += "{\"Name\":" + json::ToJson(version.Get("name")) +
            ",\"Served\":" + json::ToJson(version.Get("served").AsBool()) +
            ",\"Storage\":" + json::ToJson(version.Get("storage").AsBool()) +
            ",\"Deprecated\":" + json::ToJson(version.Get("deprecated").AsBool()) +
            ",\"DeprecationWarning\":" + json::ToJson(version.Get("deprecationWarning")) +
            ",\"Schema\":null,\"Subresources\":null,\"AdditionalPrinterColumns\":null,"
            "\"SelectableFields\":null}";
  }
  return text.empty() ? "null" : text + "]";
}

void ValidateVersions(const json::Value& versions, const FieldPath& path, FieldErrors& errors) {
  const auto& all = versions.items();
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].Get("schema", "openAPIV3Schema").IsNull()) continue;
    const FieldPath at = path.Index(i);
    errors.Required(at.At("schema.openAPIV3Schema"));
  }
  size_t stored = 0;
  bool unique = true;
  for (size_t i = 0; i < all.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string& name = all[i].Get("name").AsString();
    if (const Faults faults = FaultsOfDns1035Label(name); !faults.empty()) {
      errors.Invalid(at.At("name"), name, text::Joined(faults));
    }
    for (const Part& part : {kSchema, kSubresources, kColumns}) {
      if (!IsShared(versions, part)) ValidatePart(part, all[i], at.Child(part.name), errors);
    }
    if (all[i].Get("storage").AsBool()) ++stored;
    for (size_t j = 0; j < i; ++j) unique &= !(all[i].Get("name") == all[j].Get("name"));
  }
  if (!unique) {
    errors.Add({FieldError::Type::kInvalid, path.Text(), PrintedVersions(versions),
                "must contain unique version names"});
  }
  if (stored != 1) {
    errors.Add({FieldError::Type::kInvalid, path.Text(), PrintedVersions(versions),
                "must have exactly one version marked as storage version"});
  }
  if (all.empty()) return;
  // The first version is also spec.version of v1beta1.
  const std::string& first = all.front().Get("name").AsString();
  if (first.empty()) return;
  if (const Faults faults = FaultsOfDns1035Label(first); !faults.empty()) {
    errors.Invalid("spec.version", first, text::Joined(faults));
  }
}

void ValidateSharedParts(const json::Value& versions, const FieldPath& spec, FieldErrors& errors) {
  if (versions.items().empty()) return;
  for (const Part& part : {kSchema, kSubresources, kColumns}) {
    if (!IsShared(versions, part)) continue;
    ValidatePart(part, versions.items().front(), spec.Child(part.of_spec), errors);
  }
}

void ValidateStoredVersions(const json::Value& definition, FieldErrors& errors) {
  const FieldPath path("status.storedVersions");
  const json::Value& stored = definition.Get("status", "storedVersions");
  if (stored.items().empty()) {
    errors.Invalid(path.Text(), json::Value(), "must have at least one stored version");
    return;
  }
  const auto& versions = definition.Get("spec", "versions").items();
  std::set<std::string_view> seen;
  for (const json::Value& version : versions) {
    const std::string& name = version.Get("name").AsString();
    const bool is_new = seen.insert(name).second;
    const bool is_stored = std::find(stored.items().begin(), stored.items().end(),
                                     version.Get("name")) != stored.items().end();
    if (!version.Get("storage").AsBool() || (is_new && is_stored)) continue;
    errors.Invalid(path.Text(), stored, "must have the storage version " + name);
  }
  for (size_t i = 0; i < stored.items().size(); ++i) {
    const std::string& name = stored.items()[i].AsString();
    const bool known = std::any_of(
        versions.begin(), versions.end(),
        [&name](const json::Value& version) { return version.Get("name").AsString() == name; });
    if (known) continue;
    errors.Invalid(
        path.Index(i).Text(), name,
        Format("missing from spec.versions; {} was previously a storage version, and must "
               "remain in spec.versions until a storage migration ensures no data "
               "remains persisted in {} and removes {} from status.storedVersions",
               name, name, name));
  }
}

bool IsEstablished(const json::Value& definition) {
  const auto& conditions = definition.Get("status", "conditions").items();
  return std::any_of(conditions.begin(), conditions.end(), [](const json::Value& condition) {
    return condition.Get("type").AsString() == "Established" &&
           condition.Get("status").AsString() == "True";
  });
}

void ValidateUnchanged(const json::Value& object, const json::Value& before,
                       const std::string& field, FieldErrors& errors) {
  const json::Value* now = &object.Get("spec");
  const json::Value* then = &before.Get("spec");
  for (size_t begin = 0; begin != std::string::npos;) {
    const size_t dot = field.find('.', begin);
    const std::string_view name =
        std::string_view(field).substr(begin, dot == std::string::npos ? dot : dot - begin);
    now = &now->Get(name);
    then = &then->Get(name);
    begin = dot == std::string::npos ? dot : dot + 1;
  }
  if (*now == *then) return;
  errors.Invalid("spec." + field, *now, std::string(kFieldImmutable));
}

class Definitions : public SpecStatusStrategy {
 public:
  bool WantsQualifiedFinalizers() const override { return false; }
  void PrepareForUpdate(json::Value& object, const json::Value& before,
                        std::string_view subresource) const override;
  void Default(json::Value& object) const override;
  void Validate(const json::Value& object, FieldErrors& errors) const override;
  void ValidateUpdate(const json::Value& object, const json::Value& before,
                      std::string_view subresource, FieldErrors& errors) const override;

 protected:
  json::Value InitialStatus(const json::Value& object) const override;
};

// The names are accepted and the resource is served immediately. kube-apiserver does it after a
// delay.
json::Value Definitions::InitialStatus(const json::Value& object) const {
  const json::Value& created = object.Get("metadata", "creationTimestamp");
  json::Value status = json::Value::Object();
  status.Set("acceptedNames", object.Get("spec", "names"));
  status.Set(
      "conditions",
      json::Value::Array({Condition("NamesAccepted", "NoConflicts", "no conflicts found", created),
                          Condition("Established", "InitialNamesAccepted",
                                    "the initial names have been accepted", created)}));
  const std::string& stored = StorageVersionOf(object);
  status.Set("storedVersions",
             stored.empty() ? json::Value::Array() : json::Value::Array({stored}));
  return status;
}

void Definitions::PrepareForUpdate(json::Value& object, const json::Value& before,
                                   std::string_view subresource) const {
  SpecStatusStrategy::PrepareForUpdate(object, before, subresource);
  if (subresource == "status") return;
  if (!(object.Get("status", "acceptedNames") == object.Get("spec", "names"))) {
    object.Mutable("status", "acceptedNames") = object.Get("spec", "names");
  }
  const json::Value stored = StorageVersionOf(object);
  const auto& versions = object.Get("status", "storedVersions").items();
  if (!stored.AsString().empty() &&
      std::find(versions.begin(), versions.end(), stored) == versions.end()) {
    object.Mutable("status", "storedVersions").Append(stored);
  }
}

void Definitions::Default(json::Value& object) const {
  json::Value& names = object.Mutable("spec", "names");
  const std::string kind = names.Get("kind").AsString();
  if (names.Get("singular").AsString().empty()) names.Set("singular", text::Lower(kind));
  if (names.Get("listKind").AsString().empty() && !kind.empty()) {
    names.Set("listKind", kind + "List");
  }
  if (object.Get("spec", "conversion").IsNull()) {
    object.Mutable("spec", "conversion", "strategy") = "None";
  }
}

void Definitions::Validate(const json::Value& object, FieldErrors& errors) const {
  const json::Value& spec = object.Get("spec");
  const std::string& group = spec.Get("group").AsString();
  const std::string wanted = spec.Get("names", "plural").AsString() + "." + group;
  for (const std::string_view field : {"name", "generateName"}) {
    const std::string& given = object.Get("metadata", field).AsString();
    if (given.empty() || given == wanted) continue;
    errors.Invalid("metadata." + std::string(field), given,
                   "must be spec.names.plural+\".\"+spec.group");
  }
  if (group.empty()) {
    errors.Required("spec.group");
  } else if (const Faults faults = FaultsOfDnsSubdomain(group); !faults.empty()) {
    errors.Invalid("spec.group", group, text::Joined(faults));
  } else if (group.find('.') == std::string::npos) {
    errors.Invalid("spec.group", group, "should be a domain with at least one dot");
  }
  const std::string& scope = spec.Get("scope").AsString();
  if (scope.empty()) {
    errors.Required("spec.scope");
  } else if (scope != "Cluster" && scope != "Namespaced") {
    errors.NotSupported("spec.scope", scope, {"Cluster", "Namespaced"});
  }
  ValidateVersions(spec.Get("versions"), FieldPath("spec.versions"), errors);
  ValidateNames(spec.Get("names"), FieldPath("spec.names"), errors);
  ValidateSharedParts(spec.Get("versions"), FieldPath("spec"), errors);
  ValidateStoredVersions(object, errors);
}

void Definitions::ValidateUpdate(const json::Value& object, const json::Value& before,
                                 std::string_view subresource, FieldErrors& errors) const {
  if (subresource == "status") return;
  if (IsEstablished(before)) {
    ValidateUnchanged(object, before, "scope", errors);
    ValidateUnchanged(object, before, "names.kind", errors);
  }
  ValidateUnchanged(object, before, "group", errors);
  ValidateUnchanged(object, before, "names.plural", errors);
}

}  // namespace

StrategyPtr DefinitionStrategy() { return std::make_shared<Definitions>(); }

}  // namespace capstan::testing::server
