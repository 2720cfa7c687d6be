#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "apiserver/strategy/spec_status_strategy.h"
#include "apiserver/strategy/strategies.h"
#include "apiserver/validation/names.h"
#include "apiserver/validation/schema_instance.h"

namespace capstan::testing::server {
namespace {

// Returns the value at a path (".spec.color") as a selector compares it.
std::string TextAt(const json::Value& object, std::string_view path) {
  const json::Value* value = &object;
  while (!path.empty()) {
    path.remove_prefix(1);  // the dot
    const size_t dot = path.find('.');
    value = value->Find(path.substr(0, dot));
    if (!value || value->IsNull()) return {};
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot);
  }
  return value->IsString() ? value->AsString() : json::ToJson(*value);
}

// The Go type of a JSON value.
std::string_view GoType(const json::Value& value) {
  if (value.IsObject()) return "map[string]interface {}";
  if (value.IsArray()) return "[]interface {}";
  if (value.IsBool()) return "bool";
  if (value.IsString()) return "string";
  return value.IsInteger() ? "int64" : "float64";
}

std::string GoText(const json::Value& value) {
  return value.IsString() ? value.AsString() : json::ToJson(value);
}

// Validates the value that a Scale would show as its replicas.
void ValidateScale(const json::Value& object, const std::string& path, FieldErrors& errors) {
  const auto fail = [&](const json::Value& value, std::string_view wanted) {
    errors.Invalid(path, 0,
                   path + " accessor error: " + GoText(value) + " is of the type " +
                       std::string(GoType(value)) + ", expected " + std::string(wanted));
  };
  const json::Value* value = &object;
  std::string_view rest = path;
  while (!rest.empty()) {
    if (!value->IsObject()) return fail(*value, "map[string]interface{}");
    rest.remove_prefix(1);  // the dot
    const size_t dot = rest.find('.');
    value = value->Find(rest.substr(0, dot));
    if (!value) return;
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot);
  }
  if (!value->IsInteger()) return fail(*value, "int64");
  if (value->AsInteger() < 0) {
    errors.Invalid(path, *value, "should be a non-negative integer");
  } else if (value->AsInteger() > std::numeric_limits<int32_t>::max()) {
    errors.Invalid(
        path, *value,
        "should be less than or equal to " + std::to_string(std::numeric_limits<int32_t>::max()));
  }
}

class CustomResources : public SpecStatusStrategy {
 public:
  bool WantsQualifiedFinalizers() const override { return false; }
  explicit CustomResources(CustomResourceTraits traits) : traits_(std::move(traits)) {}

  void PrepareForCreate(json::Value& object) const override {
    if (traits_.has_status) object.Erase("status");
    object.Mutable("metadata", "generation") = 1;
  }

  void PrepareForUpdate(json::Value& object, const json::Value& before,
                        std::string_view subresource) const override;

  void Validate(const json::Value& object, FieldErrors& errors) const override {
    if (traits_.schema) ValidateInstance(object, *traits_.schema, "", errors);
    if (!traits_.scale_path.empty()) ValidateScale(object, traits_.scale_path, errors);
  }

  void ValidateUpdate(const json::Value& object, const json::Value& /*before*/,
                      std::string_view subresource, FieldErrors& errors) const override {
    if (subresource != "status") return;
    if (!traits_.status_scale_path.empty()) {
      ValidateScale(object, traits_.status_scale_path, errors);
    }
    if (!traits_.schema) return;
    const json::Value* status = object.Find("status");
    const json::Value& schema = traits_.schema->Get("properties", "status");
    if (!status || !schema.IsObject()) return;
    // The status is validated separately, and its errors get its path.
    FieldErrors of_status;
    ValidateInstance(*status, schema, "", of_status);
    for (FieldError error : of_status.all()) {
      error.field = error.field == "<nil>" ? "status" : "status." + error.field;
      errors.Add(std::move(error));
    }
  }

  std::vector<std::string> Warnings(const json::Value& object) const override {
    std::vector<std::string> warnings;
    for (const json::Value& finalizer : object.Get("metadata", "finalizers").items()) {
      WarnOfFinalizer(finalizer.AsString(), warnings);
    }
    return warnings;
  }

  std::vector<std::string> WarningsOfUpdate(const json::Value& object,
                                            const json::Value& before) const override {
    if (object.Get("metadata", "finalizers") == before.Get("metadata", "finalizers")) return {};
    return Warnings(object);
  }

  std::optional<std::string> SelectableField(const json::Value& object,
                                             std::string_view field) const override {
    for (const std::string& path : traits_.selectable_fields) {
      if (std::string_view(path).substr(1) == field) return TextAt(object, path);
    }
    return SpecStatusStrategy::SelectableField(object, field);
  }

 private:
  static void WarnOfFinalizer(const std::string& name, std::vector<std::string>& warnings) {
    const size_t slash = name.find('/');
    if (slash != std::string::npos || name == "orphan" || name == "foregroundDeletion") return;
    const bool domain = name.find('.') != std::string::npos;
    warnings.push_back("metadata.finalizers: " + Quoted(name) +
                       (domain ? ": prefer a domain-qualified finalizer name including a path (/)"
                               : ": prefer a domain-qualified finalizer name") +
                       " to avoid accidental conflicts with other finalizer writers");
  }

  const CustomResourceTraits traits_;
};

// The generation increases with every change outside of the metadata. If there is a status
// subresource, an update cannot change the status.
void CustomResources::PrepareForUpdate(json::Value& object, const json::Value& before,
                                       std::string_view subresource) const {
  KeepGeneration(object, before);
  if (subresource == "status") {
    json::Value changed = before;
    for (const std::string_view field : {"managedFields", "resourceVersion"}) {
      Keep(changed.Mutable("metadata"), object.Get("metadata"), field);
    }
    Keep(changed, object, "status");
    object = std::move(changed);
    return;
  }
  if (traits_.has_status) Keep(object, before, "status");
  bool differs = object.members().size() != before.members().size();
  for (const json::Member& member : object.members()) {
    if (differs) break;
    const json::Value* old = before.Find(member.key);
    differs = member.key != "metadata" && (!old || !(*old == member.value));
  }
  if (!differs) return;
  object.Mutable("metadata", "generation") = before.Get("metadata", "generation").AsInteger() + 1;
}

}  // namespace

StrategyPtr CustomResourceStrategy(CustomResourceTraits traits) {
  return std::make_shared<CustomResources>(std::move(traits));
}

}  // namespace capstan::testing::server
