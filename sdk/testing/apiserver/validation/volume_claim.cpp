#include "apiserver/validation/volume_claim.h"

#include <algorithm>

#include "apiserver/storage/object_fields.h"
#include "apiserver/validation/choice.h"
#include "apiserver/validation/label_selector.h"
#include "apiserver/validation/names.h"
#include "apiserver/validation/resource_requirements.h"

namespace capstan::testing::server {
namespace {

constexpr std::string_view kAccessModes[] = {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
                                             "ReadWriteOncePod"};

bool IsAccessMode(const std::string& mode) {
  return std::find(std::begin(kAccessModes), std::end(kAccessModes), mode) !=
         std::end(kAccessModes);
}

void ValidateAccessModes(const json::Value::Items& modes, const FieldPath& path,
                         FieldErrors& errors) {
  bool one_pod = false;
  bool others = false;
  for (const json::Value& mode : modes) {
    if (!IsAccessMode(mode.AsString())) {
      errors.NotSupported(path.Text(), mode,
                          {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"});
    } else if (mode.AsString() == "ReadWriteOncePod") {
      one_pod = true;
    } else {
      others = true;
    }
  }
  if (one_pod && others) {
    errors.Forbidden(path.Text(), "may not use ReadWriteOncePod with other access modes");
  }
}

void ValidateStorageRequest(const json::Value& spec, const FieldPath& path, FieldErrors& errors) {
  const json::Value* storage = spec.Get("resources", "requests").Find("storage");
  const FieldPath resources = path.Child("resources");
  const std::string field = resources.Key("storage").Text();
  if (!storage) {
    errors.Required(field);
  } else if (CompareQuantities(storage->AsString(), "0") <= 0) {
    errors.Invalid(field, *storage, "must be greater than zero");
  }
}

void ValidateClassName(const json::Value& spec, std::string_view field, const FieldPath& path,
                       FieldErrors& errors) {
  const std::string& name = spec.Get(field).AsString();
  if (!name.empty()) AddFaults(FaultsOfDnsSubdomain(name), path.Child(field), name, errors);
}

void ValidateDataSource(const json::Value& source, const FieldPath& path, FieldErrors& errors) {
  if (source.IsNull()) return;
  for (const std::string_view field : {"name", "kind"}) {
    if (source.Get(field).IsEmpty()) errors.Required(path.At(field));
  }
  const std::string& group = source.Get("apiGroup").AsString();
  const json::Value& kind = source.Get("kind");
  if (group.empty() && kind.AsString() != "PersistentVolumeClaim") {
    errors.Invalid(path.Text(), kind.AsString(),
                   "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
  if (!group.empty()) {
    AddFaults(FaultsOfDnsSubdomain(group), path.Child("apiGroup"), group, errors);
  }
}

// Both describe the same source. The API prints the path of dataSource as the invalid value.
void ValidateSourcesMatch(const json::Value& spec, const FieldPath& path, FieldErrors& errors) {
  const json::Value& source = spec.Get("dataSource");
  const json::Value& reference = spec.Get("dataSourceRef");
  if (source.IsNull() || reference.IsNull()) return;
  const bool elsewhere = !reference.Get("namespace").IsEmpty();
  if (!elsewhere && source.Get("apiGroup") == reference.Get("apiGroup") &&
      source.Get("kind") == reference.Get("kind") && source.Get("name") == reference.Get("name")) {
    return;
  }
  errors.Add({FieldError::Type::kInvalid, path.Text(), "{}",
              elsewhere ? "may not be specified when dataSourceRef.namespace is specified"
                        : "must match dataSourceRef"});
}

}  // namespace

void DefaultVolumeClaim(json::Value& claim) {
  json::Value& status = claim.Mutable("status");
  if (status.Get("phase").IsEmpty()) status.Set("phase", "Pending");
  SetIfAbsent(claim.Mutable("spec"), "volumeMode", "Filesystem");
}

void ValidateVolumeClaimSpec(const json::Value& spec, const FieldPath& path, FieldErrors& errors) {
  const auto& modes = spec.Get("accessModes").items();
  const FieldPath modes_path = path.Child("accessModes");
  if (modes.empty()) errors.Required(modes_path.Text(), "at least 1 access mode is required");
  ValidateLabelSelector(spec.Get("selector"), path.Child("selector"), errors);
  ValidateAccessModes(modes, modes_path, errors);
  ValidateStorageRequest(spec, path, errors);
  ValidateClassName(spec, "storageClassName", path, errors);
  if (Has(spec, "volumeMode")) {
    ValidateChoice(spec, "volumeMode", {"Block", "Filesystem"}, path, errors);
  }
  ValidateDataSource(spec.Get("dataSource"), path.Child("dataSource"), errors);
  ValidateDataSource(spec.Get("dataSourceRef"), path.Child("dataSourceRef"), errors);
  ValidateSourcesMatch(spec, path, errors);
  ValidateClassName(spec, "volumeAttributesClassName", path, errors);
}

void AddVolumeClaimWarnings(const json::Value& spec, const FieldPath& path,
                            std::vector<std::string>& warnings) {
  const FieldPath resources = path.Child("resources");
  for (const std::string_view field : {"requests", "limits"}) {
    const std::string& storage = spec.Get("resources", field, "storage").AsString();
    if (storage.empty() || IsWholeQuantity(storage)) continue;
    const FieldPath at = resources.Child(field);
    warnings.push_back(at.Key("storage").Text() + ": fractional byte value " + Quoted(storage) +
                       " is invalid, must be an integer");
  }
}

}  // namespace capstan::testing::server
