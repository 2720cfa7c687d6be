#pragma once

/// One sync of a Deployment, from what the cache shows to what must be written. Pure: no I/O, no
/// clock of its own. The order of decisions is that of Kubernetes' own controller.

#include <optional>
#include <string>
#include <vector>

#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

#include "types.h"

namespace capstan::deployment {

struct OwnedSet {
  ReplicaSetPtr set;
  /// It has pods that are neither finished nor gone. Only asked for by the Recreate strategy.
  bool has_unfinished_pods = false;
};

struct Snapshot {
  const Deployment& deployment;
  std::vector<OwnedSet> sets;  ///< those that the Deployment owns, in any order
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
  std::vector<PlannedEvent> events;  ///< told when the update has succeeded
};

struct ReplicaSetCreation {
  ReplicaSet set;
  std::optional<PlannedEvent> event;  ///< told when the creation has succeeded
  /// The Deployment as it was before: what a failed creation is noted upon.
  Deployment deployment;
};

struct Rollback {
  Deployment after;  ///< the spec's template and the annotations are to be replaced
  bool replaces_template = false;
  PlannedEvent event;  ///< a warning is told at once, the good news when the write has succeeded
};

/// What is to be done, in this order. Everything after a creation takes its success for granted.
struct Plan {
  explicit Plan(const Deployment& deployment) : after(deployment) {}

  std::vector<PlannedEvent> warnings;
  std::optional<ReplicaSetCreation> creation;
  std::vector<ReplicaSetUpdate> updates;
  std::vector<ReplicaSetPtr> deletions;
  Deployment after;  ///< annotations and status as the status subresource shall have them
  std::optional<Rollback> rollback;
  std::optional<Duration> requeue_after;
};

/// The error is terminal: a spec that cannot be carried out.
Result<Plan> MakePlan(const Snapshot& snapshot);

/// A Deployment whose selector matches every ReplicaSet is left alone but for a warning.
bool SelectsEverything(const Deployment& deployment);
Plan PlanForSelectingEverything(const Deployment& deployment);

}  // namespace capstan::deployment
