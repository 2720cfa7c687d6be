#include "apiserver/validation/label_selector.h"

#include <algorithm>
#include <string>

#include "apiserver/validation/names.h"
#include "apiserver/validation/object_meta.h"

namespace capstan::testing::server {
namespace {

bool TakesValues(std::string_view op) { return op == "In" || op == "NotIn"; }
bool TakesNone(std::string_view op) { return op == "Exists" || op == "DoesNotExist"; }

void ValidateRequirement(const json::Value& requirement, const FieldPath& path,
                         FieldErrors& errors) {
  const std::string& op = requirement.Get("operator").AsString();
  const auto& values = requirement.Get("values").items();
  if (TakesValues(op)) {
    if (values.empty()) {
      errors.Required(path.At("values"), "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (TakesNone(op)) {
    if (!values.empty()) {
      errors.Forbidden(path.At("values"),
                       "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else {
    errors.Invalid(path.At("operator"), op, "not a valid selector operator");
  }
  const std::string& key = requirement.Get("key").AsString();
  AddFaults(FaultsOfQualifiedName(key), path.Child("key"), key, errors);
  const FieldPath values_path = path.Child("values");
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string& value = values[i].AsString();
    AddFaults(FaultsOfLabelValue(value), values_path.Index(i), value, errors);
  }
}

bool RequirementMatches(const json::Value& requirement, const json::Value& labels) {
  const std::string& op = requirement.Get("operator").AsString();
  const json::Value* label = labels.Find(requirement.Get("key").AsString());
  if (op == "Exists") return label != nullptr;
  if (op == "DoesNotExist") return label == nullptr;
  const auto& values = requirement.Get("values").items();
  const bool listed = label && std::find(values.begin(), values.end(), *label) != values.end();
  return op == "In" ? listed : !listed;
}

bool IsReadableRequirement(const json::Value& requirement) {
  const std::string& op = requirement.Get("operator").AsString();
  const auto& values = requirement.Get("values").items();
  if (!(TakesValues(op) && !values.empty()) && !(TakesNone(op) && values.empty())) return false;
  return FaultsOfQualifiedName(requirement.Get("key").AsString()).empty() &&
         std::all_of(values.begin(), values.end(), [](const json::Value& value) {
           return FaultsOfLabelValue(value.AsString()).empty();
         });
}

}  // namespace

void ValidateLabelSelector(const json::Value& selector, const FieldPath& path,
                           FieldErrors& errors) {
  ValidateLabels(selector.Get("matchLabels"), path.Child("matchLabels"), errors);
  const auto& requirements = selector.Get("matchExpressions").items();
  const FieldPath list = path.Child("matchExpressions");
  for (size_t i = 0; i < requirements.size(); ++i) {
    ValidateRequirement(requirements[i], list.Index(i), errors);
  }
}

std::string PrintedSelector(const json::Value& selector) {
  std::string text;
  if (const json::Value* labels = selector.Find("matchLabels")) {
    text += "\"matchLabels\":";
    json::AppendJson(text, *labels);
  }
  std::string list;
  for (const json::Value& requirement : selector.Get("matchExpressions").items()) {
    list += list.empty() ? '[' : ',';
    list += InOrder(requirement, {"key", "operator", "values"});
  }
  if (!list.empty()) {
    if (!text.empty()) text += ',';
    text += "\"matchExpressions\":" + list + "]";
  }
  return "{" + text + "}";
}

bool SelectorMatches(const json::Value& selector, const json::Value& labels) {
  for (const json::Member& wanted : selector.Get("matchLabels").members()) {
    const json::Value* label = labels.Find(wanted.key);
    if (!label || *label != wanted.value) return false;
  }
  const auto& requirements = selector.Get("matchExpressions").items();
  return std::all_of(requirements.begin(), requirements.end(),
                     [&labels](const json::Value& requirement) {
                       return RequirementMatches(requirement, labels);
                     });
}

bool IsReadableSelector(const json::Value& selector) {
  const auto& wanted = selector.Get("matchLabels").members();
  const auto& requirements = selector.Get("matchExpressions").items();
  return std::all_of(wanted.begin(), wanted.end(),
                     [](const json::Member& label) {
                       return FaultsOfQualifiedName(label.key).empty() &&
                              FaultsOfLabelValue(label.value.AsString()).empty();
                     }) &&
         std::all_of(requirements.begin(), requirements.end(), IsReadableRequirement);
}

}  // namespace capstan::testing::server
