#include "reconciler.h"

#include <algorithm>
#include <string>
#include <utility>

#include "progress.h"
#include "revision_plan.h"
#include "status_plan.h"
#include "wake.h"

namespace capstan::deployment {
namespace {

// While there are many rollouts, a step waits for more pods of the new ReplicaSet. Each step costs
// the API server as much as three pods. Rollouts one after the other never wait.
constexpr Duration kStepWait = std::chrono::seconds(5);
constexpr WriteBudget::Options kStepBudget{
    .per_second = 5, .burst = 20, .settle = kStepWait, .wait = kStepWait};
// Only humans wait for a Deployment's counts. Status writes that end a rollout are not delayed.
constexpr WriteBudget::Options kStatusBudget{.per_second = 2,
                                             .burst = 10,
                                             .settle = std::chrono::seconds(5),
                                             .wait = std::chrono::seconds(10)};
constexpr std::string_view kUnseen = "the new ReplicaSet exists, but is not visible";

// The outcome is unknown or the state has changed, so the new status would be a guess.
bool IsOutdated(const Status& status) {
  return status.IsConflict() || status.IsNotFound() || status.IsAmbiguous() || status.IsCanceled();
}

std::string RollbackPatch(const Deployment& deployment, const std::string& resource_version,
                          const Rollback& rollback) {
  const auto text = [](std::string_view value) { return RawJson::String(value); };
  std::string patch = R"([{"op":"test","path":"/metadata/uid","value":)";
  patch += text(deployment.metadata.uid.str()).text();
  patch += R"(},{"op":"test","path":"/metadata/resourceVersion","value":)";
  patch += text(resource_version).text();
  patch += R"(},{"op":"add","path":"/metadata/annotations","value":)";
  patch += RawJson::Object(rollback.after.metadata.annotations).text();
  if (rollback.replaces_template) {
    patch += R"(},{"op":"replace","path":"/spec/template","value":)";
    patch += rollback.after.spec.template_.text();
  }
  return patch + "}]";
}

}  // namespace

DeploymentReconciler::DeploymentReconciler(PluginContext& context)
    : client_(context.client()),
      clock_(context.clock()),
      deployments_(context.ListerFor<Deployment>()),
      sets_(context.ListerFor<ReplicaSet>()),
      pods_(context.ListerFor<Pod>()),
      events_(context.EventRecorder("deployment-controller")),
      pending_statuses_(context.PendingStatusesOf<ReplicaSet>()),
      step_budget_(context.clock(), kStepBudget),
      status_budget_(context.clock(), kStatusBudget),
      // Some servers, e.g. 1.34, do not know this field.
      status_writer_(context.client(), {&DeploymentStatus::terminatingReplicas}) {}

Result<Action> DeploymentReconciler::Reconcile(const Request& request) {
  const auto deployment = deployments_.Get(request.name);
  if (!deployment) return Action::AwaitChange();
  if (SelectsEverything(*deployment)) {
    return Execute(*deployment, {}, PlanForSelectingEverything(*deployment), false);
  }
  const Result<Selector> selector = Selector::From(deployment->spec.selector);
  if (!selector) return Status::Terminal("spec.selector: " + selector.status().message());

  Result<std::vector<ReplicaSetPtr>> sets =
      Claim(client_, *deployment, *selector, CandidatesFor(sets_, *deployment));
  if (!sets) return sets.status();
  const Result<Plan> plan = PlanFor(*deployment, *sets);
  if (!plan) return plan.status();
  return Execute(*deployment, *sets, *plan, true);
}

Result<Plan> DeploymentReconciler::PlanFor(const Deployment& deployment,
                                           const std::vector<ReplicaSetPtr>& sets) const {
  const bool asks_for_pods = deployment.spec.strategy.type == "Recreate";
  Snapshot snapshot{.deployment = deployment, .sets = {}, .now = clock_.Now()};
  for (const ReplicaSetPtr& set : sets) {
    OwnedSet owned{.set = pending_statuses_.Latest(set)};
    if (asks_for_pods) owned.has_unfinished_pods = HasUnfinishedPods(*set, pods_);
    snapshot.sets.push_back(std::move(owned));
  }
  return MakePlan(snapshot);
}

Result<Action> DeploymentReconciler::Execute(const Deployment& deployment,
                                             const std::vector<ReplicaSetPtr>& sets,
                                             const Plan& plan, bool may_plan_again) {
  for (const PlannedEvent& warning : plan.warnings) RecordEvent(deployment, warning);
  if (plan.creation) {
    const Result<ReplicaSetPtr> created = client_.Create(plan.creation->set);
    if (!created) {
      const Status& error = created.status();
      if (error.IsAlreadyExists()) {
        return HandleExisting(deployment, sets, *plan.creation, error, may_plan_again);
      }
      // Nothing can be created any more. The Deployment is deleted with its namespace.
      if (error.HasCause(kNamespaceTerminating)) return Action::AwaitChange();
      return ReportCreateError(deployment, *plan.creation, error);
    }
    if (plan.creation->event) RecordEvent(deployment, *plan.creation->event);
  }

  // A permanently rejected scale must not prevent the status update of the rollout.
  std::optional<Duration> again = plan.requeue_after;
  const Duration updates_wait = UpdatesWait(deployment, plan);
  Status updated;
  if (updates_wait > Duration::zero()) {
    again = std::min(updates_wait, again.value_or(updates_wait));
  } else {
    updated = Update(deployment, plan.updates);
  }
  if (!updated.ok() && IsOutdated(updated)) return updated;
  if (updated.ok()) {
    if (Status deleted = Delete(plan.deletions); !deleted.ok()) return deleted;
    const Duration wait = StatusWait(deployment, plan);
    if (wait > Duration::zero()) return Action::RequeueAfter(std::min(wait, again.value_or(wait)));
  }
  const auto written = status_writer_.Write(deployment, plan.after);
  if (!written) return written.status();
  if (!updated.ok()) return updated;
  if (plan.rollback) {
    const Status rolled_back = RollBack(*written ? **written : deployment, *plan.rollback);
    if (!rolled_back.ok()) return rolled_back;
  }
  return again ? Action::RequeueAfter(*again) : Action::AwaitChange();
}

Duration DeploymentReconciler::UpdatesWait(const Deployment& deployment, const Plan& plan) {
  const NamespacedName name = api::NameOf(deployment.metadata);
  if (plan.updates_may_wait) return step_budget_.WaitFor(name);
  step_budget_.Forget(name);
  return Duration::zero();
}

Duration DeploymentReconciler::StatusWait(const Deployment& deployment, const Plan& plan) {
  const NamespacedName name = api::NameOf(deployment.metadata);
  const DeploymentStatus& status = plan.after.status;
  const bool ends = IsComplete(deployment, status) && !IsComplete(deployment, deployment.status);
  const bool may_wait = status_writer_.Differs(deployment, plan.after) && !plan.rollback && !ends &&
                        deployment.metadata.annotations == plan.after.metadata.annotations &&
                        OnlyCountsDiffer(deployment.status, status);
  if (may_wait) return status_budget_.WaitFor(name, HashOfCounts(status));
  status_budget_.Forget(name);
  return Duration::zero();
}

Status DeploymentReconciler::Update(const Deployment& deployment,
                                    const std::vector<ReplicaSetUpdate>& updates) {
  for (const ReplicaSetUpdate& update : updates) {
    const Result<ReplicaSetPtr> written = client_.PatchDifference(*update.before, update.after);
    if (!written) return written.status();
    for (const PlannedEvent& event : update.events) RecordEvent(deployment, event);
  }
  return Status::Ok();
}

Status DeploymentReconciler::Delete(const std::vector<ReplicaSetPtr>& sets) {
  for (const ReplicaSetPtr& set : sets) {
    // A user may just have scaled it up for a rollback.
    const DeleteOptions options{.uid = set->metadata.uid,
                                .resource_version = set->metadata.resourceVersion,
                                .propagation = PropagationPolicy::kDefault,
                                .grace_period_seconds = std::nullopt};
    Status deleted = client_.Delete<ReplicaSet>(api::NameOf(set->metadata), options);
    if (!deleted.ok() && !deleted.IsNotFound()) return deleted;
  }
  return Status::Ok();
}

// The name is in use: either by this Deployment's own ReplicaSet, which the cache does not show
// yet, or by a ReplicaSet with another template and the same hash.
Result<Action> DeploymentReconciler::HandleExisting(const Deployment& deployment,
                                                    std::vector<ReplicaSetPtr> sets,
                                                    const ReplicaSetCreation& creation,
                                                    const Status& refusal, bool may_plan_again) {
  const Result<ReplicaSetPtr> existing =
      client_.Get<ReplicaSet>(api::NameOf(creation.set.metadata));
  if (!existing) return existing.status();
  if (api::IsControlledBy((*existing)->metadata, deployment.metadata.uid) &&
      SameTemplate((*existing)->spec.template_, deployment.spec.template_)) {
    if (!may_plan_again) return refusal.WithContext(kUnseen);
    sets.push_back(*existing);
    const Result<Plan> plan = PlanFor(deployment, sets);
    if (!plan) return plan.status();
    return Execute(deployment, sets, *plan, false);
  }
  Deployment after = creation.deployment;
  after.status.collisionCount =
      SaturatedInt32(int64_t{after.status.collisionCount.value_or(0)} + 1);
  LogInfo("Found a hash collision for deployment - bumping collisionCount to resolve it",
          {{"deployment", api::NameOf(deployment.metadata)},
           {"replicaSet", creation.set.metadata.name},
           {"newCollisionCount", *after.status.collisionCount}});
  // The write enqueues the next try.
  const auto written = status_writer_.Write(deployment, after);
  if (!written) return written.status();
  return Action::AwaitChange();
}

Status DeploymentReconciler::ReportCreateError(const Deployment& deployment,
                                               const ReplicaSetCreation& creation,
                                               const Status& error) {
  if (error.IsCanceled()) return error;
  const std::string message = Format("Failed to create new replica set \"{}\": {}",
                                     creation.set.metadata.name, error.message());
  Deployment after = creation.deployment;
  NoteCreateError(after, message, Time(clock_.Now()));
  const auto written = status_writer_.Write(deployment, after);
  if (!written) {
    LogError(written.status(), "Failed to report that a replica set could not be created",
             {{"deployment", api::NameOf(deployment.metadata)}});
  }
  RecordEvent(deployment,
              {.warning = true, .reason = std::string(kReplicaSetCreateError), .message = message});
  return error;
}

Status DeploymentReconciler::RollBack(const Deployment& deployment, const Rollback& rollback) {
  if (rollback.event.warning) RecordEvent(deployment, rollback.event);
  const auto written = client_.Patch<Deployment>(
      api::NameOf(deployment.metadata), PatchType::kJson,
      RollbackPatch(deployment, deployment.metadata.resourceVersion, rollback));
  if (!written) return written.status();
  if (!rollback.event.warning) RecordEvent(deployment, rollback.event);
  return Status::Ok();
}

void DeploymentReconciler::RecordEvent(const Deployment& deployment,
                                       const PlannedEvent& event) const {
  if (event.warning) {
    events_.Warning(deployment, event.reason, "{}", event.message);
  } else {
    events_.Normal(deployment, event.reason, "{}", event.message);
  }
}

}  // namespace capstan::deployment
