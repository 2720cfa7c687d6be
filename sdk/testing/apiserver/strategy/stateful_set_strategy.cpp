// StatefulSets.

#include <string>
#include <utility>

#include "apiserver/storage/object_fields.h"
#include "apiserver/strategy/strategies.h"
#include "apiserver/strategy/workload_parts.h"
#include "apiserver/validation/choice.h"
#include "apiserver/validation/label_selector.h"
#include "apiserver/validation/names.h"
#include "apiserver/validation/object_meta.h"
#include "apiserver/validation/pod_spec.h"
#include "apiserver/validation/volume_claim.h"

namespace capstan::testing::server {
namespace {

// The mutable fields of a spec.
constexpr std::string_view kMutableOfSet[] = {"replicas",
                                              "ordinals",
                                              "template",
                                              "updateStrategy",
                                              "revisionHistoryLimit",
                                              "persistentVolumeClaimRetentionPolicy",
                                              "minReadySeconds"};

std::string PrintedUpdateStrategy(const json::Value& strategy) {
  const json::Value& rolling_update = strategy.Get("rollingUpdate");
  std::string text = "{\"Type\":" + json::ToJson(strategy.Get("type")) + ",\"RollingUpdate\":";
  if (rolling_update.IsNull()) return text + "null}";
  return text + "{\"Partition\":" + std::to_string(rolling_update.Get("partition").AsInteger()) +
         ",\"MaxUnavailable\":" + json::ToJson(rolling_update.Get("maxUnavailable")) + "}}";
}

void ValidateUpdateStrategy(const json::Value& strategy, const FieldPath& path,
                            FieldErrors& errors) {
  const std::string& type = strategy.Get("type").AsString();
  const json::Value& rolling_update = strategy.Get("rollingUpdate");
  const FieldPath at = path.Child("rollingUpdate");
  if (type == "OnDelete") {
    if (rolling_update.IsNull()) return;
    errors.Add({FieldError::Type::kInvalid, at.Text(),
                "{\"Partition\":" + std::to_string(rolling_update.Get("partition").AsInteger()) +
                    ",\"MaxUnavailable\":" + json::ToJson(rolling_update.Get("maxUnavailable")) +
                    "}",
                "only allowed for updateStrategy 'RollingUpdate'"});
  } else if (type == "RollingUpdate") {
    ValidateNotNegative(rolling_update, "partition", at, errors);
  } else {
    errors.Add({FieldError::Type::kInvalid, path.Text(), PrintedUpdateStrategy(strategy),
                "must be 'RollingUpdate' or 'OnDelete'"});
  }
}

// Returns the template in the form of its pods: the controller sets host names and the volumes of
// claims.
json::Value TemplateOfPods(const json::Value& spec) {
  json::Value pod_template = spec.Get("template");
  json::Value& pod_spec = pod_template.Mutable("spec");
  pod_spec.Erase("subdomain");
  pod_spec.Erase("hostname");
  const auto& claims = spec.Get("volumeClaimTemplates").items();
  if (claims.empty()) return pod_template;
  json::Value volumes = json::Value::Array();
  json::Value names = json::Value::Object();
  for (const json::Value& claim : claims) {
    const std::string& name = claim.Get("metadata", "name").AsString();
    if (names.Find(name)) continue;
    names.Set(name, true);
    volumes.Append(json::Value::Object(
        {{"name", name}, {"persistentVolumeClaim", json::Value::Object({{"claimName", name}})}}));
  }
  for (const json::Value& volume : pod_spec.Get("volumes").items()) {
    if (!names.Find(volume.Get("name").AsString())) volumes.Append(volume);
  }
  pod_spec.Set("volumes", std::move(volumes));
  return pod_template;
}

void ValidateTemplateOfSet(const json::Value& spec, const FieldPath& path, FieldErrors& errors) {
  const json::Value& selector = spec.Get("selector");
  if (!IsReadableSelector(selector)) {
    errors.Add({FieldError::Type::kInvalid, path.At("selector"), PrintedSelector(selector),
                std::string()});
    return;
  }
  const FieldPath at = path.Child("template");
  const json::Value pod_template = TemplateOfPods(spec);
  const json::Value& labels = pod_template.Get("metadata", "labels");
  const json::Value& annotations = pod_template.Get("metadata", "annotations");
  if (selector.IsNull() || !SelectorMatches(selector, labels)) {
    errors.Invalid(at.At("metadata.labels"), labels, "`selector` does not match template `labels`");
  }
  ValidatePodTemplate(pod_template, at, errors);
  ValidateLabels(labels, at.Child("labels"), errors);
  ValidateAnnotations(annotations, at.Child("annotations"), errors);
  ValidatePodAnnotations(annotations, pod_template.Get("spec"), at.Child("annotations"), errors);
}

void ValidateClaims(const json::Value& spec, const FieldPath& path, FieldErrors& errors) {
  const auto& claims = spec.Get("volumeClaimTemplates").items();
  const FieldPath claims_path = path.Child("volumeClaimTemplates");
  for (size_t i = 0; i < claims.size(); ++i) {
    const FieldPath at = claims_path.Index(i);
    ValidateVolumeClaimSpec(claims[i].Get("spec"), at.Child("spec"), errors);
  }
}

class StatefulSets : public WorkloadStrategy {
 public:
  void Default(json::Value& object) const override;
  void ValidateName(std::string_view name, std::string_view field,
                    FieldErrors& errors) const override {
    AddFaults(FaultsOfDnsLabel(name), FieldPath(field), name, errors);
  }
  void Validate(const json::Value& object, FieldErrors& errors) const override;
  void ValidateUpdate(const json::Value& object, const json::Value& before,
                      std::string_view subresource, FieldErrors& errors) const override;
  std::vector<std::string> Warnings(const json::Value& object) const override;
  std::vector<std::string> WarningsOfUpdate(const json::Value& object,
                                            const json::Value& before) const override;

 protected:
  json::Value InitialStatus(const json::Value& /*object*/) const override {
    return json::Value::Object({{"availableReplicas", 0}, {"replicas", 0}});
  }

 private:
  static void AddWarnings(const json::Value& object, std::vector<std::string>& warnings);
};

void StatefulSets::Default(json::Value& object) const {
  WorkloadStrategy::Default(object);
  json::Value& spec = object.Mutable("spec");
  if (spec.Get("podManagementPolicy").IsEmpty()) spec.Set("podManagementPolicy", "OrderedReady");
  json::Value& strategy = spec.Mutable("updateStrategy");
  if (strategy.Get("type").IsEmpty()) {
    strategy.Set("type", "RollingUpdate");
    SetIfAbsent(strategy, "rollingUpdate", json::Value::Object());
  }
  if (strategy.Get("type").AsString() == "RollingUpdate" && Has(strategy, "rollingUpdate")) {
    SetIfAbsent(strategy.Mutable("rollingUpdate"), "partition", 0);
    // Off by default in an API server.
    strategy.Mutable("rollingUpdate").Erase("maxUnavailable");
  }
  json::Value& retention = spec.Mutable("persistentVolumeClaimRetentionPolicy");
  for (const std::string_view field : {"whenDeleted", "whenScaled"}) {
    if (retention.Get(field).IsEmpty()) retention.Set(field, "Retain");
  }
  SetIfAbsent(spec, "replicas", 1);
  SetIfAbsent(spec, "revisionHistoryLimit", 10);
  if (!spec.Get("volumeClaimTemplates").IsArray()) return;
  for (json::Value& claim : spec.Mutable("volumeClaimTemplates").MutableItems()) {
    claim.Set("apiVersion", "v1");
    claim.Set("kind", "PersistentVolumeClaim");
    DefaultVolumeClaim(claim);
  }
}

void StatefulSets::Validate(const json::Value& object, FieldErrors& errors) const {
  const FieldPath path("spec");
  const json::Value& spec = object.Get("spec");
  const std::string& policy = spec.Get("podManagementPolicy").AsString();
  if (policy != "OrderedReady" && policy != "Parallel") {
    errors.Invalid(path.At("podManagementPolicy"), policy, "must be 'OrderedReady' or 'Parallel'");
  }
  ValidateUpdateStrategy(spec.Get("updateStrategy"), path.Child("updateStrategy"), errors);
  const json::Value& retention = spec.Get("persistentVolumeClaimRetentionPolicy");
  const FieldPath retention_path = path.Child("persistentVolumeClaimRetentionPolicy");
  ValidateChoice(retention, "whenDeleted", {"Retain", "Delete"}, retention_path, errors);
  ValidateChoice(retention, "whenScaled", {"Retain", "Delete"}, retention_path, errors);
  if (IsNew(object)) ValidateClaims(spec, path, errors);
  ValidateNotNegative(spec, "replicas", path, errors);
  ValidateNotNegative(spec, "minReadySeconds", path, errors);
  ValidateNotNegative(spec.Get("ordinals"), "start", path.Child("ordinals"), errors);
  const std::string& service = spec.Get("serviceName").AsString();
  if (IsNew(object) && !service.empty()) {
    AddFaults(FaultsOfDnsLabel(service), path.Child("serviceName"), service, errors);
  }
  ValidateWorkloadSelector(spec, "statefulset", path, errors);
  ValidateTemplateOfSet(spec, path, errors);
  ValidateAlwaysRestarts(spec, "StatefulSet", path, errors);
}

void StatefulSets::ValidateUpdate(const json::Value& object, const json::Value& before,
                                  std::string_view subresource, FieldErrors& errors) const {
  if (subresource == "status") {
    const json::Value& status = object.Get("status");
    ValidateCounts(status,
                   {"replicas", "readyReplicas", "currentReplicas", "updatedReplicas",
                    "availableReplicas", "observedGeneration", "collisionCount"},
                   errors);
    ValidateReplicaParts(
        status, {"readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"},
        errors);
    const int64_t available = status.Get("availableReplicas").AsInteger();
    if (available > status.Get("readyReplicas").AsInteger()) {
      errors.Invalid("status.availableReplicas", available,
                     "cannot be greater than status.readyReplicas");
    }
    ValidateCollisionCount(object, before, errors);
    return;
  }
  json::Value spec = object.Get("spec");
  json::Value old = before.Get("spec");
  for (const std::string_view field : kMutableOfSet) {
    spec.Erase(field);
    old.Erase(field);
  }
  if (spec == old) return;
  errors.Forbidden("spec",
                   "updates to statefulset spec for fields other than 'replicas', 'ordinals', "
                   "'template', 'updateStrategy', 'revisionHistoryLimit', "
                   "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden");
}

void StatefulSets::AddWarnings(const json::Value& object, std::vector<std::string>& warnings) {
  const auto& claims = object.Get("spec", "volumeClaimTemplates").items();
  const FieldPath path("spec.volumeClaimTemplates");
  for (size_t i = 0; i < claims.size(); ++i) {
    AddVolumeClaimWarnings(claims[i].Get("spec"), path.Index(i), warnings);
  }
  if (object.Get("spec", "revisionHistoryLimit").AsInteger() < 0) {
    warnings.emplace_back(
        "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= "
        "0 is recommended");
  }
}

std::vector<std::string> StatefulSets::Warnings(const json::Value& object) const {
  std::vector<std::string> warnings = WorkloadStrategy::Warnings(object);
  AddWarnings(object, warnings);
  return warnings;
}

std::vector<std::string> StatefulSets::WarningsOfUpdate(const json::Value& object,
                                                        const json::Value& before) const {
  std::vector<std::string> warnings = WorkloadStrategy::WarningsOfUpdate(object, before);
  AddWarnings(object, warnings);
  return warnings;
}

}  // namespace

StrategyPtr StatefulSetStrategy() { return std::make_shared<StatefulSets>(); }

}  // namespace capstan::testing::server
