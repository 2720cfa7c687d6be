// Deployments and ReplicaSets.

#include <charconv>
#include <string>
#include <vector>

#include "apiserver/storage/object_fields.h"
#include "apiserver/strategy/pod_defaults.h"
#include "apiserver/strategy/pod_warnings.h"
#include "apiserver/strategy/strategies.h"
#include "apiserver/strategy/workload_parts.h"
#include "apiserver/validation/label_selector.h"
#include "apiserver/validation/names.h"
#include "apiserver/validation/pod_spec.h"

namespace capstan::testing::server {
namespace {

void ValidateTemplate(const json::Value& spec, const FieldPath& path, FieldErrors& errors) {
  const json::Value& selector = spec.Get("selector");
  if (!IsReadableSelector(selector)) {
    errors.Add({FieldError::Type::kInvalid, path.At("selector"), PrintedSelector(selector),
                "invalid label selector"});
    return;
  }
  const FieldPath at = path.Child("template");
  const json::Value& pod_template = spec.Get("template");
  const json::Value& labels = pod_template.Get("metadata", "labels");
  // A missing selector selects nothing.
  if (selector.IsNull() || !SelectorMatches(selector, labels)) {
    errors.Invalid(at.At("metadata.labels"), labels, "`selector` does not match template `labels`");
  }
  ValidatePodTemplate(pod_template, at, errors);
  ValidateAlwaysRestarts(spec, "ReplicaSet", path, errors);
}

// `parts` are counts of replicas.
void ValidateParts(const json::Value& status, std::initializer_list<std::string_view> parts,
                   FieldErrors& errors) {
  ValidateReplicaParts(status, parts, errors);
  const int64_t available = status.Get("availableReplicas").AsInteger();
  if (available > status.Get("readyReplicas").AsInteger()) {
    errors.Invalid("status.availableReplicas", available, "cannot be greater than readyReplicas");
  }
}

// The shared strategy of both kinds.
class Workload : public WorkloadStrategy {
 public:
  void Default(json::Value& object) const override {
    SetIfAbsent(object.Mutable("spec"), "replicas", 1);
    WorkloadStrategy::Default(object);
  }

  std::vector<std::string> Warnings(const json::Value& object) const override {
    std::vector<std::string> warnings;
    AddHostNameWarning(object, "Pod names and hostnames", warnings);
    AddPodWarnings(object.Get("spec", "template"), "spec.template", warnings);
    return warnings;
  }
};

class ReplicaSets : public Workload {
 public:
  void Validate(const json::Value& object, FieldErrors& errors) const override {
    const FieldPath path("spec");
    const json::Value& spec = object.Get("spec");
    ValidateNotNegative(spec, "replicas", path, errors);
    ValidateNotNegative(spec, "minReadySeconds", path, errors);
    ValidateWorkloadSelector(spec, "deployment", path, errors);
    ValidateTemplate(spec, path, errors);
  }

  void ValidateUpdate(const json::Value& object, const json::Value& before,
                      std::string_view subresource, FieldErrors& errors) const override {
    if (subresource != "status") {
      ValidateSelectorUnchanged(object, before, errors);
      return;
    }
    const json::Value& status = object.Get("status");
    ValidateCounts(status,
                   {"replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas",
                    "observedGeneration", "terminatingReplicas"},
                   errors);
    ValidateParts(status, {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"}, errors);
  }

 protected:
  json::Value InitialStatus(const json::Value& /*object*/) const override {
    return json::Value::Object({{"replicas", 0}});
  }
};

void ValidateRollingUpdate(const json::Value& rolling_update, const FieldPath& path,
                           FieldErrors& errors) {
  const json::Value& unavailable = rolling_update.Get("maxUnavailable");
  const json::Value& surge = rolling_update.Get("maxSurge");
  const FieldPath at = path.Child("maxUnavailable");
  ValidateAmount(unavailable, at, errors);
  ValidateAmount(surge, path.Child("maxSurge"), errors);
  if (AmountOf(unavailable) == 0 && AmountOf(surge) == 0) {
    errors.Invalid(at.Text(), unavailable, "may not be 0 when `maxSurge` is 0");
  }
  ValidateAtMostAll(unavailable, at, errors);
}

// Prints a strategy as the API does: the fields by their Go names, in Go's order.
std::string PrintedStrategy(const json::Value& strategy) {
  const json::Value& rolling_update = strategy.Get("rollingUpdate");
  std::string text = "{\"Type\":" + json::ToJson(strategy.Get("type")) + ",\"RollingUpdate\":";
  if (rolling_update.IsNull()) return text + "null}";
  // Only RollingUpdate has defaults. Without them an amount is 0.
  const auto amount = [&rolling_update](std::string_view field) {
    const json::Value& value = rolling_update.Get(field);
    return value.IsNull() ? std::string("0") : json::ToJson(value);
  };
  return text + "{\"MaxUnavailable\":" + amount("maxUnavailable") +
         ",\"MaxSurge\":" + amount("maxSurge") + "}}";
}

void ValidateStrategy(const json::Value& strategy, const FieldPath& path, FieldErrors& errors) {
  const std::string& type = strategy.Get("type").AsString();
  const json::Value& rolling_update = strategy.Get("rollingUpdate");
  if (type == "Recreate") {
    if (!rolling_update.IsNull()) {
      errors.Forbidden(path.At("rollingUpdate"),
                       "may not be specified when strategy `type` is 'Recreate'");
    }
  } else if (type == "RollingUpdate") {
    ValidateRollingUpdate(rolling_update, path.Child("rollingUpdate"), errors);
  } else {
    errors.Add({FieldError::Type::kNotSupported, path.Text(), PrintedStrategy(strategy),
                "supported values: \"Recreate\", \"RollingUpdate\""});
  }
}

class Deployments : public Workload {
 public:
  void Default(json::Value& object) const override;
  void Validate(const json::Value& object, FieldErrors& errors) const override;
  void ValidateUpdate(const json::Value& object, const json::Value& before,
                      std::string_view subresource, FieldErrors& errors) const override;

 protected:
  // Annotations change the generation, because ReplicaSets get copies of them.
  bool ChangesGeneration(const json::Value& object, const json::Value& before) const override {
    return Workload::ChangesGeneration(object, before) ||
           !(object.Get("metadata", "annotations") == before.Get("metadata", "annotations"));
  }
  void KeepMetadata(json::Value& object, const json::Value& before) const override {
    if (object.Get("metadata", "labels") == before.Get("metadata", "labels")) return;
    Keep(object.Mutable("metadata"), before.Get("metadata"), "labels");
  }
};

void Deployments::Default(json::Value& object) const {
  Workload::Default(object);
  json::Value& spec = object.Mutable("spec");
  SetIfAbsent(spec, "revisionHistoryLimit", 10);
  SetIfAbsent(spec, "progressDeadlineSeconds", 600);
  json::Value& strategy = spec.Mutable("strategy");
  if (strategy.Get("type").AsString().empty()) strategy.Set("type", "RollingUpdate");
  if (strategy.Get("type").AsString() != "RollingUpdate") return;
  json::Value& rolling_update = strategy.Mutable("rollingUpdate");
  SetIfAbsent(rolling_update, "maxUnavailable", "25%");
  SetIfAbsent(rolling_update, "maxSurge", "25%");
}

void Deployments::Validate(const json::Value& object, FieldErrors& errors) const {
  const FieldPath path("spec");
  const json::Value& spec = object.Get("spec");
  ValidateNotNegative(spec, "replicas", path, errors);
  ValidateWorkloadSelector(spec, "deployment", path, errors);
  ValidateTemplate(spec, path, errors);
  ValidateStrategy(spec.Get("strategy"), path.Child("strategy"), errors);
  ValidateNotNegative(spec, "minReadySeconds", path, errors);
  ValidateNotNegative(spec, "revisionHistoryLimit", path, errors);
  const json::Value& deadline = spec.Get("progressDeadlineSeconds");
  if (deadline.IsNull()) return;
  ValidateNotNegative(spec, "progressDeadlineSeconds", path, errors);
  if (deadline.AsInteger() <= spec.Get("minReadySeconds").AsInteger()) {
    errors.Invalid(path.At("progressDeadlineSeconds"), deadline,
                   "must be greater than minReadySeconds");
  }
}

void Deployments::ValidateUpdate(const json::Value& object, const json::Value& before,
                                 std::string_view subresource, FieldErrors& errors) const {
  if (subresource != "status") {
    ValidateSelectorUnchanged(object, before, errors);
    return;
  }
  const json::Value& status = object.Get("status");
  ValidateCounts(
      status,
      {"observedGeneration", "replicas", "updatedReplicas", "readyReplicas", "availableReplicas",
       "unavailableReplicas", "terminatingReplicas", "collisionCount"},
      errors);
  ValidateParts(status, {"updatedReplicas", "readyReplicas", "availableReplicas"}, errors);
  ValidateCollisionCount(object, before, errors);
}

}  // namespace

StrategyPtr DeploymentStrategy() { return std::make_shared<Deployments>(); }
StrategyPtr ReplicaSetStrategy() { return std::make_shared<ReplicaSets>(); }

}  // namespace capstan::testing::server
