#include <capstan/api/core_v1.h>

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::PodCondition, CAPSTAN_FIELD_ALWAYS(type, 1),
                    CAPSTAN_FIELD_ALWAYS(status, 2), CAPSTAN_FIELD(lastTransitionTime, 4),
                    CAPSTAN_FIELD_IN(extras, reason, 5), CAPSTAN_FIELD_IN(extras, message, 6),
                    CAPSTAN_UNKNOWN_MEMBERS_IN(extras, unknown))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::ContainerStateWaiting, CAPSTAN_FIELD(reason, 1),
                    CAPSTAN_FIELD(message, 2))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::ContainerStateRunning, CAPSTAN_FIELD(startedAt, 1))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::ContainerStateTerminated,
                    CAPSTAN_FIELD_ALWAYS(exitCode, 1), CAPSTAN_FIELD(signal, 2),
                    CAPSTAN_FIELD(reason, 3), CAPSTAN_FIELD(startedAt, 5),
                    CAPSTAN_FIELD(finishedAt, 6))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::ContainerState, CAPSTAN_FIELD(waiting, 1),
                    CAPSTAN_FIELD(running, 2), CAPSTAN_FIELD(terminated, 3))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::ContainerStatus, CAPSTAN_FIELD_IN(extras, name, 1),
                    CAPSTAN_FIELD_ALWAYS(ready, 4), CAPSTAN_FIELD_ALWAYS(restartCount, 5),
                    CAPSTAN_FIELD_IN(extras, started, 9), CAPSTAN_FIELD_IN(extras, state, 2),
                    CAPSTAN_FIELD_IN(extras, lastState, 3))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::ContainerPort, CAPSTAN_FIELD(name, 1),
                    CAPSTAN_FIELD(hostPort, 2), CAPSTAN_FIELD_ALWAYS(containerPort, 3),
                    CAPSTAN_FIELD(protocol, 4))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::ResourceRequirements, CAPSTAN_FIELD_SHARED(limits, 1),
                    CAPSTAN_FIELD_SHARED(requests, 2))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::Container, CAPSTAN_FIELD_ALWAYS(name, 1),
                    CAPSTAN_FIELD(image, 2), CAPSTAN_FIELD(ports, 6), CAPSTAN_FIELD(resources, 8),
                    CAPSTAN_FIELD(restartPolicy, 24))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::PersistentVolumeClaimVolumeSource,
                    CAPSTAN_FIELD_ALWAYS(claimName, 1), CAPSTAN_FIELD(readOnly, 2))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::EphemeralVolumeSource,
                    CAPSTAN_FIELD(volumeClaimTemplate, 1))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::Volume, CAPSTAN_FIELD_ALWAYS(name, 1),
                    CAPSTAN_FIELD(persistentVolumeClaim, 2, 10), CAPSTAN_FIELD(ephemeral, 2, 29))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::PodSchedulingGate, CAPSTAN_FIELD_ALWAYS(name, 1))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::Toleration, CAPSTAN_FIELD(key, 1),
                    CAPSTAN_FIELD_AS(operator_, "operator", 2), CAPSTAN_FIELD(value, 3),
                    CAPSTAN_FIELD(effect, 4), CAPSTAN_FIELD(tolerationSeconds, 5))

CAPSTAN_DEFINE_TYPE(
    capstan::api::core::v1::PodSpec, CAPSTAN_READ_ONLY(CAPSTAN_FIELD_IN(extras, volumes, 1)),
    CAPSTAN_READ_ONLY(CAPSTAN_FIELD_IN(extras, initContainers, 20)),
    CAPSTAN_READ_ONLY(CAPSTAN_FIELD_IN(extras, containers, 2)),
    CAPSTAN_FIELD_IN(extras, restartPolicy, 3),
    CAPSTAN_FIELD_IN(extras, terminationGracePeriodSeconds, 4),
    CAPSTAN_FIELD_IN(extras, activeDeadlineSeconds, 5),
    capstan::internal::WithFlags(CAPSTAN_FIELD_IN(extras, nodeSelector, 7), capstan::kShared),
    CAPSTAN_FIELD_IN(extras, serviceAccountName, 8), CAPSTAN_FIELD(nodeName, 10),
    CAPSTAN_FIELD_IN(extras, hostNetwork, 11), CAPSTAN_FIELD_IN(extras, hostname, 16),
    CAPSTAN_FIELD_IN(extras, subdomain, 17), CAPSTAN_FIELD_IN(extras, schedulerName, 19),
    CAPSTAN_FIELD_IN(extras, tolerations, 22), CAPSTAN_FIELD_IN(extras, priorityClassName, 24),
    CAPSTAN_FIELD_IN(extras, priority, 25),
    capstan::internal::WithFlags(CAPSTAN_FIELD_IN(extras, overhead, 32), capstan::kShared),
    CAPSTAN_FIELD_IN(extras, schedulingGates, 38))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::PodIP, CAPSTAN_FIELD(ip, 1))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::HostIP, CAPSTAN_FIELD(ip, 1))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::PodStatus, CAPSTAN_FIELD(phase, 1),
                    CAPSTAN_FIELD(conditions, 2), CAPSTAN_FIELD_IN(extras, message, 3),
                    CAPSTAN_FIELD_IN(extras, reason, 4),
                    CAPSTAN_FIELD_IN(extras, nominatedNodeName, 11),
                    CAPSTAN_FIELD_IN(extras, hostIP, 5), CAPSTAN_FIELD_IN(extras, hostIPs, 16),
                    CAPSTAN_FIELD_IN(extras, podIP, 6), CAPSTAN_FIELD_IN(extras, podIPs, 12),
                    CAPSTAN_FIELD_IN(extras, startTime, 7),
                    CAPSTAN_READ_ONLY(CAPSTAN_FIELD_IN(extras, initContainerStatuses, 10)),
                    CAPSTAN_READ_ONLY(CAPSTAN_FIELD(containerStatuses, 8)),
                    CAPSTAN_FIELD_IN(extras, qosClass, 9))

CAPSTAN_DEFINE_RESOURCE(capstan::api::core::v1::Pod,
                        (.group = "", .version = "v1", .resource = "pods", .kind = "Pod",
                         .namespaced = true),
                        CAPSTAN_FIELD(metadata, 1), CAPSTAN_FIELD(spec, 2),
                        CAPSTAN_FIELD(status, 3))

CAPSTAN_DEFINE_RESOURCE(capstan::api::core::v1::PodFromTemplate,
                        (.group = "", .version = "v1", .resource = "pods", .kind = "Pod",
                         .namespaced = true),
                        CAPSTAN_FIELD(metadata, 1), CAPSTAN_FIELD(spec, 2))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::ObjectReference, CAPSTAN_FIELD(kind, 1),
                    CAPSTAN_FIELD_AS(namespace_, "namespace", 2), CAPSTAN_FIELD(name, 3),
                    CAPSTAN_FIELD(uid, 4), CAPSTAN_FIELD(apiVersion, 5),
                    CAPSTAN_FIELD(resourceVersion, 6), CAPSTAN_FIELD(fieldPath, 7))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::EventSource, CAPSTAN_FIELD(component, 1),
                    CAPSTAN_FIELD(host, 2))

CAPSTAN_DEFINE_RESOURCE(capstan::api::core::v1::Event,
                        (.group = "", .version = "v1", .resource = "events", .kind = "Event",
                         .namespaced = true),
                        CAPSTAN_FIELD_ALWAYS(metadata, 1), CAPSTAN_FIELD_ALWAYS(involvedObject, 2),
                        CAPSTAN_FIELD(reason, 3), CAPSTAN_FIELD(message, 4),
                        CAPSTAN_FIELD(source, 5), CAPSTAN_FIELD(firstTimestamp, 6),
                        CAPSTAN_FIELD(lastTimestamp, 7), CAPSTAN_FIELD(count, 8),
                        CAPSTAN_FIELD(type, 9), CAPSTAN_FIELD_ALWAYS(reportingComponent, 14),
                        CAPSTAN_FIELD_ALWAYS(reportingInstance, 15))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::NamespaceStatus, CAPSTAN_FIELD(phase, 1))

CAPSTAN_DEFINE_RESOURCE(capstan::api::core::v1::Namespace,
                        (.group = "", .version = "v1", .resource = "namespaces",
                         .kind = "Namespace", .namespaced = false),
                        CAPSTAN_FIELD(metadata, 1), CAPSTAN_FIELD(status, 3))

CAPSTAN_DEFINE_RESOURCE(capstan::api::core::v1::Node,
                        (.group = "", .version = "v1", .resource = "nodes", .kind = "Node",
                         .namespaced = false),
                        CAPSTAN_FIELD(metadata, 1))
