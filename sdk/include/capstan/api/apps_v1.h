#pragma once

/// apps/v1: Deployment and ReplicaSet, with the fields that controllers use.
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

/// `unknown` keeps the JSON members that no field describes. They must be preserved because a patch
/// writes the whole list of conditions.
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

/// `unknown` is the same as in DeploymentCondition.
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

CAPSTAN_API_TYPE(capstan::api::apps::v1::RollingUpdateDeployment, CAPSTAN_FIELD(maxUnavailable, 1),
                 CAPSTAN_FIELD(maxSurge, 2))

CAPSTAN_API_TYPE(capstan::api::apps::v1::DeploymentStrategy, CAPSTAN_FIELD(type, 1),
                 CAPSTAN_FIELD(rollingUpdate, 2))

CAPSTAN_API_TYPE(capstan::api::apps::v1::DeploymentSpec, CAPSTAN_FIELD(replicas, 1),
                 CAPSTAN_FIELD_ALWAYS(selector, 2), CAPSTAN_FIELD_AS(template_, "template", 3),
                 CAPSTAN_FIELD(strategy, 4), CAPSTAN_FIELD(minReadySeconds, 5),
                 CAPSTAN_FIELD(revisionHistoryLimit, 6), CAPSTAN_FIELD(paused, 7),
                 CAPSTAN_FIELD(progressDeadlineSeconds, 9))

CAPSTAN_API_TYPE(capstan::api::apps::v1::DeploymentCondition, CAPSTAN_FIELD_ALWAYS(type, 1),
                 CAPSTAN_FIELD_ALWAYS(status, 2), CAPSTAN_FIELD(lastUpdateTime, 6),
                 CAPSTAN_FIELD(lastTransitionTime, 7), CAPSTAN_FIELD(reason, 4),
                 CAPSTAN_FIELD(message, 5), CAPSTAN_UNKNOWN_MEMBERS(unknown))

CAPSTAN_API_TYPE(capstan::api::apps::v1::DeploymentStatus, CAPSTAN_FIELD(observedGeneration, 1),
                 CAPSTAN_FIELD(replicas, 2), CAPSTAN_FIELD(updatedReplicas, 3),
                 CAPSTAN_FIELD(readyReplicas, 7), CAPSTAN_FIELD(availableReplicas, 4),
                 CAPSTAN_FIELD(unavailableReplicas, 5), CAPSTAN_FIELD(terminatingReplicas, 9),
                 CAPSTAN_FIELD(conditions, 6), CAPSTAN_FIELD(collisionCount, 8))

CAPSTAN_API_RESOURCE(capstan::api::apps::v1::Deployment,
                     (.group = "apps", .version = "v1", .resource = "deployments",
                      .kind = "Deployment", .namespaced = true),
                     CAPSTAN_FIELD(metadata, 1), CAPSTAN_FIELD(spec, 2), CAPSTAN_FIELD(status, 3))

CAPSTAN_API_TYPE(capstan::api::apps::v1::ReplicaSetSpec, CAPSTAN_FIELD(replicas, 1),
                 CAPSTAN_FIELD(minReadySeconds, 4), CAPSTAN_FIELD_ALWAYS(selector, 2),
                 CAPSTAN_FIELD_AS(template_, "template", 3))

CAPSTAN_API_TYPE(capstan::api::apps::v1::ReplicaSetCondition, CAPSTAN_FIELD_ALWAYS(type, 1),
                 CAPSTAN_FIELD_ALWAYS(status, 2), CAPSTAN_FIELD(lastTransitionTime, 3),
                 CAPSTAN_FIELD(reason, 4), CAPSTAN_FIELD(message, 5),
                 CAPSTAN_UNKNOWN_MEMBERS(unknown))

CAPSTAN_API_TYPE(capstan::api::apps::v1::ReplicaSetStatus, CAPSTAN_FIELD_ALWAYS(replicas, 1),
                 CAPSTAN_FIELD(fullyLabeledReplicas, 2), CAPSTAN_FIELD(readyReplicas, 4),
                 CAPSTAN_FIELD(availableReplicas, 5), CAPSTAN_FIELD(terminatingReplicas, 7),
                 CAPSTAN_FIELD(observedGeneration, 3), CAPSTAN_FIELD(conditions, 6))

CAPSTAN_API_RESOURCE(capstan::api::apps::v1::ReplicaSet,
                     (.group = "apps", .version = "v1", .resource = "replicasets",
                      .kind = "ReplicaSet", .namespaced = true),
                     CAPSTAN_FIELD(metadata, 1), CAPSTAN_FIELD(spec, 2), CAPSTAN_FIELD(status, 3))
