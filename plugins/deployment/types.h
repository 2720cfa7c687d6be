#pragma once

/// The common names of this plugin's plans: the API types, the names of annotations and labels, and
/// the reasons of conditions and events. The names are those of Kubernetes; users rely on them.

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include <capstan/api/apps_v1.h>
#include <capstan/controller/replicas.h>

namespace capstan::deployment {

using api::Time;
using api::apps::v1::Deployment;
using api::apps::v1::DeploymentStatus;
using api::apps::v1::ReplicaSet;
using api::apps::v1::ReplicaSetCondition;
using Condition = api::apps::v1::DeploymentCondition;
using ReplicaSetPtr = std::shared_ptr<const ReplicaSet>;

inline constexpr std::string_view kRevisionAnnotation = "deployment.kubernetes.io/revision";
inline constexpr std::string_view kRevisionHistoryAnnotation =
    "deployment.kubernetes.io/revision-history";
inline constexpr std::string_view kDesiredReplicasAnnotation =
    "deployment.kubernetes.io/desired-replicas";
inline constexpr std::string_view kMaxReplicasAnnotation = "deployment.kubernetes.io/max-replicas";
inline constexpr std::string_view kLastAppliedAnnotation =
    "kubectl.kubernetes.io/last-applied-configuration";
inline constexpr std::string_view kRollbackToAnnotation = "deprecated.deployment.rollback.to";

inline constexpr std::string_view kPodTemplateHashLabel = "pod-template-hash";
inline constexpr std::string_view kPodTemplateHashPointer = "/metadata/labels/pod-template-hash";

inline constexpr std::string_view kAvailable = "Available";
inline constexpr std::string_view kProgressing = "Progressing";
inline constexpr std::string_view kReplicaFailure = "ReplicaFailure";

/// The reason of Progressing when a rollout has made no progress for its progressDeadlineSeconds.
inline constexpr std::string_view kProgressDeadlineExceeded = "ProgressDeadlineExceeded";

inline constexpr std::string_view kScalingReplicaSet = "ScalingReplicaSet";
inline constexpr std::string_view kReplicaSetCreateError = "ReplicaSetCreateError";
inline constexpr std::string_view kReplicaSetUpdated = "ReplicaSetUpdated";

inline bool IsRollingUpdate(const Deployment& deployment) {
  return deployment.spec.strategy.type == "RollingUpdate";
}
/// The largest int32 means "no deadline" and "no limit".
inline bool HasProgressDeadline(const Deployment& deployment) {
  return deployment.spec.progressDeadlineSeconds.has_value() &&
         *deployment.spec.progressDeadlineSeconds != std::numeric_limits<int32_t>::max();
}
inline bool HasRevisionHistoryLimit(const Deployment& deployment) {
  return deployment.spec.revisionHistoryLimit.has_value() &&
         *deployment.spec.revisionHistoryLimit != std::numeric_limits<int32_t>::max();
}

}  // namespace capstan::deployment
