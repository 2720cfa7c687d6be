#pragma once

/// apps/v1: Deployment and ReplicaSet, as far as controllers use them.
/// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/deployment-v1/

#include <cstdint>
#include <optional>
#include <string>

#include <capstan/api/meta_v1.h>

namespace capstan::api::apps::v1 {

struct RollingUpdateDeployment {
  std::optional<IntOrString> maxUnavailable;
  std::optional<IntOrString> maxSurge;
};

struct DeploymentStrategy {
  InternedString type;  ///< "RollingUpdate" or "Recreate"
  std::optional<RollingUpdateDeployment> rollingUpdate;
};

struct DeploymentSpec {
  std::optional<int32_t> replicas;
  LabelSelector selector;
  RawJson template_;  ///< a PodTemplateSpec
  DeploymentStrategy strategy;
  int32_t minReadySeconds = 0;
  std::optional<int32_t> revisionHistoryLimit;
  bool paused = false;
  std::optional<int32_t> progressDeadlineSeconds;
};

/// `unknown` keeps members that Capstan does not know, since a list of conditions is written whole.
struct DeploymentCondition {
  InternedString type;
  InternedString status;  ///< "True", "False" or "Unknown"
  Time lastUpdateTime;
  Time lastTransitionTime;
  InternedString reason;
  std::string message;
  RawJson unknown;
};

struct DeploymentStatus {
  int64_t observedGeneration = 0;
  int32_t replicas = 0;
  int32_t updatedReplicas = 0;
  int32_t readyReplicas = 0;
  int32_t availableReplicas = 0;
  int32_t unavailableReplicas = 0;
  std::optional<int32_t> terminatingReplicas;
  List<DeploymentCondition> conditions;
  std::optional<int32_t> collisionCount;
};

struct Deployment {
  ObjectMeta metadata;
  DeploymentSpec spec;
  DeploymentStatus status;
};

struct ReplicaSetSpec {
  std::optional<int32_t> replicas;
  int32_t minReadySeconds = 0;
  LabelSelector selector;
  RawJson template_;  ///< a PodTemplateSpec
};

/// `unknown`: as in DeploymentCondition.
struct ReplicaSetCondition {
  InternedString type;
  InternedString status;  ///< "True", "False" or "Unknown"
  Time lastTransitionTime;
  InternedString reason;
  std::string message;
  RawJson unknown;
};

struct ReplicaSetStatus {
  int32_t replicas = 0;
  int32_t fullyLabeledReplicas = 0;
  int32_t readyReplicas = 0;
  int32_t availableReplicas = 0;
  std::optional<int32_t> terminatingReplicas;
  int64_t observedGeneration = 0;
  List<ReplicaSetCondition> conditions;
};

struct ReplicaSet {
  ObjectMeta metadata;
  ReplicaSetSpec spec;
  ReplicaSetStatus status;
};

}  // namespace capstan::api::apps::v1

CAPSTAN_DECLARE_EXPORTED(capstan::api::apps::v1::RollingUpdateDeployment)
CAPSTAN_DECLARE_EXPORTED(capstan::api::apps::v1::DeploymentStrategy)
CAPSTAN_DECLARE_EXPORTED(capstan::api::apps::v1::DeploymentSpec)
CAPSTAN_DECLARE_EXPORTED(capstan::api::apps::v1::DeploymentCondition)
CAPSTAN_DECLARE_EXPORTED(capstan::api::apps::v1::DeploymentStatus)
CAPSTAN_DECLARE_EXPORTED(capstan::api::apps::v1::Deployment)
CAPSTAN_DECLARE_EXPORTED(capstan::api::apps::v1::ReplicaSetSpec)
CAPSTAN_DECLARE_EXPORTED(capstan::api::apps::v1::ReplicaSetCondition)
CAPSTAN_DECLARE_EXPORTED(capstan::api::apps::v1::ReplicaSetStatus)
CAPSTAN_DECLARE_EXPORTED(capstan::api::apps::v1::ReplicaSet)
