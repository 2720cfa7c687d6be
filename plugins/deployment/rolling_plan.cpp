#include "rolling_plan.h"

#include <algorithm>

namespace capstan::deployment {
namespace {

// The available pods that a ReplicaSet keeps. After a step that scaled it down, or to zero, its
// status is stale and still counts pods that will be deleted. kube-controller-manager counts those
// pods. A rollback in the middle of a rollout then removes more pods of the other ReplicaSet than
// maxUnavailable permits.
int64_t AvailableOf(const SetSize& set) {
  return std::clamp<int64_t>(set.available, 0, set.replicas);
}

// Removes unavailable pods. Returns false if a status has more available pods than replicas: it is
// stale after an earlier step, which must be observed before the next one.
bool ShrinkUnhealthy(const RollingInput& input, int64_t allowed, RollingPlan& plan) {
  int64_t taken = 0;
  for (size_t i = 0; i < input.old.size() && taken < allowed; ++i) {
    const int64_t replicas = input.old[i].replicas;
    if (replicas == 0) continue;
    if (input.old[i].available > replicas) return false;
    const int64_t take = std::min(allowed - taken, replicas - AvailableOf(input.old[i]));
    plan.old[i] -= take;
    taken += take;
  }
  return true;
}

void ShrinkAvailable(int64_t surplus, RollingPlan& plan) {
  for (int64_t& size : plan.old) {
    if (surplus <= 0) return;
    const int64_t take = std::min(size, surplus);
    size -= take;
    surplus -= take;
  }
}

void ShrinkOld(const RollingInput& input, RollingPlan& plan) {
  int64_t old_replicas = 0;
  int64_t available = AvailableOf(input.fresh);
  for (const SetSize& set : input.old) {
    old_replicas += set.replicas;
    available += AvailableOf(set);
  }
  if (old_replicas == 0) return;

  const int64_t min_available = input.desired - input.limits.max_unavailable;
  const int64_t fresh_unavailable = input.fresh.replicas - AvailableOf(input.fresh);
  const int64_t allowed = old_replicas + input.fresh.replicas - min_available - fresh_unavailable;
  if (allowed <= 0) return;
  const bool up_to_date = ShrinkUnhealthy(input, allowed, plan);
  plan.without_unhealthy = plan.old;
  if (up_to_date) ShrinkAvailable(available - min_available, plan);
}

}  // namespace

int64_t NewReplicaSetSize(int64_t desired, int64_t max_surge, int64_t total, int64_t current) {
  const int64_t room = desired + max_surge - total;
  if (room <= 0) return current;
  return current + std::min(room, desired - current);
}

RollingPlan PlanRolling(const RollingInput& input) {
  RollingPlan plan;
  plan.fresh = input.fresh.replicas;
  int64_t total = input.fresh.replicas;
  for (const SetSize& set : input.old) {
    plan.old.push_back(set.replicas);
    total += set.replicas;
  }
  plan.without_unhealthy = plan.old;

  if (input.fresh.replicas > input.desired) {
    plan.fresh = input.desired;
  } else if (input.fresh.replicas < input.desired) {
    plan.fresh =
        NewReplicaSetSize(input.desired, input.limits.max_surge, total, input.fresh.replicas);
  }
  // The next step waits until this one is observed.
  if (plan.fresh == input.fresh.replicas) ShrinkOld(input, plan);
  return plan;
}

}  // namespace capstan::deployment
