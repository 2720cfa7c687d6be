// Validation of the status of Jobs and of its updates (job_spec.h).

#include <algorithm>
#include <set>
#include <string>

#include "apiserver/storage/object_fields.h"
#include "apiserver/strategy/job_indexes.h"
#include "apiserver/strategy/job_spec.h"
#include "apiserver/strategy/workload_parts.h"
#include "apiserver/validation/names.h"

namespace capstan::testing::server {

bool HasJobCondition(const json::Value& job, std::string_view type) {
  for (const json::Value& condition : job.Get("status", "conditions").items()) {
    if (condition.Get("type").AsString() == type && condition.Get("status").AsString() == "True") {
      return true;
    }
  }
  return false;
}

namespace {

bool IsFinished(const json::Value& job) {
  return HasJobCondition(job, "Complete") || HasJobCondition(job, "Failed");
}

// Adds an Invalid error without a value.
void InvalidStatus(std::string_view field, std::string detail, FieldErrors& errors) {
  errors.Add({FieldError::Type::kInvalid, "status." + std::string(field), "", std::move(detail)});
}

void ValidateUncounted(const json::Value& pods, FieldErrors& errors) {
  const FieldPath path("status.uncountedTerminatedPods");
  std::set<std::string_view> seen;
  for (const std::string_view list : {"succeeded", "failed"}) {
    const auto& uids = pods.Get(list).items();
    for (size_t i = 0; i < uids.size(); ++i) {
      const std::string& uid = uids[i].AsString();
      if (uid.empty()) {
        errors.Invalid(path.At(list, i), uid, "must not be empty");
      } else if (!seen.insert(uid).second) {
        errors.Duplicate(path.At(list, i), uid);
      }
    }
  }
}

// Rules that apply only to changed fields.
class StatusChange {
 public:
  StatusChange(const json::Value& job, const json::Value& before, FieldErrors& errors)
      : job_(job), before_(before), status_(job.Get("status")), errors_(errors) {}

  // In the order of kube-apiserver's checks.
  void Validate() {
    ValidateOutcome();
    ValidateCompletion();
    ValidateReasons();
    ValidateFinished();
    ValidateIndexes();
    ValidateCriteria();
    ValidateUnchanged();
  }

 private:
  void ValidateOutcome();
  void ValidateCompletion();
  void ValidateReasons();
  void ValidateFinished();
  void ValidateIndexes();
  void ValidateCriteria();
  void ValidateUnchanged();

  bool Changes(std::string_view field) const {
    return status_.Get(field) != before_.Get("status").Get(field);
  }
  bool ChangesCondition(std::string_view type) const {
    return HasJobCondition(job_, type) != HasJobCondition(before_, type);
  }
  // Whether the condition Suspended changes from True to False.
  bool Resumes() const {
    if (!HasJobCondition(before_, "Suspended")) return false;
    const auto& conditions = status_.Get("conditions").items();
    return std::any_of(conditions.begin(), conditions.end(), [](const json::Value& condition) {
      return condition.Get("type").AsString() == "Suspended" &&
             condition.Get("status").AsString() == "False";
    });
  }
  bool Is(std::string_view type) const { return HasJobCondition(job_, type); }

  const json::Value& job_;
  const json::Value& before_;
  const json::Value& status_;
  FieldErrors& errors_;
};

void StatusChange::ValidateOutcome() {
  if (!Is("Complete")) return;
  if ((ChangesCondition("Complete") || ChangesCondition("Failed")) && Is("Failed")) {
    InvalidStatus("conditions", "cannot set Complete=True and Failed=true conditions", errors_);
  }
  if ((ChangesCondition("Complete") || ChangesCondition("FailureTarget")) && Is("FailureTarget")) {
    InvalidStatus("conditions", "cannot set Complete=True and FailureTarget=true conditions",
                  errors_);
  }
}

void StatusChange::ValidateCompletion() {
  const json::Value& start = status_.Get("startTime");
  const json::Value& completion = status_.Get("completionTime");
  if (Changes("completionTime") || ChangesCondition("Complete")) {
    if (!completion.IsNull() && !Is("Complete")) {
      errors_.Invalid("status.completionTime", completion,
                      "cannot set completionTime when there is no Complete=True condition");
    }
    if (completion.IsNull() && Is("Complete")) {
      errors_.Required("status.completionTime", "completionTime is required for Complete jobs");
    }
  }
  // The times have the same format, so their texts sort in time order.
  if ((Changes("startTime") || Changes("completionTime")) && !start.IsNull() &&
      !completion.IsNull() && completion.AsString() < start.AsString()) {
    errors_.Invalid("status.completionTime", completion, "must be equal to or after `startTime`");
  }
}

void StatusChange::ValidateReasons() {
  if ((ChangesCondition("Failed") || Changes("failedIndexes")) && Is("Failed") &&
      !Is("FailureTarget")) {
    InvalidStatus("conditions",
                  "cannot set Failed=True condition without the FailureTarget=true condition",
                  errors_);
  }
  if ((ChangesCondition("Complete") || ChangesCondition("SuccessCriteriaMet")) && Is("Complete") &&
      !Is("SuccessCriteriaMet")) {
    InvalidStatus(
        "conditions",
        "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
        errors_);
  }
}

void StatusChange::ValidateFinished() {
  const bool finished = IsFinished(job_);
  const bool finish_changes = finished != IsFinished(before_);
  if (finished && (finish_changes || Changes("active")) && status_.Get("active").AsInteger() > 0) {
    errors_.Invalid("status.active", status_.Get("active"), "active>0 is invalid for finished job");
  }
  const json::Value& spec = job_.Get("spec");
  const bool needs_no_start = spec.Get("suspend").AsBool() && !spec.Get("completions").IsNull() &&
                              spec.Get("completions").AsInteger() == 0;
  if (finished && (finish_changes || Changes("startTime")) && !needs_no_start &&
      status_.Get("startTime").IsNull()) {
    errors_.Required("status.startTime", "startTime is required for finished job");
  }
  if (finished && (finish_changes || Changes("terminating")) &&
      status_.Get("terminating").AsInteger() > 0) {
    errors_.Invalid("status.terminating", status_.Get("terminating"),
                    "terminating>0 is invalid for finished job");
  }
  const json::Value& uncounted = status_.Get("uncountedTerminatedPods");
  const auto has = [&](std::string_view list) { return !uncounted.Get(list).items().empty(); };
  if (finished && (finish_changes || Changes("uncountedTerminatedPods")) &&
      (has("succeeded") || has("failed"))) {
    const auto printed = [&](std::string_view list) {
      return has(list) ? json::ToJson(uncounted.Get(list)) : "null";
    };
    errors_.Add(
        {FieldError::Type::kInvalid, "status.uncountedTerminatedPods",
         "{\"Succeeded\":" + printed("succeeded") + ",\"Failed\":" + printed("failed") + "}",
         "must be empty for finished job"});
  }
  const json::Value& ready = status_.Get("ready");
  if ((Changes("ready") || Changes("active")) && !ready.IsNull() &&
      ready.AsInteger() > status_.Get("active").AsInteger()) {
    errors_.Invalid("status.ready", ready, "cannot set more ready pods than active");
  }
}

void StatusChange::ValidateIndexes() {
  const json::Value& spec = job_.Get("spec");
  const int64_t completions = spec.Get("completions").AsInteger();
  const json::Value& completed = status_.Get("completedIndexes");
  const json::Value& failed = status_.Get("failedIndexes");
  const bool has_completions = !spec.Get("completions").IsNull();
  const bool has_limit = !spec.Get("backoffLimitPerIndex").IsNull();
  const JobIndexes completed_indexes = ReadJobIndexes(completed.AsString(), completions);
  const JobIndexes failed_indexes = ReadJobIndexes(failed.AsString(), completions);
  const auto report = [&](std::string_view field, const std::string& fault) {
    if (fault.empty() || !has_completions) return;
    const std::string name(field);
    errors_.Invalid("status." + name, status_.Get(field), "error parsing " + name + ": " + fault);
  };
  if (Changes("completedIndexes")) {
    report("completedIndexes", completed_indexes.fault);
    if (!completed.IsEmpty() && spec.Get("completionMode").AsString() != "Indexed") {
      errors_.Invalid("status.completedIndexes", completed,
                      "cannot set non-empty completedIndexes when non-indexed completion mode");
    }
  }
  if (Changes("failedIndexes") && !failed.IsNull()) {
    if (has_limit) report("failedIndexes", failed_indexes.fault);
    if (!has_limit) {
      errors_.Invalid("status.failedIndexes", failed,
                      "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
    }
  }
  if (!has_completions || (!Changes("completedIndexes") && !Changes("failedIndexes"))) return;
  const int64_t common = FirstCommonIndex(completed_indexes.intervals, failed_indexes.intervals);
  if (common < 0) return;
  errors_.Invalid("status.failedIndexes", failed,
                  "failedIndexes and completedIndexes overlap at index: " + std::to_string(common));
}

void StatusChange::ValidateCriteria() {
  if (Has(job_.Get("spec"), "successPolicy") && !Is("SuccessCriteriaMet") && Is("Complete")) {
    InvalidStatus(
        "conditions",
        "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True",
        errors_);
  }
  if (!Is("SuccessCriteriaMet")) return;
  if (Is("Failed")) {
    InvalidStatus("conditions", "cannot set SuccessCriteriaMet=True and Failed=true conditions",
                  errors_);
  }
  if (Is("FailureTarget")) {
    InvalidStatus("conditions",
                  "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions", errors_);
  }
}

void StatusChange::ValidateUnchanged() {
  for (const std::string_view type : {"Failed", "Complete", "FailureTarget"}) {
    if (!HasJobCondition(before_, type) || Is(type)) continue;
    InvalidStatus("conditions",
                  "cannot disable the terminal " + std::string(type) + "=True condition", errors_);
  }
  const json::Value& spec = job_.Get("spec");
  const bool may_shrink = spec.Get("completionMode").AsString() == "Indexed" &&
                          spec.Get("completions") == spec.Get("parallelism");
  for (const std::string_view counter : {"failed", "succeeded"}) {
    const int64_t count = status_.Get(counter).AsInteger();
    if (count >= before_.Get("status").Get(counter).AsInteger()) continue;
    if (counter == "succeeded" && may_shrink) continue;
    errors_.Invalid("status." + std::string(counter), count,
                    "cannot decrease the " + std::string(counter) + " counter");
  }
  const json::Value& completion = status_.Get("completionTime");
  if (!completion.IsNull() && Changes("completionTime") &&
      !before_.Get("status", "completionTime").IsNull()) {
    errors_.Invalid("status.completionTime", completion, "field is immutable");
  }
  if (Changes("startTime") && !before_.Get("status", "startTime").IsNull() && !Resumes() &&
      !spec.Get("suspend").AsBool()) {
    errors_.Invalid("status.startTime", status_.Get("startTime"),
                    "field is immutable for unsuspended job once set");
  }
  if (HasJobCondition(before_, "SuccessCriteriaMet") && !Is("SuccessCriteriaMet")) {
    InvalidStatus("conditions", "cannot disable the SuccessCriteriaMet=True condition", errors_);
  }
  if (HasJobCondition(before_, "Complete") && !HasJobCondition(before_, "SuccessCriteriaMet") &&
      Is("SuccessCriteriaMet")) {
    InvalidStatus("conditions",
                  "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions",
                  errors_);
  }
}

}  // namespace

void ValidateJobStatus(const json::Value& job, const json::Value& before, FieldErrors& errors) {
  const json::Value& status = job.Get("status");
  ValidateCounts(status, {"active", "succeeded", "failed", "ready", "terminating"}, errors);
  ValidateUncounted(status.Get("uncountedTerminatedPods"), errors);
  StatusChange(job, before, errors).Validate();
}

}  // namespace capstan::testing::server
