// PodDisruptionBudgets.

#include <string>

#include "apiserver/strategy/strategies.h"
#include "apiserver/strategy/workload_parts.h"
#include "apiserver/validation/choice.h"
#include "apiserver/validation/conditions.h"
#include "apiserver/validation/label_selector.h"
#include "apiserver/validation/names.h"

namespace capstan::testing::server {
namespace {

std::string PrintedSpec(const json::Value& spec) {
  const json::Value& selector = spec.Get("selector");
  return "{\"MinAvailable\":" + json::ToJson(spec.Get("minAvailable")) +
         ",\"Selector\":" + (selector.IsNull() ? "null" : PrintedSelector(selector)) +
         ",\"MaxUnavailable\":" + json::ToJson(spec.Get("maxUnavailable")) +
         ",\"UnhealthyPodEvictionPolicy\":" + json::ToJson(spec.Get("unhealthyPodEvictionPolicy")) +
         "}";
}

class DisruptionBudgets : public SpecStatusStrategy {
 public:
  bool ValidatesMetadataLast() const override { return true; }
  bool WantsQualifiedFinalizers() const override { return false; }
  // Any name is valid.
  void ValidateName(std::string_view /*name*/, std::string_view /*field*/,
                    FieldErrors& /*errors*/) const override {}
  void Validate(const json::Value& object, FieldErrors& errors) const override {
    const FieldPath path("spec");
    const json::Value& spec = object.Get("spec");
    const json::Value& available = spec.Get("minAvailable");
    const json::Value& unavailable = spec.Get("maxUnavailable");
    if (!available.IsNull() && !unavailable.IsNull()) {
      errors.Add({FieldError::Type::kInvalid, "spec", PrintedSpec(spec),
                  "minAvailable and maxUnavailable cannot be both set"});
    }
    for (const std::string_view field : {"minAvailable", "maxUnavailable"}) {
      const json::Value& amount = spec.Get(field);
      if (amount.IsNull()) continue;
      ValidateAmount(amount, path.Child(field), errors);
      ValidateAtMostAll(amount, path.Child(field), errors);
    }
    ValidateLabelSelector(spec.Get("selector"), path.Child("selector"), errors);
    if (!spec.Get("unhealthyPodEvictionPolicy").IsNull()) {
      ValidateChoice(spec, "unhealthyPodEvictionPolicy", {"AlwaysAllow", "IfHealthyBudget"}, path,
                     errors);
    }
  }

  void ValidateUpdate(const json::Value& object, const json::Value& /*before*/,
                      std::string_view subresource, FieldErrors& errors) const override {
    if (subresource != "status") return;
    ValidateConditionList(object.Get("status", "conditions"), FieldPath("status.conditions"),
                          errors);
    ValidateCounts(object.Get("status"),
                   {"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"},
                   errors);
  }

 protected:
  json::Value InitialStatus(const json::Value& /*object*/) const override {
    return json::Value::Object({{"currentHealthy", 0},
                                {"desiredHealthy", 0},
                                {"disruptionsAllowed", 0},
                                {"expectedPods", 0}});
  }
};

}  // namespace

StrategyPtr DisruptionBudgetStrategy() { return std::make_shared<DisruptionBudgets>(); }

}  // namespace capstan::testing::server
