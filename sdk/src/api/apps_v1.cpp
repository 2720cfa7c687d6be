#include <capstan/api/apps_v1.h>

CAPSTAN_DEFINE_TYPE(capstan::api::apps::v1::RollingUpdateDeployment,
                    CAPSTAN_FIELD(maxUnavailable, 1), CAPSTAN_FIELD(maxSurge, 2))

CAPSTAN_DEFINE_TYPE(capstan::api::apps::v1::DeploymentStrategy, CAPSTAN_FIELD(type, 1),
                    CAPSTAN_FIELD(rollingUpdate, 2))

CAPSTAN_DEFINE_TYPE(capstan::api::apps::v1::DeploymentSpec, CAPSTAN_FIELD(replicas, 1),
                    CAPSTAN_FIELD_ALWAYS(selector, 2), CAPSTAN_FIELD_AS(template_, "template", 3),
                    CAPSTAN_FIELD(strategy, 4), CAPSTAN_FIELD(minReadySeconds, 5),
                    CAPSTAN_FIELD(revisionHistoryLimit, 6), CAPSTAN_FIELD(paused, 7),
                    CAPSTAN_FIELD(progressDeadlineSeconds, 9))

CAPSTAN_DEFINE_TYPE(capstan::api::apps::v1::DeploymentCondition, CAPSTAN_FIELD_ALWAYS(type, 1),
                    CAPSTAN_FIELD_ALWAYS(status, 2), CAPSTAN_FIELD(lastUpdateTime, 6),
                    CAPSTAN_FIELD(lastTransitionTime, 7), CAPSTAN_FIELD(reason, 4),
                    CAPSTAN_FIELD(message, 5), CAPSTAN_UNKNOWN_MEMBERS(unknown))

CAPSTAN_DEFINE_TYPE(capstan::api::apps::v1::DeploymentStatus, CAPSTAN_FIELD(observedGeneration, 1),
                    CAPSTAN_FIELD(replicas, 2), CAPSTAN_FIELD(updatedReplicas, 3),
                    CAPSTAN_FIELD(readyReplicas, 7), CAPSTAN_FIELD(availableReplicas, 4),
                    CAPSTAN_FIELD(unavailableReplicas, 5), CAPSTAN_FIELD(terminatingReplicas, 9),
                    CAPSTAN_FIELD(conditions, 6), CAPSTAN_FIELD(collisionCount, 8))

CAPSTAN_DEFINE_RESOURCE(capstan::api::apps::v1::Deployment,
                        (.group = "apps", .version = "v1", .resource = "deployments",
                         .kind = "Deployment", .namespaced = true),
                        CAPSTAN_FIELD(metadata, 1), CAPSTAN_FIELD(spec, 2),
                        CAPSTAN_FIELD(status, 3))

CAPSTAN_DEFINE_TYPE(capstan::api::apps::v1::ReplicaSetSpec, CAPSTAN_FIELD(replicas, 1),
                    CAPSTAN_FIELD(minReadySeconds, 4), CAPSTAN_FIELD_ALWAYS(selector, 2),
                    CAPSTAN_FIELD_AS(template_, "template", 3))

CAPSTAN_DEFINE_TYPE(capstan::api::apps::v1::ReplicaSetCondition, CAPSTAN_FIELD_ALWAYS(type, 1),
                    CAPSTAN_FIELD_ALWAYS(status, 2), CAPSTAN_FIELD(lastTransitionTime, 3),
                    CAPSTAN_FIELD(reason, 4), CAPSTAN_FIELD(message, 5),
                    CAPSTAN_UNKNOWN_MEMBERS(unknown))

CAPSTAN_DEFINE_TYPE(capstan::api::apps::v1::ReplicaSetStatus, CAPSTAN_FIELD_ALWAYS(replicas, 1),
                    CAPSTAN_FIELD(fullyLabeledReplicas, 2), CAPSTAN_FIELD(readyReplicas, 4),
                    CAPSTAN_FIELD(availableReplicas, 5), CAPSTAN_FIELD(terminatingReplicas, 7),
                    CAPSTAN_FIELD(observedGeneration, 3), CAPSTAN_FIELD(conditions, 6))

CAPSTAN_DEFINE_RESOURCE(capstan::api::apps::v1::ReplicaSet,
                        (.group = "apps", .version = "v1", .resource = "replicasets",
                         .kind = "ReplicaSet", .namespaced = true),
                        CAPSTAN_FIELD(metadata, 1), CAPSTAN_FIELD(spec, 2),
                        CAPSTAN_FIELD(status, 3))
