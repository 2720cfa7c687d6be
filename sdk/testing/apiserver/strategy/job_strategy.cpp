// Jobs and CronJobs.

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/storage/object_fields.h"
#include "apiserver/strategy/job_spec.h"
#include "apiserver/strategy/pod_defaults.h"
#include "apiserver/strategy/pod_warnings.h"
#include "apiserver/strategy/strategies.h"
#include "apiserver/strategy/workload_parts.h"
#include "apiserver/validation/choice.h"
#include "apiserver/validation/cron_schedule.h"
#include "apiserver/validation/label_selector.h"
#include "apiserver/validation/names.h"
#include "apiserver/validation/pod_spec.h"

namespace capstan::testing::server {
namespace {

// The labels that identify the pods of a Job, in their old and new form.
constexpr std::string_view kNameLabels[] = {"job-name", "batch.kubernetes.io/job-name"};
constexpr std::string_view kUidLabels[] = {"controller-uid", "batch.kubernetes.io/controller-uid"};
constexpr std::string_view kUidLabel = kUidLabels[1];

void GenerateSelector(json::Value& job) {
  const json::Value name = job.Get("metadata", "name");
  const json::Value uid = job.Get("metadata", "uid");
  json::Value& spec = job.Mutable("spec");
  json::Value& labels = spec.Mutable("template", "metadata", "labels");
  for (const std::string_view label : kNameLabels) SetIfAbsent(labels, label, name.AsString());
  for (const std::string_view label : kUidLabels) SetIfAbsent(labels, label, uid.AsString());
  SetIfAbsent(spec.Mutable("selector", "matchLabels"), kUidLabel, uid.AsString());
}

void ValidateHasLabel(const json::Value& labels, std::string_view label, const std::string& wanted,
                      FieldErrors& errors) {
  const FieldPath path("spec.template.metadata.labels");
  const json::Value* value = labels.Find(label);
  const std::string detail = "must be '" + wanted + "'";
  if (!value) {
    errors.Required(path.Key(label).Text(), detail);
  } else if (value->AsString() != wanted) {
    errors.Invalid(path.Key(label).Text(), labels, detail);
  }
}

void ValidateGeneratedSelector(const json::Value& job, FieldErrors& errors) {
  const json::Value& spec = job.Get("spec");
  if (spec.Get("manualSelector").AsBool() || spec.Get("selector").IsNull()) return;
  const std::string& name = job.Get("metadata", "name").AsString();
  const std::string& uid = job.Get("metadata", "uid").AsString();
  const json::Value& labels = spec.Get("template", "metadata", "labels");
  json::Value expected = json::Value::Object();
  for (size_t i = 0; i < std::size(kNameLabels); ++i) {
    ValidateHasLabel(labels, kUidLabels[i], uid, errors);
    ValidateHasLabel(labels, kNameLabels[i], name, errors);
    expected.Set(kUidLabels[i], uid);
    expected.Set(kNameLabels[i], name);
  }
  const json::Value& selector = spec.Get("selector");
  if (IsReadableSelector(selector) && !SelectorMatches(selector, expected)) {
    errors.Add({FieldError::Type::kInvalid, "spec.selector", PrintedSelector(selector),
                "`selector` not auto-generated"});
  }
}

void ValidateSpecWithSelector(const json::Value& spec, FieldErrors& errors) {
  const FieldPath path("spec");
  ValidateJobSpec(spec, path, errors);
  const json::Value& selector = spec.Get("selector");
  if (selector.IsNull()) {
    errors.Required(path.At("selector"));
  } else {
    ValidateLabelSelector(selector, path.Child("selector"), errors);
  }
  const json::Value& labels = spec.Get("template", "metadata", "labels");
  if (IsReadableSelector(selector) && (selector.IsNull() || !SelectorMatches(selector, labels))) {
    errors.Invalid("spec.template.metadata.labels", labels,
                   "`selector` does not match template `labels`");
  }
}

// The host names of an indexed Job's pods consist of its name and their index.
void ValidateHostNames(const json::Value& job, FieldErrors& errors) {
  const json::Value& spec = job.Get("spec");
  const int64_t completions = spec.Get("completions").AsInteger();
  if (spec.Get("completionMode").AsString() != "Indexed" || completions <= 0) return;
  const std::string& name = job.Get("metadata", "name").AsString();
  const std::string host = name + "-" + std::to_string(completions - 1);
  if (FaultsOfDnsLabel(host).empty()) return;
  errors.Invalid("metadata.name", name,
                 "will not able to create pod with invalid DNS label: " + host);
}

class Jobs : public SpecStatusStrategy {
 public:
  void PrepareForCreate(json::Value& object) const override;
  void Default(json::Value& object) const override;
  void Validate(const json::Value& object, FieldErrors& errors) const override {
    ValidateGeneratedSelector(object, errors);
    ValidateSpecWithSelector(object.Get("spec"), errors);
    ValidateHostNames(object, errors);
  }
  void ValidateUpdate(const json::Value& object, const json::Value& before,
                      std::string_view subresource, FieldErrors& errors) const override;
  std::vector<std::string> Warnings(const json::Value& object) const override;
  std::vector<std::string> WarningsOfUpdate(const json::Value& object,
                                            const json::Value& before) const override;
  std::optional<std::string> SelectableField(const json::Value& object,
                                             std::string_view field) const override {
    if (field == "status.successful") {
      return std::to_string(object.Get("status", "succeeded").AsInteger());
    }
    return SpecStatusStrategy::SelectableField(object, field);
  }
};

void Jobs::PrepareForCreate(json::Value& object) const {
  const bool has_labels = !object.Get("metadata", "labels").IsEmpty();
  SpecStatusStrategy::PrepareForCreate(object);
  if (!object.Get("spec", "manualSelector").AsBool()) GenerateSelector(object);
  // A Job without labels gets the labels of its template.
  const json::Value labels = object.Get("spec", "template", "metadata", "labels");
  if (!has_labels && !labels.IsEmpty()) object.Mutable("metadata", "labels") = labels;
}

void DefaultJobSpec(json::Value& spec) {
  const json::Value policy = spec.Get("podFailurePolicy");
  if (!policy.Get("rules").items().empty()) {
    for (json::Value& rule : spec.Mutable("podFailurePolicy", "rules").MutableItems()) {
      if (rule.Get("onPodConditions").items().empty()) continue;
      for (json::Value& pattern : rule.Mutable("onPodConditions").MutableItems()) {
        if (pattern.Get("status").IsEmpty()) pattern.Set("status", "True");
      }
    }
  }
  DefaultPodSpec(spec.Mutable("template", "spec"));
}

void Jobs::Default(json::Value& object) const {
  json::Value& spec = object.Mutable("spec");
  DefaultJobSpec(spec);
  if (!Has(spec, "completions") && !Has(spec, "parallelism")) spec.Set("completions", 1);
  SetIfAbsent(spec, "parallelism", 1);
  const int64_t tries = Has(spec, "backoffLimitPerIndex") ? std::numeric_limits<int32_t>::max() : 6;
  SetIfAbsent(spec, "backoffLimit", tries);
  SetIfAbsent(spec, "completionMode", "NonIndexed");
  SetIfAbsent(spec, "suspend", false);
  SetIfAbsent(spec, "podReplacementPolicy",
              Has(spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
  SetIfAbsent(spec, "manualSelector", false);
  const json::Value labels = spec.Get("template", "metadata", "labels");
  if (!labels.IsEmpty() && object.Get("metadata", "labels").IsEmpty()) {
    object.Mutable("metadata", "labels") = labels;
  }
}

// Validates changes of the template. A suspended Job without active pods may change the scheduling
// and the resources of its pods.
void ValidateTemplateUnchanged(const json::Value& object, const json::Value& before,
                               FieldErrors& errors) {
  json::Value now = object.Get("spec", "template");
  json::Value old = before.Get("spec", "template");
  const bool suspended = before.Get("spec", "suspend").AsBool();
  const bool stopped =
      before.Get("status", "startTime").IsNull() || HasJobCondition(before, "Suspended");
  const bool changeable = suspended && stopped && before.Get("status", "active").AsInteger() == 0;
  if (changeable) {
    for (json::Value* pod_template : {&now, &old}) {
      json::Value& spec = pod_template->Mutable("spec");
      for (const std::string_view field : {"nodeSelector", "tolerations", "schedulingGates"}) {
        spec.Erase(field);
      }
      if (spec.Get("affinity").IsObject()) spec.Mutable("affinity").Erase("nodeAffinity");
      EraseIfEmpty(spec, "affinity");
      for (const std::string_view list : {"containers", "initContainers"}) {
        if (spec.Get(list).items().empty()) continue;
        for (json::Value& container : spec.Mutable(list).MutableItems()) {
          if (container.IsObject()) container.Erase("resources");
        }
      }
      json::Value& metadata = pod_template->Mutable("metadata");
      metadata.Erase("annotations");
      metadata.Erase("labels");
    }
  }
  if (now == old) return;
  const json::Value& shown = object.Get("spec", "template");
  if (changeable) {
    errors.Invalid("spec.template.spec", shown.Get("spec"), std::string(kFieldImmutable));
  } else {
    errors.Invalid("spec.template", shown, std::string(kFieldImmutable));
  }
}

void ValidateCompletionsUnchanged(const json::Value& spec, const json::Value& old,
                                  const FieldPath& path, FieldErrors& errors) {
  const json::Value& completions = spec.Get("completions");
  if (spec.Get("completionMode").AsString() != "Indexed") {
    // Zero differs from an absent number.
    if (completions != old.Get("completions")) {
      errors.Invalid(path.At("completions"), completions, std::string(kFieldImmutable));
    }
  } else if (completions != old.Get("completions") && !completions.IsNull() &&
             completions != spec.Get("parallelism")) {
    errors.Invalid(path.At("completions"), completions,
                   "can only be modified in tandem with spec.parallelism");
  }
}

void Jobs::ValidateUpdate(const json::Value& object, const json::Value& before,
                          std::string_view subresource, FieldErrors& errors) const {
  if (subresource == "status") {
    ValidateJobStatus(object, before, errors);
    return;
  }
  const FieldPath path("spec");
  const json::Value& spec = object.Get("spec");
  const json::Value& old = before.Get("spec");
  // kube-apiserver validates the spec twice and reports both results.
  ValidateSpecWithSelector(spec, errors);
  ValidateCompletionsUnchanged(spec, old, path, errors);
  ValidateSelectorUnchanged(object, before, errors);
  ValidateTemplateUnchanged(object, before, errors);
  for (const std::string_view field :
       {"completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy"}) {
    ValidateImmutable(spec, old, field, path, errors);
  }
  if (const json::Value& policy = spec.Get("successPolicy"); policy != old.Get("successPolicy")) {
    errors.Add({FieldError::Type::kInvalid, path.At("successPolicy"),
                policy.IsNull() ? "null" : PrintedSuccessPolicy(policy),
                std::string(kFieldImmutable)});
  }
}

std::vector<std::string> Jobs::Warnings(const json::Value& object) const {
  std::vector<std::string> warnings;
  AddHostNameWarning(object, "Pod names and hostnames", warnings);
  AddPodWarnings(object.Get("spec", "template"), "spec.template", warnings);
  return warnings;
}

std::vector<std::string> Jobs::WarningsOfUpdate(const json::Value& object,
                                                const json::Value& before) const {
  std::vector<std::string> warnings;
  if (object.Get("metadata", "generation") == before.Get("metadata", "generation")) return warnings;
  AddPodWarnings(object.Get("spec", "template"), "spec.template", warnings);
  return warnings;
}

constexpr std::string_view kTemplatePath = "spec.jobTemplate.spec.template";

class CronJobs : public SpecStatusStrategy {
 public:
  void Default(json::Value& object) const override {
    json::Value& spec = object.Mutable("spec");
    if (spec.Get("concurrencyPolicy").IsEmpty()) spec.Set("concurrencyPolicy", "Allow");
    SetIfAbsent(spec, "suspend", false);
    SetIfAbsent(spec, "successfulJobsHistoryLimit", 3);
    SetIfAbsent(spec, "failedJobsHistoryLimit", 1);
    DefaultJobSpec(spec.Mutable("jobTemplate", "spec"));
  }
  void Validate(const json::Value& object, FieldErrors& errors) const override;
  void ValidateUpdate(const json::Value& /*object*/, const json::Value& /*before*/,
                      std::string_view /*subresource*/, FieldErrors& /*errors*/) const override {}
  std::vector<std::string> Warnings(const json::Value& object) const override {
    std::vector<std::string> warnings;
    AddHostNameWarning(object, "Pod names and hostnames", warnings);
    AddPodWarnings(TemplateOf(object), kTemplatePath, warnings);
    return warnings;
  }
  std::vector<std::string> WarningsOfUpdate(const json::Value& object,
                                            const json::Value& before) const override {
    std::vector<std::string> warnings;
    if (object.Get("metadata", "generation") != before.Get("metadata", "generation")) {
      AddPodWarnings(TemplateOf(object), kTemplatePath, warnings);
    }
    return warnings;
  }

 private:
  static const json::Value& TemplateOf(const json::Value& object) {
    return object.Get("spec", "jobTemplate", "spec", "template");
  }
};

void CronJobs::Validate(const json::Value& object, FieldErrors& errors) const {
  const FieldPath path("spec");
  const json::Value& spec = object.Get("spec");
  ValidateCronSchedule(spec.Get("schedule").AsString(), path.Child("schedule"), errors);
  ValidateNotNegative(spec, "startingDeadlineSeconds", path, errors);
  ValidateTimeZone(spec.Get("timeZone"), path.Child("timeZone"), errors);
  ValidateChoice(spec, "concurrencyPolicy", {"Allow", "Forbid", "Replace"}, path, errors);
  const json::Value& job_spec = spec.Get("jobTemplate", "spec");
  const FieldPath job_path("spec.jobTemplate.spec");
  ValidateJobSpec(job_spec, job_path, errors);
  if (const json::Value& selector = job_spec.Get("selector"); !selector.IsNull()) {
    errors.Add({FieldError::Type::kInvalid, job_path.At("selector"), PrintedSelector(selector),
                "`selector` will be auto-generated"});
  }
  if (job_spec.Get("manualSelector").AsBool()) {
    errors.NotSupported(job_path.At("manualSelector"), true, {"nil", "false"});
  }
  ValidateNotNegative(spec, "successfulJobsHistoryLimit", path, errors);
  ValidateNotNegative(spec, "failedJobsHistoryLimit", path, errors);
  // The names of its Jobs have a suffix of a dash and ten digits.
  constexpr size_t kLongestName = 52;
  const std::string& name = object.Get("metadata", "name").AsString();
  if (IsNew(object) && name.size() > kLongestName) {
    errors.Invalid("metadata.name", name, "must be no more than 52 characters");
  }
}

}  // namespace

StrategyPtr JobStrategy() { return std::make_shared<Jobs>(); }
StrategyPtr CronJobStrategy() { return std::make_shared<CronJobs>(); }

}  // namespace capstan::testing::server
