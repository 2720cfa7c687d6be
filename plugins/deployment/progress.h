#pragma once

/// Determines whether a rollout makes progress, and computes the Progressing condition.
/// https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#progressing-deployment

#include <optional>
#include <string>

#include <capstan/runtime/clock.h>

#include "types.h"

namespace capstan::deployment {

/// Returns whether all replicas are updated and available, no old pod is left, and the latest
/// generation has been observed.
bool IsComplete(const Deployment& deployment, const DeploymentStatus& status);

/// Records in the Progressing condition that the Deployment is paused or resumed, so that the time
/// of the pause does not count against the deadline. A rollout that has timed out stays timed out.
void NotePause(Deployment& deployment, Time now);
void NoteNewReplicaSetFound(Deployment& deployment, const std::string& set, Time now);
void NoteNewReplicaSetCreated(Deployment& deployment, const std::string& set, Time now);
/// `message` names the object that could not be created and the cause.
void NoteCreateError(Deployment& deployment, const std::string& message, Time now);

/// Updates the Progressing condition of `status`, which is the successor of `deployment.status`.
/// `new_set` may be null.
void UpdateProgress(const Deployment& deployment, const ReplicaSet* new_set, WallTime now,
                    DeploymentStatus& status);

/// Returns the time until the next check of the progress deadline; no event announces that it has
/// passed.
std::optional<Duration> NextProgressCheck(const Deployment& deployment,
                                          const DeploymentStatus& status, WallTime now);

}  // namespace capstan::deployment
