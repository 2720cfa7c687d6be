#include "apiserver/strategy/job_spec.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "apiserver/storage/object_fields.h"
#include "apiserver/strategy/job_indexes.h"
#include "apiserver/validation/choice.h"
#include "apiserver/validation/names.h"
#include "apiserver/validation/pod_spec.h"
#include "base/text/ascii.h"

namespace capstan::testing::server {
namespace {

constexpr int64_t kMostIndexedParallelism = 100'000;
constexpr int64_t kMostFailedIndexes = 100'000;
constexpr int64_t kManyCompletions = 100'000;
constexpr int64_t kParallelismOfMany = 10'000;
constexpr int64_t kFailedIndexesOfMany = 10'000;
constexpr size_t kMostPolicyRules = 20;
constexpr size_t kMostExitCodes = 255;
constexpr size_t kMostConditionPatterns = 20;
constexpr size_t kLongestManager = 63;

std::string AtMost(int64_t most) { return "must be less than or equal to " + std::to_string(most); }

void ValidateIndexedJob(const json::Value& spec, const FieldPath& path, FieldErrors& errors) {
  const json::Value& completions = spec.Get("completions");
  const json::Value& parallelism = spec.Get("parallelism");
  const json::Value& failed = spec.Get("maxFailedIndexes");
  if (completions.IsNull()) {
    errors.Required(path.At("completions"), "when completion mode is Indexed");
  }
  if (parallelism.AsInteger() > kMostIndexedParallelism) {
    errors.Invalid(path.At("parallelism"), parallelism,
                   AtMost(kMostIndexedParallelism) + " when completion mode is Indexed");
  }
  if (!completions.IsNull() && failed.AsInteger() > completions.AsInteger()) {
    errors.Invalid(path.At("maxFailedIndexes"), failed,
                   "must be less than or equal to completions");
  }
  if (failed.AsInteger() > kMostFailedIndexes) {
    errors.Invalid(path.At("maxFailedIndexes"), failed, AtMost(kMostFailedIndexes));
  }
  if (completions.AsInteger() <= kManyCompletions || !Has(spec, "backoffLimitPerIndex")) return;
  const std::string when = " when completions are above " + std::to_string(kManyCompletions) +
                           " and used with backoff limit per index";
  if (failed.IsNull()) {
    errors.Required(path.At("maxFailedIndexes"), "must be specified when completions is above " +
                                                     std::to_string(kManyCompletions));
  }
  if (parallelism.AsInteger() > kParallelismOfMany) {
    errors.Invalid(path.At("parallelism"), parallelism, AtMost(kParallelismOfMany) + when);
  }
  if (failed.AsInteger() > kFailedIndexesOfMany) {
    errors.Invalid(path.At("maxFailedIndexes"), failed, AtMost(kFailedIndexesOfMany) + when);
  }
}

void ValidateCompletionMode(const json::Value& spec, const FieldPath& path, FieldErrors& errors) {
  const std::string& mode = spec.Get("completionMode").AsString();
  if (Has(spec, "completionMode")) {
    ValidateChoice(spec, "completionMode", {"NonIndexed", "Indexed"}, path, errors);
    if (mode == "Indexed") ValidateIndexedJob(spec, path, errors);
  }
  if (Has(spec, "completionMode") && mode != "NonIndexed") return;
  for (const std::string_view field : {"backoffLimitPerIndex", "maxFailedIndexes"}) {
    if (!Has(spec, field)) continue;
    errors.Invalid(path.At(field), spec.Get(field), "requires indexed completion mode");
  }
}

std::set<std::string_view> ContainerNames(const json::Value& spec) {
  std::set<std::string_view> names;
  const json::Value& pod_spec = spec.Get("template", "spec");
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const json::Value& container : pod_spec.Get(list).items()) {
      names.insert(container.Get("name").AsString());
    }
  }
  return names;
}

void ValidateExitCodes(const json::Value& codes, const std::set<std::string_view>& containers,
                       const FieldPath& path, FieldErrors& errors) {
  const std::string& op = codes.Get("operator").AsString();
  if (op.empty()) {
    errors.Required(path.At("operator"), "valid values: [\"In\" \"NotIn\"]");
  } else {
    ValidateChoice(codes, "operator", {"In", "NotIn"}, path, errors);
  }
  const json::Value& container = codes.Get("containerName");
  if (!container.IsNull() && !containers.contains(container.AsString())) {
    errors.Invalid(path.At("containerName"), container,
                   "must be one of the container or initContainer names in the pod template");
  }
  const FieldPath at = path.Child("values");
  const json::Value& list = codes.Get("values");
  const auto& values = list.items();
  if (values.empty()) {
    errors.Invalid(at.Text(), list, "at least one value is required");
  } else if (values.size() > kMostExitCodes) {
    errors.TooMany(at.Text(), static_cast<int64_t>(values.size()), kMostExitCodes);
  }
  std::set<int64_t> seen;
  bool ordered = true;
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t value = values[i].AsInteger();
    const FieldPath place = at.Index(i);
    if (op == "In" && value == 0) {
      errors.Invalid(place.Text(), value, "must not be 0 for the In operator");
    }
    if (!seen.insert(value).second) errors.Duplicate(place.Text(), value);
    if (i > 0 && values[i - 1].AsInteger() > value) ordered = false;
  }
  if (!ordered) errors.Invalid(at.Text(), list, "must be ordered");
}

void ValidateConditionPatterns(const json::Value::Items& patterns, const FieldPath& path,
                               FieldErrors& errors) {
  if (patterns.size() > kMostConditionPatterns) {
    errors.TooMany(path.Text(), static_cast<int64_t>(patterns.size()), kMostConditionPatterns);
  }
  for (size_t i = 0; i < patterns.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string& type = patterns[i].Get("type").AsString();
    AddFaults(FaultsOfQualifiedName(type), at.Child("type"), type, errors);
    if (patterns[i].Get("status").IsEmpty()) {
      errors.Required(at.At("status"), "valid values: [\"False\" \"True\" \"Unknown\"]");
    } else {
      ValidateChoice(patterns[i], "status", {"False", "True", "Unknown"}, at, errors);
    }
  }
}

void ValidateFailureRule(const json::Value& spec, const json::Value& rule,
                         const std::set<std::string_view>& containers, const FieldPath& path,
                         FieldErrors& errors) {
  const std::string& action = rule.Get("action").AsString();
  if (action.empty()) {
    errors.Required(path.At("action"),
                    "valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]");
  } else if (action == "FailIndex") {
    if (!Has(spec, "backoffLimitPerIndex")) {
      errors.Invalid(path.At("action"), action, "requires the backoffLimitPerIndex to be set");
    }
  } else {
    ValidateChoice(rule, "action", {"Count", "FailIndex", "FailJob", "Ignore"}, path, errors);
  }
  const bool has_codes = Has(rule, "onExitCodes");
  const auto& patterns = rule.Get("onPodConditions").items();
  if (has_codes) {
    ValidateExitCodes(rule.Get("onExitCodes"), containers, path.Child("onExitCodes"), errors);
  }
  ValidateConditionPatterns(patterns, path.Child("onPodConditions"), errors);
  if (has_codes == !patterns.empty()) {
    errors.Add({FieldError::Type::kInvalid, path.Text(), "",
                has_codes ? "specifying both OnExitCodes and OnPodConditions is not supported"
                          : "specifying one of OnExitCodes and OnPodConditions is required"});
  }
}

void ValidateFailurePolicy(const json::Value& spec, const FieldPath& path, FieldErrors& errors) {
  const auto& rules = spec.Get("podFailurePolicy", "rules").items();
  const FieldPath policy = path.Child("podFailurePolicy");
  const FieldPath at = policy.Child("rules");
  if (rules.size() > kMostPolicyRules) {
    errors.TooMany(at.Text(), static_cast<int64_t>(rules.size()), kMostPolicyRules);
  }
  const std::set<std::string_view> containers = ContainerNames(spec);
  for (size_t i = 0; i < rules.size(); ++i) {
    ValidateFailureRule(spec, rules[i], containers, at.Index(i), errors);
  }
}

void ValidateSuccessPolicy(const json::Value& spec, const FieldPath& path, FieldErrors& errors) {
  const FieldPath policy = path.Child("successPolicy");
  if (spec.Get("completionMode").AsString() != "Indexed") {
    errors.Add({FieldError::Type::kInvalid, policy.Text(),
                PrintedSuccessPolicy(spec.Get("successPolicy")),
                "requires indexed completion mode"});
    return;
  }
  const auto& rules = spec.Get("successPolicy", "rules").items();
  const FieldPath at = policy.Child("rules");
  if (rules.empty()) {
    errors.Required(at.Text(),
                    "at least one rules must be specified when the successPolicy is specified");
  }
  if (rules.size() > kMostPolicyRules) {
    errors.TooMany(at.Text(), static_cast<int64_t>(rules.size()), kMostPolicyRules);
  }
  const int64_t completions = spec.Get("completions").AsInteger();
  for (size_t i = 0; i < rules.size(); ++i) {
    const FieldPath rule = at.Index(i);
    if (!Has(rules[i], "succeededCount") && !Has(rules[i], "succeededIndexes")) {
      errors.Required(rule.Text(),
                      "at least one of succeededCount or succeededIndexes must be specified");
    }
    ValidateNotNegative(rules[i], "succeededCount", rule, errors);
    const json::Value& count = rules[i].Get("succeededCount");
    if (count.AsInteger() > completions) {
      errors.Invalid(rule.At("succeededCount"), count,
                     AtMost(completions) + " (the number of specified completions)");
    }
    if (!Has(rules[i], "succeededIndexes")) continue;
    const json::Value& text = rules[i].Get("succeededIndexes");
    const JobIndexes indexes = ReadJobIndexes(text.AsString(), completions);
    if (!indexes.fault.empty()) {
      errors.Invalid(rule.At("succeededIndexes"), text,
                     "error parsing succeededIndexes: " + indexes.fault);
    }
    if (!count.IsNull() && count.AsInteger() > indexes.count) {
      errors.Invalid(rule.At("succeededCount"), count,
                     AtMost(indexes.count) +
                         " (the number of indexes in the specified succeededIndexes field)");
    }
  }
}

void ValidateReplacementPolicy(const json::Value& spec, const FieldPath& path,
                               FieldErrors& errors) {
  if (!Has(spec, "podReplacementPolicy")) return;
  if (Has(spec, "podFailurePolicy")) {
    ValidateChoice(spec, "podReplacementPolicy", {"Failed"}, path, errors);
  } else {
    ValidateChoice(spec, "podReplacementPolicy", {"Failed", "TerminatingOrFailed"}, path, errors);
  }
}

void ValidateRestartPolicy(const json::Value& spec, const FieldPath& path, FieldErrors& errors) {
  const FieldPath at = path.Child("template");
  const FieldPath pod_spec = at.Child("spec");
  const std::string& policy = spec.Get("template", "spec", "restartPolicy").AsString();
  if (policy.empty() || policy == "Always") {
    errors.Required(pod_spec.At("restartPolicy"), "valid values: \"OnFailure\", \"Never\"");
  } else if (policy != "OnFailure" && policy != "Never") {
    errors.NotSupported(pod_spec.At("restartPolicy"), policy, {"OnFailure", "Never"});
  } else if (Has(spec, "podFailurePolicy") && policy != "Never") {
    errors.Invalid(pod_spec.At("restartPolicy"), policy,
                   "only \"Never\" is supported when podFailurePolicy is specified");
  }
}

void ValidateManagedBy(const json::Value& spec, const FieldPath& path, FieldErrors& errors) {
  if (!Has(spec, "managedBy")) return;
  const std::string& manager = spec.Get("managedBy").AsString();
  const size_t slash = manager.find('/');
  const FieldPath at = path.Child("managedBy");
  if (manager.empty()) {
    errors.Required(at.Text());
  } else if (slash == std::string::npos || slash == 0 || slash + 1 == manager.size()) {
    errors.Invalid(at.Text(), manager, "must be a domain-prefixed path (such as \"acme.io/foo\")");
  } else {
    AddFaults(FaultsOfDnsSubdomain(manager.substr(0, slash)), at, manager.substr(0, slash), errors);
    constexpr std::string_view kOfPaths = "/-._~%!$&'()*+,;=:";
    const auto is_of_paths = [&](char c) {
      return text::IsDigit(c) || (text::ToLower(c) >= 'a' && text::ToLower(c) <= 'z') ||
             kOfPaths.find(c) != std::string_view::npos;
    };
    const std::string name = manager.substr(slash + 1);
    if (!std::all_of(name.begin(), name.end(), is_of_paths)) {
      errors.Invalid(at.Text(), name,
                     "Invalid path (regex used for validation is "
                     "'[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')");
    }
  }
  if (manager.size() > kLongestManager) errors.TooLong(at.Text(), kLongestManager);
}

}  // namespace

std::string PrintedSuccessPolicy(const json::Value& policy) {
  std::string rules;
  for (const json::Value& rule : policy.Get("rules").items()) {
    if (!rules.empty()) rules += ',';
    rules += "{\"SucceededIndexes\":" + json::ToJson(rule.Get("succeededIndexes")) +
             ",\"SucceededCount\":" + json::ToJson(rule.Get("succeededCount")) + "}";
  }
  return "{\"Rules\":" + (rules.empty() ? "null" : "[" + rules + "]") + "}";
}

void ValidateJobSpec(const json::Value& spec, const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view field :
       {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
        "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"}) {
    ValidateNotNegative(spec, field, path, errors);
  }
  if (Has(spec, "maxFailedIndexes") && !Has(spec, "backoffLimitPerIndex")) {
    errors.Required(path.At("backoffLimitPerIndex"), "when maxFailedIndexes is specified");
  }
  ValidateManagedBy(spec, path, errors);
  ValidateCompletionMode(spec, path, errors);
  if (Has(spec, "podFailurePolicy")) ValidateFailurePolicy(spec, path, errors);
  if (Has(spec, "successPolicy")) ValidateSuccessPolicy(spec, path, errors);
  ValidateReplacementPolicy(spec, path, errors);
  ValidatePodTemplate(spec.Get("template"), path.Child("template"), errors);
  ValidateRestartPolicy(spec, path, errors);
}

}  // namespace capstan::testing::server
