// PersistentVolumeClaims.

#include <algorithm>
#include <string>
#include <utility>

#include "apiserver/storage/object_fields.h"
#include "apiserver/strategy/spec_status_strategy.h"
#include "apiserver/strategy/strategies.h"
#include "apiserver/validation/names.h"
#include "apiserver/validation/resource_requirements.h"
#include "apiserver/validation/volume_claim.h"

namespace capstan::testing::server {
namespace {

constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";

// Whether dataSource supports the source. dataSourceRef supports any source.
bool IsClaimOrSnapshot(const json::Value& source) {
  const std::string& group = source.Get("apiGroup").AsString();
  const std::string& kind = source.Get("kind").AsString();
  return (kind == "PersistentVolumeClaim" && group.empty()) ||
         (kind == "VolumeSnapshot" && group == "snapshot.storage.k8s.io");
}

json::Value SourceFrom(const json::Value& other) {
  json::Value source = json::Value::Object();
  for (const std::string_view field : {"apiGroup", "kind", "name"}) {
    source.Set(field, other.Get(field));
  }
  return source;
}

// Copies between dataSource and dataSourceRef where possible. A source in another namespace is
// dropped, as the feature CrossNamespaceVolumeDataSource is off.
void NormalizeSources(json::Value& spec, const json::Value& before) {
  if (!spec.Get("dataSourceRef", "namespace").IsEmpty() && !Has(before, "dataSourceRef")) {
    spec.Erase("dataSourceRef");
  }
  const json::Value source = spec.Get("dataSource");
  const json::Value reference = spec.Get("dataSourceRef");
  const bool in_use = Has(before, "dataSource") || Has(before, "dataSourceRef");
  if (!in_use && reference.IsNull() && !source.IsNull() && !IsClaimOrSnapshot(source)) {
    spec.Erase("dataSource");
    return;
  }
  if (!source.IsNull() && reference.IsNull()) {
    spec.Set("dataSourceRef", SourceFrom(source));
  } else if (source.IsNull() && !reference.IsNull() && reference.Get("namespace").IsEmpty()) {
    spec.Set("dataSource", SourceFrom(reference));
  }
}

// Adds the finalizer of the admission plugin. It keeps a claim while pods use it.
void Protect(json::Value& claim) {
  constexpr std::string_view kProtection = "kubernetes.io/pvc-protection";
  const auto& finalizers = claim.Get("metadata", "finalizers").items();
  if (std::find(finalizers.begin(), finalizers.end(), json::Value(kProtection)) ==
      finalizers.end()) {
    claim.Mutable("metadata", "finalizers").Append(kProtection);
  }
}

class VolumeClaims : public SpecStatusStrategy {
 public:
  void PrepareForCreate(json::Value& object) const override {
    SpecStatusStrategy::PrepareForCreate(object);
    NormalizeSources(object.Mutable("spec"), json::Value());
    Protect(object);
  }
  void PrepareForUpdate(json::Value& object, const json::Value& before,
                        std::string_view subresource) const override {
    SpecStatusStrategy::PrepareForUpdate(object, before, subresource);
    if (subresource.empty()) NormalizeSources(object.Mutable("spec"), before.Get("spec"));
  }
  void Default(json::Value& object) const override { DefaultVolumeClaim(object); }
  void Validate(const json::Value& object, FieldErrors& errors) const override {
    ValidateVolumeClaimSpec(object.Get("spec"), FieldPath("spec"), errors);
  }
  void ValidateUpdate(const json::Value& object, const json::Value& before,
                      std::string_view subresource, FieldErrors& errors) const override;
  std::string Admit(const json::Value& object, const json::Value& before,
                    std::string_view subresource) const override;
  std::vector<std::string> Warnings(const json::Value& object) const override;
  std::vector<std::string> WarningsOfUpdate(const json::Value& object,
                                            const json::Value& /*before*/) const override {
    return Warnings(object);
  }
  std::optional<std::string> SelectableField(const json::Value& object,
                                             std::string_view field) const override {
    if (field == "name") return object.Get("metadata", "name").AsString();
    return SpecStatusStrategy::SelectableField(object, field);
  }

 protected:
  json::Value InitialStatus(const json::Value& /*object*/) const override {
    return json::Value::Object({{"phase", "Pending"}});
  }
  bool CountsGenerations() const override { return false; }
};

// Returns the immutable part of a spec. A bound claim has fewer immutable fields.
json::Value FixedPartOf(const json::Value& spec, const json::Value& old, bool bound) {
  json::Value fixed = spec;
  if (bound) {
    fixed.Erase("volumeAttributesClassName");
    if (fixed.Get("resources", "requests").IsObject()) {
      fixed.Mutable("resources", "requests").Erase("storage");
    }
  }
  // A claim is bound once.
  if (old.Get("volumeName").IsEmpty()) fixed.Erase("volumeName");
  return fixed;
}

// The storage class of a claim is set once. It may move from the annotation to the field.
bool SetsClass(const json::Value& object, const json::Value& before, const FieldPath& annotations,
               FieldErrors& errors) {
  const json::Value& wanted = object.Get("spec", "storageClassName");
  const json::Value& old = before.Get("spec", "storageClassName");
  const json::Value& annotation = object.Get("metadata", "annotations").Get(kClassAnnotation);
  const json::Value& old_annotation = before.Get("metadata", "annotations").Get(kClassAnnotation);
  const bool is_set = old.IsNull() && !wanted.IsNull();
  if (is_set && wanted == old_annotation && (annotation.IsNull() || annotation == old_annotation)) {
    return true;
  }
  if (annotation.AsString() != old_annotation.AsString()) {
    errors.Invalid(annotations.At(kClassAnnotation), annotation.AsString(),
                   std::string(kFieldImmutable));
  }
  return is_set && (old_annotation.IsNull() || wanted == old_annotation);
}

void ValidateAttributesClass(const json::Value& spec, const json::Value& status,
                             FieldErrors& errors) {
  const json::Value& name = spec.Get("volumeAttributesClassName");
  if (!Has(status, "currentVolumeAttributesClassName") || !name.IsEmpty()) return;
  errors.Forbidden("spec.volumeAttributesClassName",
                   std::string("update to ") + (name.IsNull() ? "nil" : "empty string") +
                       " is forbidden when status.currentVolumeAttributesClassName is not nil");
}

// Whether a resource can be in a claim's status.
bool ValidateClaimResource(const std::string& name, const FieldPath& path, FieldErrors& errors) {
  const Faults faults = FaultsOfQualifiedName(name);
  AddFaults(faults, path, name, errors);
  if (!faults.empty()) return false;
  if (!IsNativeResource(name) || name == "storage") return true;
  errors.NotSupported(path.Text(), name, {"storage"});
  return false;
}

void ValidateStatusAmount(const json::Member& amount, const FieldPath& path, FieldErrors& errors) {
  const int64_t value = IntegerOf(amount.value.AsString());
  if (value >= 0) return;
  errors.Invalid(path.Key(amount.key).Text(), value, "must be a valid resource quantity");
}

void ValidateClaimStatus(const json::Value& status, FieldErrors& errors) {
  const std::vector<std::string> resizes = {"ControllerResizeInProgress",
                                            "ControllerResizeInfeasible", "NodeResizeInProgress",
                                            "NodeResizeInfeasible", "NodeResizePending"};
  for (const json::Member& amount : status.Get("capacity").members()) {
    ValidateStatusAmount(amount, FieldPath("status.capacity"), errors);
  }
  const FieldPath resize_path("status.allocatedResourceStatuses");
  for (const json::Member& resize : status.Get("allocatedResourceStatuses").members()) {
    ValidateClaimResource(resize.key, resize_path, errors);
    if (std::find(resizes.begin(), resizes.end(), resize.value.AsString()) == resizes.end()) {
      errors.NotSupported(resize_path.Text(), resize.key, resizes);
    }
  }
  const FieldPath amount_path("status.allocatedResources");
  for (const json::Member& amount : status.Get("allocatedResources").members()) {
    if (ValidateClaimResource(amount.key, amount_path, errors)) {
      ValidateStatusAmount(amount, amount_path, errors);
    }
  }
}

void VolumeClaims::ValidateUpdate(const json::Value& object, const json::Value& before,
                                  std::string_view subresource, FieldErrors& errors) const {
  const json::Value& spec = object.Get("spec");
  const json::Value& old = before.Get("spec");
  if (subresource == "status") {
    ValidateClaimStatus(object.Get("status"), errors);
    return;
  }
  const bool bound = object.Get("status", "phase").AsString() == "Bound";
  json::Value fixed = FixedPartOf(spec, old, bound);
  if (SetsClass(object, before, FieldPath("metadata.annotations"), errors)) {
    fixed.Erase("storageClassName");
  }
  if (fixed != FixedPartOf(old, old, bound)) {
    errors.Forbidden("spec",
                     "spec is immutable after creation except resources.requests and "
                     "volumeAttributesClassName for bound claims");
  }
  const std::string& size = spec.Get("resources", "requests", "storage").AsString();
  const std::string& old_size = old.Get("resources", "requests", "storage").AsString();
  const std::string& capacity = object.Get("status", "capacity", "storage").AsString();
  if (CompareQuantities(size, old_size) < 0 && CompareQuantities(size, capacity) <= 0) {
    errors.Forbidden("spec.resources.requests.storage",
                     "field can not be less than status.capacity");
  }
  if (spec.Get("volumeMode") != old.Get("volumeMode")) {
    errors.Invalid("volumeMode", spec.Get("volumeMode"), std::string(kFieldImmutable));
  }
  if (spec.Get("volumeAttributesClassName") != old.Get("volumeAttributesClassName")) {
    ValidateAttributesClass(spec, before.Get("status"), errors);
  }
}

// The plugin PersistentVolumeClaimResize. There are no storage classes that allow an expansion.
std::string VolumeClaims::Admit(const json::Value& object, const json::Value& before,
                                std::string_view subresource) const {
  if (before.IsNull() || !subresource.empty()) return "";
  const auto size = [](const json::Value& claim) -> const std::string& {
    return claim.Get("spec", "resources", "requests", "storage").AsString();
  };
  if (CompareQuantities(size(object), size(before)) <= 0) return "";
  if (before.Get("status", "phase").AsString() != "Bound") {
    return "Only bound persistent volume claims can be expanded";
  }
  return "only dynamically provisioned pvc can be resized and the storageclass that provisions the "
         "pvc must support resize";
}

std::vector<std::string> VolumeClaims::Warnings(const json::Value& object) const {
  std::vector<std::string> warnings;
  if (object.Get("metadata", "annotations").Find(kClassAnnotation)) {
    warnings.push_back("metadata.annotations[" + std::string(kClassAnnotation) +
                       "]: deprecated since v1.8; use \"storageClassName\" attribute instead");
  }
  AddVolumeClaimWarnings(object.Get("spec"), FieldPath("spec"), warnings);
  return warnings;
}

}  // namespace

StrategyPtr VolumeClaimStrategy() { return std::make_shared<VolumeClaims>(); }

}  // namespace capstan::testing::server
