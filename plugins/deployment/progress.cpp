#include "progress.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <capstan/controller/conditions.h>

namespace capstan::deployment {
namespace {

constexpr std::string_view kDeploymentPaused = "DeploymentPaused";
constexpr std::string_view kDeploymentResumed = "DeploymentResumed";
constexpr std::string_view kFoundNewReplicaSet = "FoundNewReplicaSet";
constexpr std::string_view kNewReplicaSetCreated = "NewReplicaSetCreated";
constexpr std::string_view kNewReplicaSetAvailable = "NewReplicaSetAvailable";

using std::chrono::seconds;

bool HasMoved(const DeploymentStatus& before, const DeploymentStatus& after) {
  const int64_t old_before = int64_t{before.replicas} - before.updatedReplicas;
  const int64_t old_after = int64_t{after.replicas} - after.updatedReplicas;
  return after.updatedReplicas > before.updatedReplicas || old_after < old_before ||
         after.readyReplicas > before.readyReplicas ||
         after.availableReplicas > before.availableReplicas;
}

// The time until the deadline; negative if it has passed. Implausible times (absent, or far in the
// past or future) are clamped, so that the sum does not overflow.
Duration TimeLeft(const Deployment& deployment, const Condition& progressing, WallTime now) {
  constexpr int64_t kFar = 4'000'000'000;
  const int64_t moved = std::clamp<int64_t>(progressing.lastUpdateTime.seconds(), -kFar, kFar);
  return seconds(moved + *deployment.spec.progressDeadlineSeconds) - now.time_since_epoch();
}

bool HasTimedOut(const Deployment& deployment, const DeploymentStatus& status, WallTime now) {
  const Condition* progressing = FindCondition(status.conditions, kProgressing);
  // After a complete rollout, the status lags behind the start of the next one. There is nothing to
  // measure yet.
  if (!progressing || progressing->reason == kNewReplicaSetAvailable) return false;
  if (progressing->reason == kProgressDeadlineExceeded) return true;
  return TimeLeft(deployment, *progressing, now) < Duration::zero();
}

std::string Subject(const Deployment& deployment, const ReplicaSet* new_set) {
  return new_set ? "ReplicaSet \"" + new_set->metadata.name + "\""
                 : "Deployment \"" + deployment.metadata.name + "\"";
}

void NoteProgress(Deployment& deployment, std::string_view status, std::string_view reason,
                  std::string message, Time now) {
  SetCondition(deployment.status.conditions,
               NewCondition<Condition>(kProgressing, status, reason, std::move(message), now));
}

}  // namespace

bool IsComplete(const Deployment& deployment, const DeploymentStatus& status) {
  const int64_t replicas = ReplicasOf(deployment);
  return status.updatedReplicas == replicas && status.replicas == replicas &&
         status.availableReplicas == replicas &&
         status.observedGeneration >= deployment.metadata.generation;
}

void NotePause(Deployment& deployment, Time now) {
  if (!HasProgressDeadline(deployment)) return;
  const Condition* current = FindCondition(deployment.status.conditions, kProgressing);
  if (current && current->reason == kProgressDeadlineExceeded) return;
  const bool noted = current && current->reason == kDeploymentPaused;
  if (deployment.spec.paused && !noted) {
    NoteProgress(deployment, "Unknown", kDeploymentPaused, "Deployment is paused", now);
  } else if (!deployment.spec.paused && noted) {
    NoteProgress(deployment, "Unknown", kDeploymentResumed, "Deployment is resumed", now);
  }
}

void NoteNewReplicaSetFound(Deployment& deployment, const std::string& set, Time now) {
  if (!HasProgressDeadline(deployment)) return;
  if (FindCondition(deployment.status.conditions, kProgressing)) return;
  NoteProgress(deployment, "True", kFoundNewReplicaSet, "Found new replica set \"" + set + "\"",
               now);
}

void NoteNewReplicaSetCreated(Deployment& deployment, const std::string& set, Time now) {
  if (!HasProgressDeadline(deployment)) return;
  NoteProgress(deployment, "True", kNewReplicaSetCreated, "Created new replica set \"" + set + "\"",
               now);
}

void NoteCreateError(Deployment& deployment, const std::string& message, Time now) {
  if (!HasProgressDeadline(deployment)) return;
  NoteProgress(deployment, "False", kReplicaSetCreateError, message, now);
}

void UpdateProgress(const Deployment& deployment, const ReplicaSet* new_set, WallTime now,
                    DeploymentStatus& status) {
  if (!HasProgressDeadline(deployment)) {
    RemoveCondition(status.conditions, kProgressing);
    return;
  }
  const Condition* current = FindCondition(deployment.status.conditions, kProgressing);
  if (status.replicas == status.updatedReplicas && current &&
      current->reason == kNewReplicaSetAvailable) {
    return;  // no rollout is in progress
  }

  const std::string subject = Subject(deployment, new_set);
  if (IsComplete(deployment, status)) {
    SetCondition(status.conditions,
                 NewCondition<Condition>(kProgressing, "True", kNewReplicaSetAvailable,
                                         subject + " has successfully progressed.", Time(now)));
  } else if (HasMoved(deployment.status, status)) {
    // Each progress restarts the deadline. The update time must therefore change even if the reason
    // does not.
    ReplaceCondition(status.conditions,
                     NewCondition<Condition>(kProgressing, "True", kReplicaSetUpdated,
                                             subject + " is progressing.", Time(now)));
  } else if (HasTimedOut(deployment, status, now)) {
    SetCondition(status.conditions,
                 NewCondition<Condition>(kProgressing, "False", kProgressDeadlineExceeded,
                                         subject + " has timed out progressing.", Time(now)));
  }
}

std::optional<Duration> NextProgressCheck(const Deployment& deployment,
                                          const DeploymentStatus& status, WallTime now) {
  if (!HasProgressDeadline(deployment) || IsComplete(deployment, status)) return std::nullopt;
  const Condition* current = FindCondition(status.conditions, kProgressing);
  if (!current || current->reason == kProgressDeadlineExceeded ||
      current->reason == kNewReplicaSetAvailable) {
    return std::nullopt;
  }
  // Adds a second because the condition holds only whole seconds.
  return std::max(TimeLeft(deployment, *current, now), Duration::zero()) + seconds(1);
}

}  // namespace capstan::deployment
