// HorizontalPodAutoscalers.

#include <algorithm>
#include <string>
#include <utility>

#include "apiserver/storage/object_fields.h"
#include "apiserver/strategy/spec_status_strategy.h"
#include "apiserver/strategy/strategies.h"
#include "apiserver/strategy/workload_parts.h"
#include "apiserver/validation/choice.h"
#include "apiserver/validation/metric_spec.h"
#include "apiserver/validation/names.h"
#include "apiserver/validation/resource_requirements.h"

namespace capstan::testing::server {
namespace {

constexpr int64_t kLongestPeriod = 1800;  // seconds
constexpr int64_t kLongestWindow = 3600;

json::Value Policy(std::string_view type, int64_t value) {
  return json::Value::Object({{"type", type}, {"value", value}, {"periodSeconds", 15}});
}

void DefaultRules(json::Value& rules, bool up) {
  SetIfAbsent(rules, "selectPolicy", "Max");
  if (up) SetIfAbsent(rules, "stabilizationWindowSeconds", 0);
  if (Has(rules, "policies")) return;
  json::Value policies = json::Value::Array();
  if (up) policies.Append(Policy("Pods", 4));
  policies.Append(Policy("Percent", 100));
  rules.Set("policies", std::move(policies));
}

json::Value DefaultMetric() {
  return json::Value::Object(
      {{"type", "Resource"},
       {"resource",
        json::Value::Object({{"name", "cpu"},
                             {"target", json::Value::Object({{"type", "Utilization"},
                                                             {"averageUtilization", 80}})}})}});
}

void ValidatePolicy(const json::Value& policy, const FieldPath& path, FieldErrors& errors) {
  const std::string& type = policy.Get("type").AsString();
  if (type != "Pods" && type != "Percent") {
    errors.NotSupported(path.At("type"), type, {"Percent", "Pods"});
  }
  for (const std::string_view field : {"value", "periodSeconds"}) {
    const int64_t number = policy.Get(field).AsInteger();
    if (number <= 0) errors.Invalid(path.At(field), number, "must be greater than zero");
  }
  const int64_t period = policy.Get("periodSeconds").AsInteger();
  if (period > kLongestPeriod) {
    errors.Invalid(path.At("periodSeconds"), period,
                   "must be less than or equal to " + std::to_string(kLongestPeriod));
  }
}

void ValidateRules(const json::Value& rules, const FieldPath& path, FieldErrors& errors) {
  if (rules.IsNull()) return;
  const json::Value& window = rules.Get("stabilizationWindowSeconds");
  if (window.AsInteger() < 0) {
    errors.Invalid(path.At("stabilizationWindowSeconds"), window,
                   "must be greater than or equal to zero");
  }
  if (window.AsInteger() > kLongestWindow) {
    errors.Invalid(path.At("stabilizationWindowSeconds"), window,
                   "must be less than or equal to " + std::to_string(kLongestWindow));
  }
  if (Has(rules, "selectPolicy")) {
    ValidateChoice(rules, "selectPolicy", {"Disabled", "Max", "Min"}, path, errors);
  }
  const auto& policies = rules.Get("policies").items();
  const FieldPath at = path.Child("policies");
  if (policies.empty()) errors.Required(at.Text(), "must specify at least one Policy");
  for (size_t i = 0; i < policies.size(); ++i) ValidatePolicy(policies[i], at.Index(i), errors);
  const json::Value& tolerance = rules.Get("tolerance");
  if (CompareQuantities(tolerance.AsString(), "0") < 0) {
    errors.Invalid(path.At("tolerance"), tolerance, std::string(kNotNegative));
  }
}

// v1 keeps fields of v2 in these annotations; the API removes them from objects of v2.
void EraseOldForms(json::Value& object) {
  if (!object.Get("metadata", "annotations").IsObject()) return;
  json::Value& annotations = object.Mutable("metadata", "annotations");
  for (const std::string_view field : {"metrics", "behavior", "current-metrics", "conditions"}) {
    annotations.Erase("autoscaling.alpha.kubernetes.io/" + std::string(field));
  }
  EraseIfEmpty(object.Mutable("metadata"), "annotations");
}

class Autoscalers : public SpecStatusStrategy {
 public:
  void Default(json::Value& object) const override {
    EraseOldForms(object);
    json::Value& spec = object.Mutable("spec");
    SetIfAbsent(spec, "minReplicas", 1);
    if (spec.Get("metrics").IsEmpty()) spec.Set("metrics", json::Value::Array({DefaultMetric()}));
    if (!Has(spec, "behavior")) return;
    json::Value& behavior = spec.Mutable("behavior");
    DefaultRules(behavior.Mutable("scaleUp"), true);
    DefaultRules(behavior.Mutable("scaleDown"), false);
  }

  void Validate(const json::Value& object, FieldErrors& errors) const override;

  void ValidateUpdate(const json::Value& object, const json::Value& /*before*/,
                      std::string_view subresource, FieldErrors& errors) const override {
    if (subresource != "status") return;
    ValidateCounts(object.Get("status"), {"currentReplicas", "desiredReplicas"}, errors);
  }

 protected:
  json::Value InitialStatus(const json::Value& /*object*/) const override {
    return json::Value::Object({{"currentMetrics", json::Value()}, {"desiredReplicas", 0}});
  }
  bool CountsGenerations() const override { return false; }
};

void Autoscalers::Validate(const json::Value& object, FieldErrors& errors) const {
  const FieldPath path("spec");
  const json::Value& spec = object.Get("spec");
  const json::Value& least = spec.Get("minReplicas");
  const int64_t most = spec.Get("maxReplicas").AsInteger();
  if (!least.IsNull() && least.AsInteger() < 1) {
    errors.Invalid(path.At("minReplicas"), least, "must be greater than or equal to 1");
  }
  if (most == 0) {
    errors.Required(path.At("maxReplicas"), "must be set and greater than 0");
  } else if (most < 0) {
    errors.Invalid(path.At("maxReplicas"), most, "must be greater than or equal to 1");
  }
  if (!least.IsNull() && most < least.AsInteger()) {
    errors.Invalid(path.At("maxReplicas"), most, "must be greater than or equal to `minReplicas`");
  }
  const json::Value& target = spec.Get("scaleTargetRef");
  const bool may_be_core = target.Get("kind").AsString() == "ReplicationController";
  ValidateScaleTarget(target, may_be_core, path.Child("scaleTargetRef"), errors);
  const auto& metrics = spec.Get("metrics").items();
  const FieldPath metrics_path = path.Child("metrics");
  for (size_t i = 0; i < metrics.size(); ++i) {
    ValidateMetricSpec(metrics[i], metrics_path.Index(i), errors);
  }
  const auto counts_itself = [](const json::Value& metric) {
    const std::string& type = metric.Get("type").AsString();
    return type == "Object" || type == "External";
  };
  if (!least.IsNull() && least.AsInteger() == 0 &&
      std::none_of(metrics.begin(), metrics.end(), counts_itself)) {
    errors.Forbidden(metrics_path.Text(),
                     "must specify at least one Object or External metric to support scaling to "
                     "zero replicas");
  }
  const FieldPath behavior = path.Child("behavior");
  ValidateRules(spec.Get("behavior", "scaleUp"), behavior.Child("scaleUp"), errors);
  ValidateRules(spec.Get("behavior", "scaleDown"), behavior.Child("scaleDown"), errors);
}

}  // namespace

StrategyPtr AutoscalerStrategy() { return std::make_shared<Autoscalers>(); }

}  // namespace capstan::testing::server
