#include "status_plan.h"

#include <algorithm>
#include <tuple>

#include "conditions.h"
#include "fenceposts.h"
#include "progress.h"

namespace capstan::deployment {
namespace {

struct Counts {
  int64_t wanted = 0;
  int64_t replicas = 0;
  int64_t ready = 0;
  int64_t available = 0;
  int64_t terminating = 0;
  bool terminating_known = true;  // false when a ReplicaSet that has been synced does not tell

  void Add(const ReplicaSet& set) {
    wanted += ReplicasOf(set);
    replicas += set.status.replicas;
    ready += set.status.readyReplicas;
    available += set.status.availableReplicas;
    if (set.status.terminatingReplicas) {
      terminating += *set.status.terminatingReplicas;
    } else if (set.status.observedGeneration != 0) {
      terminating_known = false;
    }
  }
};

const Condition* FailureOf(const StatusInput& input) {
  if (input.new_set) {
    const Condition* failure = FindCondition(input.new_set->status.conditions, kReplicaFailure);
    if (failure) return failure;
  }
  for (const ReplicaSet* set : input.old_sets) {
    const Condition* failure = FindCondition(set->status.conditions, kReplicaFailure);
    if (failure) return failure;
  }
  return nullptr;
}

void SetAvailable(bool available, Time now, DeploymentStatus& status) {
  SetCondition(status.conditions,
               available ? NewCondition(kAvailable, "True", "MinimumReplicasAvailable",
                                        "Deployment has minimum availability.", now)
                         : NewCondition(kAvailable, "False", "MinimumReplicasUnavailable",
                                        "Deployment does not have minimum availability.", now));
}

}  // namespace

DeploymentStatus CalculateStatus(const StatusInput& input) {
  Counts counts;
  for (const ReplicaSet* set : input.old_sets) counts.Add(*set);
  if (input.new_set) counts.Add(*input.new_set);

  DeploymentStatus status = input.deployment.status;
  status.observedGeneration = input.deployment.metadata.generation;
  status.replicas = ToInt32(counts.replicas);
  status.updatedReplicas = input.new_set ? input.new_set->status.replicas : 0;
  status.readyReplicas = ToInt32(counts.ready);
  status.availableReplicas = ToInt32(counts.available);
  status.unavailableReplicas = ToInt32(std::max<int64_t>(0, counts.wanted - counts.available));
  status.terminatingReplicas = std::nullopt;
  if (counts.terminating_known) status.terminatingReplicas = ToInt32(counts.terminating);

  const int64_t min_available =
      ReplicasOf(input.deployment) - FencepostsOrNone(input.deployment).max_unavailable;
  SetAvailable(counts.available >= min_available, Time(input.now), status);
  return status;
}

DeploymentStatus CalculateRolloutStatus(const StatusInput& input) {
  DeploymentStatus status = CalculateStatus(input);
  UpdateProgress(input.deployment, input.new_set, input.now, status);
  if (const Condition* failure = FailureOf(input)) {
    Condition condition;
    condition.type = kReplicaFailure;
    condition.status = failure->status;
    condition.lastUpdateTime = failure->lastTransitionTime;
    condition.lastTransitionTime = failure->lastTransitionTime;
    condition.reason = failure->reason;
    condition.message = failure->message;
    SetCondition(status.conditions, std::move(condition));
  } else {
    RemoveCondition(status.conditions, kReplicaFailure);
  }
  return status;
}

bool OnlyCountsDiffer(const DeploymentStatus& before, const DeploymentStatus& after) {
  const auto counts = [](const DeploymentStatus& status) {
    return std::tie(status.replicas, status.updatedReplicas, status.readyReplicas,
                    status.availableReplicas, status.unavailableReplicas,
                    status.terminatingReplicas);
  };
  // That the rollout goes on is said by the counts.
  const auto same = [](const Condition& a, const Condition& b) {
    return a.type == b.type && a.status == b.status &&
           (b.reason == kReplicaSetUpdated || (a.reason == b.reason && a.message == b.message));
  };
  return counts(before) != counts(after) && before.observedGeneration == after.observedGeneration &&
         before.collisionCount == after.collisionCount &&
         std::equal(before.conditions.begin(), before.conditions.end(), after.conditions.begin(),
                    after.conditions.end(), same);
}

}  // namespace capstan::deployment
