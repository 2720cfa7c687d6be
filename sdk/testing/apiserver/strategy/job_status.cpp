// What a Job's status may be, and become (job_spec.h).

#include <set>
#include <string>

#include "apiserver/storage/object_fields.h"
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

// An error that shows no value.
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

// Rules that are only asked of what an update changes.
class StatusChange {
 public:
  StatusChange(const json::Value& job, const json::Value& before, FieldErrors& errors)
      : job_(job), before_(before), status_(job.Get("status")), errors_(errors) {}

  void ValidateConditions();
  void ValidateTimes();
  void ValidateCounters();

 private:
  bool Changes(std::string_view field) const {
    return status_.Get(field) != before_.Get("status").Get(field);
  }
  bool ChangesCondition(std::string_view type) const {
    return HasJobCondition(job_, type) != HasJobCondition(before_, type);
  }
  bool Is(std::string_view type) const { return HasJobCondition(job_, type); }

  const json::Value& job_;
  const json::Value& before_;
  const json::Value& status_;
  FieldErrors& errors_;
};

void StatusChange::ValidateConditions() {
  const bool complete = Is("Complete");
  const bool failed = Is("Failed");
  const bool target = Is("FailureTarget");
  const bool met = Is("SuccessCriteriaMet");
  if ((ChangesCondition("Complete") || ChangesCondition("Failed")) && complete && failed) {
    InvalidStatus("conditions", "cannot set Complete=True and Failed=true conditions", errors_);
  }
  if ((ChangesCondition("Complete") || ChangesCondition("FailureTarget")) && complete && target) {
    InvalidStatus("conditions", "cannot set Complete=True and FailureTarget=true conditions",
                  errors_);
  }
  if (ChangesCondition("Failed") && failed && !target) {
    InvalidStatus("conditions",
                  "cannot set Failed=True condition without the FailureTarget=true condition",
                  errors_);
  }
  if ((ChangesCondition("Complete") || ChangesCondition("SuccessCriteriaMet")) && complete &&
      !met) {
    InvalidStatus(
        "conditions",
        "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
        errors_);
  }
  if (met && failed) {
    InvalidStatus("conditions", "cannot set SuccessCriteriaMet=True and Failed=true conditions",
                  errors_);
  }
  if (met && target) {
    InvalidStatus("conditions",
                  "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions", errors_);
  }
  for (const std::string_view type : {"Failed", "Complete", "FailureTarget"}) {
    if (!HasJobCondition(before_, type) || Is(type)) continue;
    InvalidStatus("conditions",
                  "cannot disable the terminal " + std::string(type) + "=True condition", errors_);
  }
  if (HasJobCondition(before_, "SuccessCriteriaMet") && !met) {
    InvalidStatus("conditions", "cannot disable the SuccessCriteriaMet=True condition", errors_);
  }
}

void StatusChange::ValidateTimes() {
  const json::Value& start = status_.Get("startTime");
  const json::Value& completion = status_.Get("completionTime");
  const bool complete = Is("Complete");
  const bool finish_changes = IsFinished(job_) != IsFinished(before_);
  if (Changes("completionTime") || ChangesCondition("Complete")) {
    if (!completion.IsNull() && !complete) {
      errors_.Invalid("status.completionTime", completion,
                      "cannot set completionTime when there is no Complete=True condition");
    }
    if (completion.IsNull() && complete) {
      errors_.Required("status.completionTime", "completionTime is required for Complete jobs");
    }
  }
  // Times of one form: their texts have their order.
  if ((Changes("startTime") || Changes("completionTime")) && !start.IsNull() &&
      !completion.IsNull() && completion.AsString() < start.AsString()) {
    errors_.Invalid("status.completionTime", completion, "must be equal to or after `startTime`");
  }
  if ((finish_changes || Changes("startTime")) && start.IsNull() && IsFinished(job_)) {
    errors_.Required("status.startTime", "startTime is required for finished job");
  }
  const json::Value& old_completion = before_.Get("status", "completionTime");
  if (!completion.IsNull() && !old_completion.IsNull() && Changes("completionTime")) {
    errors_.Invalid("status.completionTime", completion, "field is immutable");
  }
  if (Changes("startTime") && !before_.Get("status", "startTime").IsNull() &&
      !job_.Get("spec", "suspend").AsBool()) {
    errors_.Invalid("status.startTime", start, "field is immutable for unsuspended job once set");
  }
}

void StatusChange::ValidateCounters() {
  const bool finished = IsFinished(job_);
  const bool finish_changes = finished != IsFinished(before_);
  if ((finish_changes || Changes("active")) && finished && status_.Get("active").AsInteger() > 0) {
    errors_.Invalid("status.active", status_.Get("active"), "active>0 is invalid for finished job");
  }
  if ((finish_changes || Changes("terminating")) && finished &&
      status_.Get("terminating").AsInteger() > 0) {
    errors_.Invalid("status.terminating", status_.Get("terminating"),
                    "terminating>0 is invalid for finished job");
  }
  const json::Value& ready = status_.Get("ready");
  if (Changes("ready") && ready.AsInteger() > status_.Get("active").AsInteger()) {
    errors_.Invalid("status.ready", ready, "cannot set more ready pods than active");
  }
  for (const std::string_view counter : {"failed", "succeeded"}) {
    const int64_t count = status_.Get(counter).AsInteger();
    if (count >= before_.Get("status").Get(counter).AsInteger()) continue;
    const json::Value& spec = job_.Get("spec");
    const bool may_shrink = counter == "succeeded" &&
                            spec.Get("completionMode").AsString() == "Indexed" &&
                            spec.Get("completions") == spec.Get("parallelism");
    if (may_shrink) continue;
    errors_.Invalid("status." + std::string(counter), count,
                    "cannot decrease the " + std::string(counter) + " counter");
  }
}

}  // namespace

void ValidateJobStatus(const json::Value& job, const json::Value& before, FieldErrors& errors) {
  const json::Value& status = job.Get("status");
  ValidateCounts(status, {"active", "succeeded", "failed", "ready", "terminating"}, errors);
  ValidateUncounted(status.Get("uncountedTerminatedPods"), errors);
  StatusChange change(job, before, errors);
  change.ValidateConditions();
  change.ValidateTimes();
  change.ValidateCounters();
}

}  // namespace capstan::testing::server
