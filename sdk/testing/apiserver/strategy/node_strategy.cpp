#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "apiserver/strategy/spec_status_strategy.h"
#include "apiserver/strategy/strategies.h"
#include "apiserver/validation/names.h"
#include "apiserver/validation/pod_spec.h"

namespace capstan::testing::server {
namespace {

constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kImmutableSpec = "node updates may not change ";
constexpr std::string_view kExceptFromEmpty = " except from \"\" to valid";

// Prints a taint as the API does: the fields by their Go names.
std::string PrintedTaint(const json::Value& taint) {
  return "{\"Key\":" + json::ToJson(taint.Get("key").AsString()) +
         ",\"Value\":" + json::ToJson(taint.Get("value").AsString()) +
         ",\"Effect\":" + json::ToJson(taint.Get("effect").AsString()) +
         ",\"TimeAdded\":" + json::ToJson(taint.Get("timeAdded")) + "}";
}

void ValidateTaints(const json::Value& taints, FieldErrors& errors) {
  // The API reports taints under metadata.
  const FieldPath path("metadata.taints");
  const auto& all = taints.items();
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (size_t i = 0; i < all.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string& key = all[i].Get("key").AsString();
    const std::string& value = all[i].Get("value").AsString();
    const std::string& effect = all[i].Get("effect").AsString();
    AddFaults(FaultsOfQualifiedName(key), at.Child("key"), key, errors);
    AddFaults(FaultsOfLabelValue(value), at.Child("value"), value, errors);
    if (effect.empty()) {
      errors.Required(at.At("effect"));
    } else {
      ValidateTaintEffect(effect, at.Child("effect"), errors);
    }
    if (!seen.insert({key, effect}).second) {
      errors.Add({FieldError::Type::kDuplicate, at.Text(), PrintedTaint(all[i]),
                  "taints must be unique by key and effect pair"});
    }
  }
}

// Validates the address ranges of a node's pods: at most one per IP family.
void ValidateRanges(const json::Value& ranges, FieldErrors& errors) {
  const FieldPath path("spec.podCIDRs");
  const auto& all = ranges.items();
  for (size_t i = 0; i < all.size(); ++i) {
    AddFaults(FaultsOfCidr(all[i].AsString()), path.Index(i), all[i].AsString(), errors);
  }
  if (all.size() < 2) return;
  const auto is_v6 = [](const json::Value& range) {
    return range.AsString().find(':') != std::string::npos;
  };
  if (all.size() > 2 || is_v6(all[0]) == is_v6(all[1])) {
    errors.Invalid(path.Text(), ranges, "may specify no more than one CIDR for each IP family");
  }
}

class Nodes : public SpecStatusStrategy {
 public:
  // Keeps the status, because a kubelet registers its node with one.
  void PrepareForCreate(json::Value& object) const override {
    Default(object);
    const json::Value taint = json::Value::Object({{"effect", "NoSchedule"}, {"key", kNotReady}});
    const auto& taints = object.Get("spec", "taints").items();
    // The node lifecycle controller removes the taint later.
    if (std::find(taints.begin(), taints.end(), taint) == taints.end()) {
      object.Mutable("spec", "taints").Append(taint);
    }
  }

  void Default(json::Value& object) const override {
    // Older clients write only podCIDR. It takes precedence over the list.
    const json::Value range = object.Get("spec", "podCIDR");
    if (!range.IsEmpty()) {
      const auto& ranges = object.Get("spec", "podCIDRs").items();
      if (ranges.empty() || !(ranges.front() == range)) {
        object.Mutable("spec", "podCIDRs") = json::Value::Array({range});
      }
    } else if (const auto& ranges = object.Get("spec", "podCIDRs").items(); !ranges.empty()) {
      const json::Value first = ranges.front();
      object.Mutable("spec", "podCIDR") = first;
    }
    const json::Value capacity = object.Get("status", "capacity");
    if (capacity.IsNull() || !object.Get("status", "allocatable").IsNull()) return;
    object.Mutable("status", "allocatable") = capacity;
  }

  void Validate(const json::Value& object, FieldErrors& errors) const override {
    ValidateTaints(object.Get("spec", "taints"), errors);
    ValidateRanges(object.Get("spec", "podCIDRs"), errors);
  }

  void ValidateUpdate(const json::Value& object, const json::Value& before,
                      std::string_view /*subresource*/, FieldErrors& errors) const override {
    const json::Value& spec = object.Get("spec");
    const json::Value& old = before.Get("spec");
    const auto& addresses = object.Get("status", "addresses").items();
    std::set<std::string> seen;
    for (size_t i = 0; i < addresses.size(); ++i) {
      if (seen.insert(json::ToJson(addresses[i])).second) continue;
      errors.Duplicate(FieldPath("status").At("addresses", i), addresses[i]);
    }
    if (!old.Get("podCIDRs").items().empty() && !(spec.Get("podCIDRs") == old.Get("podCIDRs"))) {
      errors.Forbidden("spec.podCIDRs",
                       std::string(kImmutableSpec) + "podCIDR" + std::string(kExceptFromEmpty));
    }
    if (!old.Get("providerID").AsString().empty() &&
        !(spec.Get("providerID") == old.Get("providerID"))) {
      errors.Forbidden("spec.providerID",
                       std::string(kImmutableSpec) + "providerID" + std::string(kExceptFromEmpty));
    }
  }

  std::optional<std::string> SelectableField(const json::Value& object,
                                             std::string_view field) const override {
    if (field == "spec.unschedulable") {
      return object.Get("spec", "unschedulable").AsBool() ? "true" : "false";
    }
    if (field == "metadata.namespace") return std::nullopt;
    return SpecStatusStrategy::SelectableField(object, field);
  }

 protected:
  bool CountsGenerations() const override { return false; }
};

}  // namespace

StrategyPtr NodeStrategy() { return std::make_shared<Nodes>(); }

}  // namespace capstan::testing::server
