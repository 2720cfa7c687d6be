#include <capstan/api/apps_v1.h>

CAPSTAN_DEFINE_TYPE(capstan::api::apps::v1::RollingUpdateDeployment, CAPSTAN_FIELD(maxUnavailable),
                    CAPSTAN_FIELD(maxSurge))

CAPSTAN_DEFINE_TYPE(capstan::api::apps::v1::DeploymentStrategy, CAPSTAN_FIELD(type),
                    CAPSTAN_FIELD(rollingUpdate))

CAPSTAN_DEFINE_TYPE(capstan::api::apps::v1::DeploymentSpec, CAPSTAN_FIELD(replicas),
                    CAPSTAN_FIELD_ALWAYS(selector), CAPSTAN_FIELD_AS(template_, "template"),
                    CAPSTAN_FIELD(strategy), CAPSTAN_FIELD(minReadySeconds),
                    CAPSTAN_FIELD(revisionHistoryLimit), CAPSTAN_FIELD(paused),
                    CAPSTAN_FIELD(progressDeadlineSeconds))

CAPSTAN_DEFINE_TYPE(capstan::api::apps::v1::DeploymentStatus, CAPSTAN_FIELD(observedGeneration),
                    CAPSTAN_FIELD(replicas), CAPSTAN_FIELD(updatedReplicas),
                    CAPSTAN_FIELD(readyReplicas), CAPSTAN_FIELD(availableReplicas),
                    CAPSTAN_FIELD(unavailableReplicas), CAPSTAN_FIELD(terminatingReplicas),
                    CAPSTAN_FIELD(conditions), CAPSTAN_FIELD(collisionCount))

CAPSTAN_DEFINE_RESOURCE(capstan::api::apps::v1::Deployment,
                        (.group = "apps", .version = "v1", .resource = "deployments",
                         .kind = "Deployment", .namespaced = true),
                        CAPSTAN_FIELD(metadata), CAPSTAN_FIELD(spec), CAPSTAN_FIELD(status))

CAPSTAN_DEFINE_TYPE(capstan::api::apps::v1::ReplicaSetSpec, CAPSTAN_FIELD(replicas),
                    CAPSTAN_FIELD(minReadySeconds), CAPSTAN_FIELD_ALWAYS(selector),
                    CAPSTAN_FIELD_AS(template_, "template"))

CAPSTAN_DEFINE_TYPE(capstan::api::apps::v1::ReplicaSetStatus, CAPSTAN_FIELD_ALWAYS(replicas),
                    CAPSTAN_FIELD(fullyLabeledReplicas), CAPSTAN_FIELD(readyReplicas),
                    CAPSTAN_FIELD(availableReplicas), CAPSTAN_FIELD(terminatingReplicas),
                    CAPSTAN_FIELD(observedGeneration), CAPSTAN_FIELD(conditions))

CAPSTAN_DEFINE_RESOURCE(capstan::api::apps::v1::ReplicaSet,
                        (.group = "apps", .version = "v1", .resource = "replicasets",
                         .kind = "ReplicaSet", .namespaced = true),
                        CAPSTAN_FIELD(metadata), CAPSTAN_FIELD(spec), CAPSTAN_FIELD(status))
