#pragma once

/// Rolls out Deployments. Collects a Snapshot from the cache, passes it to the planner, and
/// executes the plan. Makes no decisions itself.

#include <memory>
#include <vector>

#include <capstan/controller.h>

#include "plan.h"
#include "types.h"

namespace capstan::deployment {

class DeploymentReconciler : public Reconciler {
 public:
  explicit DeploymentReconciler(PluginContext& context);

  Result<Action> Reconcile(const Request& request) override;

 private:
  Result<Plan> PlanFor(const Deployment& deployment, const std::vector<ReplicaSetPtr>& sets) const;

  Result<Action> Execute(const Deployment& deployment, const std::vector<ReplicaSetPtr>& sets,
                         const Plan& plan, bool may_plan_again);
  Status Update(const Deployment& deployment, const std::vector<ReplicaSetUpdate>& updates);
  Status Delete(const std::vector<ReplicaSetPtr>& sets);
  Result<Action> HandleExisting(const Deployment& deployment, std::vector<ReplicaSetPtr> sets,
                                const ReplicaSetCreation& creation, const Status& refusal,
                                bool may_plan_again);
  Status ReportCreateError(const Deployment& deployment, const ReplicaSetCreation& creation,
                           const Status& error);
  /// Returns how long the updates must wait for the budget of rolling update steps.
  Duration UpdatesWait(const Deployment& deployment, const Plan& plan);
  /// Returns how long the status write must wait for the status budget.
  Duration StatusWait(const Deployment& deployment, const Plan& plan);
  Status RollBack(const Deployment& deployment, const Rollback& rollback);

  void RecordEvent(const Deployment& deployment, const PlannedEvent& event) const;

  const Client client_;
  const Clock& clock_;
  const Lister<Deployment> deployments_;
  const Lister<ReplicaSet> sets_;
  const Lister<api::core::v1::Pod> pods_;
  const EventRecorder events_;
  const PendingStatuses<ReplicaSet> pending_statuses_;
  WriteBudget step_budget_;
  WriteBudget status_budget_;
  StatusWriter<Deployment> status_writer_;
};

}  // namespace capstan::deployment
