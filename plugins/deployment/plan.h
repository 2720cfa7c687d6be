#pragma once

/// Plans one sync of a Deployment: computes the writes from the cached state. Pure: no I/O; the
/// time is part of the Snapshot. The order of decisions is that of kube-controller-manager's
/// Deployment controller.

#include <optional>
#include <string>
#include <vector>

#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

#include "types.h"

namespace capstan::deployment {

struct OwnedSet {
  ReplicaSetPtr set;
  /// The ReplicaSet has pods that are neither finished nor deleted. Only set for the Recreate
  /// strategy.
  bool has_unfinished_pods = false;
};

struct Snapshot {
  const Deployment& deployment;
  std::vector<OwnedSet> sets;  ///< the ReplicaSets that the Deployment owns, in any order
  WallTime now;
};

struct PlannedEvent {
  bool warning = false;
  std::string reason;
  std::string message;
};

struct ReplicaSetUpdate {
  ReplicaSetPtr before;
  ReplicaSet after;
  std::vector<PlannedEvent> events;  ///< recorded after the update has succeeded
};

struct ReplicaSetCreation {
  ReplicaSet set;
  std::optional<PlannedEvent> event;  ///< recorded after the creation has succeeded
  /// The Deployment before the plan; a creation failure is recorded in its conditions.
  Deployment deployment;
};

struct Rollback {
  Deployment after;  ///< contains the new spec.template and annotations
  bool replaces_template = false;
  PlannedEvent event;  ///< a warning is recorded at once, a success after the write has succeeded
};

/// The writes of a sync, in this order. The steps after a creation assume that it succeeds.
struct Plan {
  explicit Plan(const Deployment& deployment) : after(deployment) {}

  std::vector<PlannedEvent> warnings;
  std::optional<ReplicaSetCreation> creation;
  std::vector<ReplicaSetUpdate> updates;
  /// The updates only scale old ReplicaSets down, and pods of the new one are not available yet.
  /// With these pods, fewer steps are needed.
  bool updates_may_wait = false;
  std::vector<ReplicaSetPtr> deletions;
  Deployment after;  ///< the annotations and status to write
  std::optional<Rollback> rollback;
  std::optional<Duration> requeue_after;
};

/// Returns a terminal error for a spec that cannot be executed.
Result<Plan> MakePlan(const Snapshot& snapshot);

/// A Deployment whose selector matches every ReplicaSet is ignored, except for a warning.
bool SelectsEverything(const Deployment& deployment);
Plan PlanForSelectingEverything(const Deployment& deployment);

}  // namespace capstan::deployment
