#include "status_plan.h"

#include <algorithm>
#include <tuple>

#include <capstan/controller/conditions.h>

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
  bool terminating_known = true;  // false if a synced ReplicaSet has no such count

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

const ReplicaSetCondition* FailureOf(const StatusInput& input) {
  if (input.new_set) {
    const ReplicaSetCondition* failure =
        FindCondition(input.new_set->status.conditions, kReplicaFailure);
    if (failure) return failure;
  }
  for (const ReplicaSet* set : input.old_sets) {
    const ReplicaSetCondition* failure = FindCondition(set->status.conditions, kReplicaFailure);
    if (failure) return failure;
  }
  return nullptr;
}

void SetAvailable(bool available, Time now, DeploymentStatus& status) {
  SetCondition(
      status.conditions,
      available ? NewCondition<Condition>(kAvailable, "True", "MinimumReplicasAvailable",
                                          "Deployment has minimum availability.", now)
                : NewCondition<Condition>(kAvailable, "False", "MinimumReplicasUnavailable",
                                          "Deployment does not have minimum availability.", now));
}

}  // namespace

DeploymentStatus CalculateStatus(const StatusInput& input) {
  Counts counts;
  for (const ReplicaSet* set : input.old_sets) counts.Add(*set);
  if (input.new_set) counts.Add(*input.new_set);

  DeploymentStatus status = input.deployment.status;
  status.observedGeneration = input.deployment.metadata.generation;
  status.replicas = SaturatedInt32(counts.replicas);
  status.updatedReplicas = input.new_set ? input.new_set->status.replicas : 0;
  status.readyReplicas = SaturatedInt32(counts.ready);
  status.availableReplicas = SaturatedInt32(counts.available);
  status.unavailableReplicas =
      SaturatedInt32(std::max<int64_t>(0, counts.wanted - counts.available));
  status.terminatingReplicas = std::nullopt;
  if (counts.terminating_known) status.terminatingReplicas = SaturatedInt32(counts.terminating);

  const int64_t min_available =
      ReplicasOf(input.deployment) - FencepostsOrNone(input.deployment).max_unavailable;
  SetAvailable(counts.available >= min_available, Time(input.now), status);
  return status;
}

DeploymentStatus CalculateRolloutStatus(const StatusInput& input) {
  DeploymentStatus status = CalculateStatus(input);
  UpdateProgress(input.deployment, input.new_set, input.now, status);
  if (const ReplicaSetCondition* failure = FailureOf(input)) {
    SetCondition(status.conditions,
                 NewCondition<Condition>(kReplicaFailure, failure->status, failure->reason,
                                         failure->message, failure->lastTransitionTime));
  } else {
    RemoveCondition(status.conditions, kReplicaFailure);
  }
  return status;
}

uint64_t HashOfCounts(const DeploymentStatus& status) {
  DeploymentStatus counts = status;
  counts.conditions.clear();
  return HashObject(DescriptorOf<DeploymentStatus>(), &counts);
}

bool OnlyCountsDiffer(const DeploymentStatus& before, const DeploymentStatus& after) {
  const auto counts = [](const DeploymentStatus& status) {
    return std::tie(status.replicas, status.updatedReplicas, status.readyReplicas,
                    status.availableReplicas, status.unavailableReplicas,
                    status.terminatingReplicas);
  };
  // ReplicaSetUpdated says that the rollout makes progress, which the counts show too.
  const auto same = [](const Condition& a, const Condition& b) {
    return a.type == b.type && a.status == b.status &&
           (b.reason == kReplicaSetUpdated || SaysTheSame(a, b));
  };
  return counts(before) != counts(after) && before.observedGeneration == after.observedGeneration &&
         before.collisionCount == after.collisionCount &&
         std::equal(before.conditions.begin(), before.conditions.end(), after.conditions.begin(),
                    after.conditions.end(), same);
}

}  // namespace capstan::deployment
