#include "rollback_plan.h"

#include <algorithm>
#include <charconv>

#include "revision_plan.h"

namespace capstan::deployment {
namespace {

// Keeps the Deployment's rollout annotations. All others are restored from the ReplicaSet.
StringMap AnnotationsOf(const Deployment& deployment, const ReplicaSet& target) {
  StringMap annotations;
  for (const auto& [key, value] : deployment.metadata.annotations) {
    if (IsExcludedFromCopy(key)) annotations.Set(key, value);
  }
  for (const auto& [key, value] : target.metadata.annotations) {
    if (!IsExcludedFromCopy(key)) annotations.Set(key, value);
  }
  return annotations;
}

}  // namespace

std::optional<int64_t> RollbackRequest(const Deployment& deployment) {
  const std::string* text = deployment.metadata.annotations.Find(kRollbackToAnnotation);
  if (!text) return std::nullopt;
  int64_t revision = 0;
  const char* end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, revision);
  if (error != std::errc() || rest != end) return std::nullopt;
  return revision;
}

RollbackPlan PlanRollback(const Deployment& deployment, int64_t revision,
                          const std::vector<const ReplicaSet*>& sets) {
  RollbackPlan plan;
  plan.after = deployment;
  plan.after.metadata.annotations.Erase(kRollbackToAnnotation);
  plan.reason = "DeploymentRollbackRevisionNotFound";
  if (revision == 0) revision = LastRevision(sets);
  if (revision == 0) {
    plan.message = "Unable to find last revision.";
    return plan;
  }
  const auto target = std::find_if(sets.begin(), sets.end(), [&](const ReplicaSet* set) {
    return RevisionOf(*set) == revision;
  });
  if (target == sets.end()) {
    plan.message = "Unable to find the revision to rollback to.";
    return plan;
  }

  const std::string name = "\"" + deployment.metadata.name + "\"";
  if (SameTemplate(deployment.spec.template_, (*target)->spec.template_)) {
    plan.reason = "DeploymentRollbackTemplateUnchanged";
    plan.message = "The rollback revision contains the same template as current deployment " + name;
    return plan;
  }
  plan.replaces_template = true;
  plan.reason = "DeploymentRollback";
  plan.message = "Rolled back deployment " + name + " to revision " + std::to_string(revision);
  plan.after.spec.template_ = WithoutHash((*target)->spec.template_);
  plan.after.metadata.annotations = AnnotationsOf(deployment, **target);
  plan.after.metadata.annotations.Erase(kRollbackToAnnotation);
  return plan;
}

}  // namespace capstan::deployment
