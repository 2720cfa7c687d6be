// ResourceQuotas.

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/runtime/format.h>

#include "apiserver/strategy/spec_status_strategy.h"
#include "apiserver/strategy/strategies.h"
#include "apiserver/validation/names.h"
#include "apiserver/validation/resource_requirements.h"

namespace capstan::testing::server {
namespace {

// Resources that are counted in whole numbers.
constexpr std::string_view kCountedResources[] = {"pods",
                                                  "resourcequotas",
                                                  "services",
                                                  "replicationcontrollers",
                                                  "secrets",
                                                  "configmaps",
                                                  "persistentvolumeclaims",
                                                  "services.nodeports",
                                                  "services.loadbalancers"};
// The resources that quotas limit by amount.
constexpr std::string_view kQuotaResources[] = {"cpu",
                                                "memory",
                                                "ephemeral-storage",
                                                "requests.cpu",
                                                "requests.memory",
                                                "requests.storage",
                                                "requests.ephemeral-storage",
                                                "limits.cpu",
                                                "limits.memory",
                                                "limits.ephemeral-storage"};
constexpr std::string_view kScopes[] = {"Terminating",
                                        "NotTerminating",
                                        "BestEffort",
                                        "NotBestEffort",
                                        "PriorityClass",
                                        "VolumeAttributesClass",
                                        "CrossNamespacePodAffinity"};

template <size_t N>
bool IsOneOf(const std::string_view (&all)[N], std::string_view name) {
  return std::find(std::begin(all), std::end(all), name) != std::end(all);
}

bool IsQuotaResource(std::string_view name) {
  return IsOneOf(kCountedResources, name) || IsOneOf(kQuotaResources, name) ||
         name.starts_with("hugepages-") || name.starts_with("requests.hugepages-");
}

void ValidateQuotaName(const std::string& name, const FieldPath& path, FieldErrors& errors) {
  const Faults faults = FaultsOfQualifiedName(name);
  AddFaults(faults, path, name, errors);
  if (name.find('/') != std::string::npos || IsQuotaResource(name)) return;
  if (faults.empty() && name != "storage") {
    errors.Invalid(path.Text(), name, "must be a standard resource type or fully qualified");
  }
  errors.Invalid(path.Text(), name, "must be a standard resource for quota");
}

void ValidateAmounts(const json::Value& amounts, const FieldPath& path, FieldErrors& errors) {
  for (const json::Member& amount : amounts.members()) {
    const FieldPath at = path.Key(amount.key);
    ValidateQuotaName(amount.key, at, errors);
    const std::string& quantity = amount.value.AsString();
    if (CompareQuantities(quantity, "0") < 0) {
      errors.Invalid(at.Text(), amount.value, std::string(kNotNegative));
    }
    const bool whole = IsOneOf(kCountedResources, amount.key);
    if (whole && !IsWholeQuantity(quantity)) {
      errors.Invalid(at.Text(), amount.value, "must be an integer");
    }
  }
}

// Whether a quota with this scope can limit the resource.
bool FitsScope(std::string_view scope, std::string_view resource) {
  constexpr std::array<std::string_view, 6> kComputed = {
      "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"};
  if (scope == "BestEffort") return resource == "pods";
  if (scope == "VolumeAttributesClass") {
    return resource == "persistentvolumeclaims" || resource == "requests.storage";
  }
  if (!IsOneOf(kScopes, scope)) return true;
  return resource == "pods" ||
         std::find(kComputed.begin(), kComputed.end(), resource) != kComputed.end();
}

// `printed` is the text of the scopes in errors.
void ValidateScopesFit(std::string_view scope, const json::Value& hard, const FieldPath& path,
                       const std::string& printed, FieldErrors& errors) {
  for (const json::Member& amount : hard.members()) {
    if (!IsQuotaResource(amount.key) || FitsScope(scope, amount.key)) continue;
    errors.Add({FieldError::Type::kInvalid, path.Text(), printed,
                "unsupported scope applied to resource"});
  }
}

void ValidateNoConflict(const std::set<std::string_view>& scopes, const FieldPath& path,
                        const std::string& printed, FieldErrors& errors) {
  constexpr std::pair<std::string_view, std::string_view> kConflicts[] = {
      {"BestEffort", "NotBestEffort"}, {"Terminating", "NotTerminating"}};
  for (const auto& [one, other] : kConflicts) {
    if (!scopes.contains(one) || !scopes.contains(other)) continue;
    errors.Add({FieldError::Type::kInvalid, path.Text(), printed, "conflicting scopes"});
  }
}

void ValidateScopes(const json::Value& spec, FieldErrors& errors) {
  const FieldPath path("spec.scopes");
  const json::Value& list = spec.Get("scopes");
  const std::string printed = json::ToJson(list);
  std::set<std::string_view> scopes;
  for (const json::Value& scope : list.items()) {
    if (!IsOneOf(kScopes, scope.AsString())) {
      errors.Add({FieldError::Type::kInvalid, path.Text(), printed, "unsupported scope"});
    }
    ValidateScopesFit(scope.AsString(), spec.Get("hard"), path, printed, errors);
    scopes.insert(scope.AsString());
  }
  ValidateNoConflict(scopes, path, printed, errors);
}

void ValidateScopeOperator(const json::Value& requirement, const FieldPath& path,
                           FieldErrors& errors) {
  const std::string& scope = requirement.Get("scopeName").AsString();
  const std::string& op = requirement.Get("operator").AsString();
  const bool takes_values = scope == "PriorityClass" || scope == "VolumeAttributesClass";
  if (IsOneOf(kScopes, scope) && !takes_values && op != "Exists") {
    errors.Invalid(path.At("operator"), op,
                   "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
                   "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
                   "ResourceQuotaScopeNotBestEffort or "
                   "ResourceQuotaScopeCrossNamespacePodAffinity");
  }
  const json::Value& values = requirement.Get("values");
  if (op == "In" || op == "NotIn") {
    if (values.items().empty()) {
      errors.Required(path.At("values"),
                      "must be at least one value when `operator` is 'In' or 'NotIn' for scope "
                      "selector");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.items().empty()) {
      errors.Invalid(path.At("values"), values,
                     "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope "
                     "selector");
    }
  } else {
    errors.Invalid(path.At("operator"), op, "not a valid selector operator");
  }
}

// A scope selector as Go prints its internal struct.
std::string PrintedScopeSelector(const json::Value& selector) {
  std::string terms;
  for (const json::Value& term : selector.Get("matchExpressions").items()) {
    terms += terms.empty() ? "{" : ",{";
    terms += "\"ScopeName\":" + json::ToJson(term.Get("scopeName"));
    terms += ",\"Operator\":" + json::ToJson(term.Get("operator"));
    terms += ",\"Values\":" + json::ToJson(term.Get("values")) + "}";
  }
  return "{\"MatchExpressions\":[" + terms + "]}";
}

void ValidateScopeSelector(const json::Value& spec, FieldErrors& errors) {
  const FieldPath path("spec.scopeSelector.matchExpressions");
  std::set<std::string_view> scopes;
  const std::string printed = PrintedScopeSelector(spec.Get("scopeSelector"));
  for (const json::Value& requirement : spec.Get("scopeSelector", "matchExpressions").items()) {
    const std::string& scope = requirement.Get("scopeName").AsString();
    if (!IsOneOf(kScopes, scope)) {
      errors.Invalid(path.At("scopeName"), scope, "unsupported scope");
    }
    ValidateScopesFit(scope, spec.Get("hard"), path, printed, errors);
    ValidateScopeOperator(requirement, path, errors);
    scopes.insert(scope);
  }
  ValidateNoConflict(scopes, path, json::ToJson(spec.Get("scopes")), errors);
}

std::set<std::string> SetOf(const json::Value& list) {
  std::set<std::string> texts;
  for (const json::Value& text : list.items()) texts.insert(text.AsString());
  return texts;
}

class ResourceQuotas : public SpecStatusStrategy {
 public:
  void Validate(const json::Value& object, FieldErrors& errors) const override {
    const json::Value& spec = object.Get("spec");
    ValidateAmounts(spec.Get("hard"), FieldPath("spec.hard"), errors);
    ValidateScopes(spec, errors);
    ValidateScopeSelector(spec, errors);
  }

  void ValidateUpdate(const json::Value& object, const json::Value& before,
                      std::string_view subresource, FieldErrors& errors) const override {
    if (subresource == "status") {
      ValidateAmounts(object.Get("status", "hard"), FieldPath("status.hard"), errors);
      ValidateAmounts(object.Get("status", "used"), FieldPath("status.used"), errors);
      return;
    }
    const json::Value& scopes = object.Get("spec", "scopes");
    if (SetOf(scopes) == SetOf(before.Get("spec", "scopes"))) return;
    errors.Invalid("spec.scopes", scopes, std::string(kFieldImmutable));
  }

  std::vector<std::string> Warnings(const json::Value& object) const override;

 protected:
  bool CountsGenerations() const override { return false; }
};

std::vector<std::string> ResourceQuotas::Warnings(const json::Value& object) const {
  std::vector<std::string> warnings;
  const json::Value& hard = object.Get("spec", "hard");
  for (const std::string_view resource : {"cpu", "memory", "storage", "ephemeral-storage"}) {
    std::string name = "requests." + std::string(resource);
    if (!hard.Find(name) && (resource == "cpu" || resource == "memory")) name = resource;
    const std::string limit_name = "limits." + std::string(resource);
    const json::Value* request = hard.Find(name);
    const json::Value* limit = hard.Find(limit_name);
    if (!request || !limit || CompareQuantities(request->AsString(), limit->AsString()) <= 0) {
      continue;
    }
    warnings.push_back(Format("ResourceQuota {} ({}) should be less than {} ({})", name,
                              request->AsString(), limit_name, limit->AsString()));
  }
  return warnings;
}

}  // namespace

StrategyPtr ResourceQuotaStrategy() { return std::make_shared<ResourceQuotas>(); }

}  // namespace capstan::testing::server
