// DaemonSets and ControllerRevisions.

#include <charconv>
#include <optional>
#include <string>

#include "apiserver/storage/object_fields.h"
#include "apiserver/strategy/strategies.h"
#include "apiserver/strategy/workload_parts.h"
#include "apiserver/validation/label_selector.h"
#include "apiserver/validation/names.h"
#include "apiserver/validation/pod_spec.h"

namespace capstan::testing::server {
namespace {

// The annotation in which apps/v1 shows the template generation.
constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";

int64_t TemplateGenerationOf(const json::Value& object) {
  const std::string& text =
      object.Get("metadata", "annotations").Get(kTemplateGeneration).AsString();
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void SetTemplateGeneration(json::Value& object, int64_t number) {
  object.Mutable("metadata", "annotations", kTemplateGeneration) = std::to_string(number);
}

void ValidateDaemonUpdate(const json::Value& rolling_update, const FieldPath& path,
                          FieldErrors& errors) {
  const json::Value& unavailable = rolling_update.Get("maxUnavailable");
  const json::Value& surge = rolling_update.Get("maxSurge");
  ValidateAmount(unavailable, path.Child("maxUnavailable"), errors);
  ValidateAmount(surge, path.Child("maxSurge"), errors);
  ValidateAtMostAll(unavailable, path.Child("maxUnavailable"), errors);
  ValidateAtMostAll(surge, path.Child("maxSurge"), errors);
  const bool has_unavailable = AmountOf(unavailable) != 0;
  const bool has_surge = AmountOf(surge) != 0;
  if (has_unavailable && has_surge) {
    errors.Invalid(path.At("maxSurge"), surge, "may not be set when maxUnavailable is non-zero");
  } else if (!has_unavailable && !has_surge) {
    errors.Required(path.At("maxUnavailable"), "cannot be 0 when maxSurge is 0");
  }
}

class DaemonSets : public WorkloadStrategy {
 public:
  void PrepareForCreate(json::Value& object) const override {
    WorkloadStrategy::PrepareForCreate(object);
    SetTemplateGeneration(object, std::max<int64_t>(1, TemplateGenerationOf(object)));
  }
  void PrepareForUpdate(json::Value& object, const json::Value& before,
                        std::string_view subresource) const override;
  void Default(json::Value& object) const override;
  void Validate(const json::Value& object, FieldErrors& errors) const override;
  void ValidateUpdate(const json::Value& object, const json::Value& before,
                      std::string_view subresource, FieldErrors& errors) const override;
  std::vector<std::string> WarningsOfUpdate(const json::Value& object,
                                            const json::Value& before) const override {
    if (object.Get("spec", "template") == before.Get("spec", "template")) return {};
    return WorkloadStrategy::WarningsOfUpdate(object, before);
  }

 protected:
  json::Value InitialStatus(const json::Value& /*object*/) const override {
    return json::Value::Object({{"currentNumberScheduled", 0},
                                {"desiredNumberScheduled", 0},
                                {"numberMisscheduled", 0},
                                {"numberReady", 0}});
  }
};

void DaemonSets::PrepareForUpdate(json::Value& object, const json::Value& before,
                                  std::string_view subresource) const {
  WorkloadStrategy::PrepareForUpdate(object, before, subresource);
  const bool changed = object.Get("spec", "template") != before.Get("spec", "template");
  SetTemplateGeneration(object, TemplateGenerationOf(before) + (changed ? 1 : 0));
}

void DaemonSets::Default(json::Value& object) const {
  WorkloadStrategy::Default(object);
  json::Value& spec = object.Mutable("spec");
  json::Value& strategy = spec.Mutable("updateStrategy");
  if (strategy.Get("type").IsEmpty()) strategy.Set("type", "RollingUpdate");
  if (strategy.Get("type").AsString() == "RollingUpdate") {
    json::Value& rolling_update = strategy.Mutable("rollingUpdate");
    SetIfAbsent(rolling_update, "maxUnavailable", 1);
    SetIfAbsent(rolling_update, "maxSurge", 0);
  }
  SetIfAbsent(spec, "revisionHistoryLimit", 10);
}

void DaemonSets::Validate(const json::Value& object, FieldErrors& errors) const {
  const FieldPath path("spec");
  const json::Value& spec = object.Get("spec");
  const json::Value& selector = spec.Get("selector");
  const json::Value& labels = spec.Get("template", "metadata", "labels");
  const FieldPath selector_path = path.Child("selector");
  ValidateLabelSelector(selector, selector_path, errors);
  if (IsReadableSelector(selector) && (selector.IsNull() || !SelectorMatches(selector, labels))) {
    errors.Invalid("spec.template.metadata.labels", labels,
                   "`selector` does not match template `labels`");
  }
  if (!selector.IsNull() && selector.Get("matchLabels").members().empty() &&
      selector.Get("matchExpressions").items().empty()) {
    errors.Add({FieldError::Type::kInvalid, selector_path.Text(), PrintedSelector(selector),
                "empty selector is invalid for daemonset"});
  }
  ValidatePodTemplate(spec.Get("template"), path.Child("template"), errors);
  ValidateAlwaysRestarts(spec, "DaemonSet", path, errors);
  ValidateNotNegative(spec, "minReadySeconds", path, errors);
  const json::Value& strategy = spec.Get("updateStrategy");
  const std::string& type = strategy.Get("type").AsString();
  const FieldPath strategy_path = path.Child("updateStrategy");
  if (type == "RollingUpdate") {
    ValidateDaemonUpdate(strategy.Get("rollingUpdate"), strategy_path.Child("rollingUpdate"),
                         errors);
  } else if (type != "OnDelete") {
    errors.Add({FieldError::Type::kNotSupported, strategy_path.Text(),
                "{\"Type\":" + json::ToJson(strategy.Get("type")) + ",\"RollingUpdate\":null}",
                "supported values: \"RollingUpdate\", \"OnDelete\""});
  }
  ValidateNotNegative(spec, "revisionHistoryLimit", path, errors);
}

void DaemonSets::ValidateUpdate(const json::Value& object, const json::Value& before,
                                std::string_view subresource, FieldErrors& errors) const {
  if (subresource != "status") {
    ValidateSelectorUnchanged(object, before, errors);
    return;
  }
  ValidateCounts(object.Get("status"),
                 {"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled",
                  "numberReady", "observedGeneration", "updatedNumberScheduled", "numberAvailable",
                  "numberUnavailable", "collisionCount"},
                 errors);
  ValidateCollisionCount(object, before, errors);
}

class ControllerRevisions : public Strategy {
 public:
  bool WantsQualifiedFinalizers() const override { return true; }

  void Validate(const json::Value& object, FieldErrors& errors) const override {
    const json::Value& revision = object.Get("revision");
    if (revision.AsInteger() < 0) errors.Invalid("revision", revision, std::string(kNotNegative));
    const json::Value& data = object.Get("data");
    if (!IsNew(object)) return;
    if (data.IsNull()) {
      errors.Required("data", "data is mandatory");
    } else if (!data.IsObject()) {
      errors.Required("data", "data must be a valid JSON object");
    }
  }

  void ValidateUpdate(const json::Value& object, const json::Value& before,
                      std::string_view /*subresource*/, FieldErrors& errors) const override {
    const json::Value& data = object.Get("data");
    if (data == before.Get("data")) return;
    errors.Add(
        {FieldError::Type::kInvalid, "data", json::ToJson(data), std::string(kFieldImmutable)});
  }
};

}  // namespace

StrategyPtr DaemonSetStrategy() { return std::make_shared<DaemonSets>(); }
StrategyPtr ControllerRevisionStrategy() { return std::make_shared<ControllerRevisions>(); }

}  // namespace capstan::testing::server
