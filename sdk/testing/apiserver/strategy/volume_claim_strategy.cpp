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

// Copies between dataSource and dataSourceRef where possible.
void NormalizeSources(json::Value& spec, const json::Value& before) {
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
  // Fields without a value can be set.
  for (const std::string_view field : {"volumeName", "storageClassName"}) {
    if (old.Get(field).IsEmpty()) fixed.Erase(field);
  }
  return fixed;
}

void VolumeClaims::ValidateUpdate(const json::Value& object, const json::Value& before,
                                  std::string_view subresource, FieldErrors& errors) const {
  const json::Value& spec = object.Get("spec");
  const json::Value& old = before.Get("spec");
  if (subresource == "status") {
    const FieldPath path("status.capacity");
    for (const json::Member& entry : object.Get("status", "capacity").members()) {
      if (CompareQuantities(entry.value.AsString(), "0") >= 0) continue;
      errors.Invalid(path.Key(entry.key).Text(), entry.value, "must be a valid resource quantity");
    }
    return;
  }
  const bool bound = object.Get("status", "phase").AsString() == "Bound";
  const json::Value& annotation = object.Get("metadata", "annotations").Get(kClassAnnotation);
  if (annotation != before.Get("metadata", "annotations").Get(kClassAnnotation)) {
    errors.Invalid("metadata.annotations." + std::string(kClassAnnotation), annotation.AsString(),
                   std::string(kFieldImmutable));
  }
  if (FixedPartOf(spec, old, bound) != FixedPartOf(old, old, bound)) {
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
