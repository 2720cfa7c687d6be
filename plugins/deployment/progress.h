#pragma once

/// Whether a rollout moves, and what the Progressing condition says of it.
/// https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#progressing-deployment

#include <optional>
#include <string>

#include <capstan/runtime/clock.h>

#include "types.h"

namespace capstan::deployment {

/// All replicas are updated and available, no old pod is left, and the spec has been seen.
bool IsComplete(const Deployment& deployment, const DeploymentStatus& status);

/// Notes in the Progressing condition that the Deployment is paused, or not any more, so that the
/// time of the pause does not count against the deadline. A rollout that had timed out stays so.
void NotePause(Deployment& deployment, Time now);
void NoteNewReplicaSetFound(Deployment& deployment, const std::string& set, Time now);
void NoteNewReplicaSetCreated(Deployment& deployment, const std::string& set, Time now);
/// `message` says what could not be created and why.
void NoteCreateError(Deployment& deployment, const std::string& message, Time now);

/// Brings the Progressing condition of `status`, which follows on `deployment.status`, up to date.
/// `new_set` may be null.
void UpdateProgress(const Deployment& deployment, const ReplicaSet* new_set, WallTime now,
                    DeploymentStatus& status);

/// After which time somebody must look whether the deadline has passed, as no event will tell.
std::optional<Duration> NextProgressCheck(const Deployment& deployment,
                                          const DeploymentStatus& status, WallTime now);

}  // namespace capstan::deployment
