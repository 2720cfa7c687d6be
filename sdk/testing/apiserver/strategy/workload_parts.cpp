#include "apiserver/strategy/workload_parts.h"

#include <charconv>

#include "apiserver/storage/object_fields.h"
#include "apiserver/strategy/pod_defaults.h"
#include "apiserver/strategy/pod_warnings.h"
#include "apiserver/validation/label_selector.h"
#include "apiserver/validation/names.h"

namespace capstan::testing::server {

void ValidateWorkloadSelector(const json::Value& spec, std::string_view workload,
                              const FieldPath& path, FieldErrors& errors) {
  const json::Value& selector = spec.Get("selector");
  const FieldPath at = path.Child("selector");
  if (selector.IsNull()) {
    errors.Required(at.Text());
    return;
  }
  ValidateLabelSelector(selector, at, errors);
  if (selector.Get("matchLabels").members().empty() &&
      selector.Get("matchExpressions").items().empty()) {
    errors.Add({FieldError::Type::kInvalid, at.Text(), PrintedSelector(selector),
                "empty selector is invalid for " + std::string(workload)});
  }
}

void ValidateAlwaysRestarts(const json::Value& spec, std::string_view kind, const FieldPath& path,
                            FieldErrors& errors) {
  const FieldPath at = path.Child("template");
  const json::Value& pod_spec = spec.Get("template", "spec");
  const json::Value& policy = pod_spec.Get("restartPolicy");
  if (policy.AsString() != "Always") {
    errors.NotSupported(at.At("spec.restartPolicy"), policy, {"Always"});
  }
  if (!pod_spec.Get("activeDeadlineSeconds").IsNull()) {
    errors.Forbidden(at.At("spec.activeDeadlineSeconds"),
                     "activeDeadlineSeconds in " + std::string(kind) + " is not Supported");
  }
}

void ValidateImmutable(const json::Value& spec, const json::Value& before, std::string_view field,
                       const FieldPath& path, FieldErrors& errors) {
  const json::Value& value = spec.Get(field);
  const json::Value& old = before.Get(field);
  if (value == old || (value.IsEmpty() && old.IsEmpty())) return;
  errors.Invalid(path.At(field), value, std::string(kFieldImmutable));
}

void ValidateSelectorUnchanged(const json::Value& object, const json::Value& before,
                               FieldErrors& errors) {
  const json::Value& selector = object.Get("spec", "selector");
  if (selector == before.Get("spec", "selector")) return;
  errors.Add({FieldError::Type::kInvalid, "spec.selector",
              selector.IsNull() ? "null" : PrintedSelector(selector),
              std::string(kFieldImmutable)});
}

int64_t AmountOf(const json::Value& amount) {
  if (!amount.IsString()) return amount.AsInteger();
  const std::string& text = amount.AsString();
  const bool percent = FaultsOfPercent(text).empty();
  int64_t number = 0;
  const char* const end = text.data() + text.size() - (percent ? 1 : 0);
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return stop == end && error == std::errc() ? number : 0;
}

void ValidateAmount(const json::Value& amount, const FieldPath& path, FieldErrors& errors) {
  if (amount.IsString()) {
    for (const std::string& fault : FaultsOfPercent(amount.AsString())) {
      errors.Invalid(path.Text(), amount, fault);
    }
  } else if (amount.AsInteger() < 0) {
    errors.Invalid(path.Text(), amount, std::string(kNotNegative));
  }
}

void ValidateAtMostAll(const json::Value& amount, const FieldPath& path, FieldErrors& errors) {
  constexpr int64_t kAll = 100;
  if (amount.IsString() && FaultsOfPercent(amount.AsString()).empty() && AmountOf(amount) > kAll) {
    errors.Invalid(path.Text(), amount, "must not be greater than 100%");
  }
}

void ValidateCounts(const json::Value& status, std::initializer_list<std::string_view> counts,
                    FieldErrors& errors) {
  const FieldPath path("status");
  for (const std::string_view count : counts) ValidateNotNegative(status, count, path, errors);
}

void ValidateReplicaParts(const json::Value& status, std::initializer_list<std::string_view> parts,
                          FieldErrors& errors) {
  const FieldPath path("status");
  const int64_t replicas = status.Get("replicas").AsInteger();
  for (const std::string_view part : parts) {
    const int64_t count = status.Get(part).AsInteger();
    if (count > replicas) {
      errors.Invalid(path.At(part), count, "cannot be greater than status.replicas");
    }
  }
}

void ValidateCollisionCount(const json::Value& object, const json::Value& before,
                            FieldErrors& errors) {
  const json::Value& old = before.Get("status", "collisionCount");
  const json::Value& count = object.Get("status", "collisionCount");
  if (old.IsNull() || (!count.IsNull() && count.AsInteger() >= old.AsInteger())) return;
  errors.Invalid("status.collisionCount", count.AsInteger(), "cannot be decremented");
}

void WorkloadStrategy::Default(json::Value& object) const {
  DefaultPodSpec(object.Mutable("spec").Mutable("template", "spec"));
}

std::vector<std::string> WorkloadStrategy::Warnings(const json::Value& object) const {
  std::vector<std::string> warnings;
  AddPodWarnings(object.Get("spec", "template"), "spec.template", warnings);
  return warnings;
}

std::vector<std::string> WorkloadStrategy::WarningsOfUpdate(const json::Value& object,
                                                            const json::Value& before) const {
  if (object.Get("metadata", "generation") == before.Get("metadata", "generation")) return {};
  std::vector<std::string> warnings;
  AddPodWarnings(object.Get("spec", "template"), "spec.template", warnings);
  return warnings;
}

}  // namespace capstan::testing::server
