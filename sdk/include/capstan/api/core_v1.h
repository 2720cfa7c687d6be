#pragma once

/// core/v1: Pod, Event, Namespace and Node, with the fields that controllers use.
/// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/

#include <cstdint>
#include <optional>
#include <string>

#include <capstan/api/meta_v1.h>

namespace capstan::api::core::v1 {

struct PodConditionExtras {
  InternedString reason;
  std::string message;
  RawJson unknown;  ///< JSON members that no field describes; a patch writes the whole list
};

struct PodCondition {
  InternedString type;
  InternedString status;
  Time lastTransitionTime;
  Boxed<PodConditionExtras> extras = {};
};

struct ContainerStateWaiting {
  InternedString reason;
  std::string message;
};

struct ContainerStateRunning {
  Time startedAt;
};

struct ContainerStateTerminated {
  int32_t exitCode = 0;
  int32_t signal = 0;
  InternedString reason;
  Time startedAt;
  Time finishedAt;
};

/// At most one member is set.
struct ContainerState {
  std::optional<ContainerStateWaiting> waiting;
  std::optional<ContainerStateRunning> running;
  std::optional<ContainerStateTerminated> terminated;
};

struct ContainerStatusExtras {
  InternedString name;
  std::optional<bool> started;
  ContainerState state;
  ContainerState lastState;
};

struct ContainerStatus {
  int32_t restartCount = 0;
  bool ready = false;
  Boxed<ContainerStatusExtras> extras = {};
};

struct ContainerPort {
  InternedString name;
  int32_t containerPort = 0;
  int32_t hostPort = 0;
  InternedString protocol;
};

/// Maps the name of a resource to a quantity ("cpu": "500m").
struct ResourceRequirements {
  StringMap requests;
  StringMap limits;
};

struct Container {
  InternedString name;
  InternedString restartPolicy;  ///< "Always": a restartable init container (sidecar, KEP-753)
  InternedString image;
  List<ContainerPort> ports;
  ResourceRequirements resources;
};

struct PersistentVolumeClaimVolumeSource {
  InternedString claimName;
  bool readOnly = false;
};

/// The name of the claim is made of the names of the pod and the volume.
struct EphemeralVolumeSource {
  RawJson volumeClaimTemplate;
};

struct Volume {
  InternedString name;
  std::optional<PersistentVolumeClaimVolumeSource> persistentVolumeClaim;
  std::optional<EphemeralVolumeSource> ephemeral;
};

struct PodSchedulingGate {
  InternedString name;
};

struct Toleration {
  InternedString key;
  InternedString operator_;
  InternedString value;
  InternedString effect;
  std::optional<int64_t> tolerationSeconds;
};

struct PodSpecExtras {
  List<Container> containers;
  List<Container> initContainers;
  List<Volume> volumes;
  List<Toleration> tolerations;
  List<PodSchedulingGate> schedulingGates;
  StringMap nodeSelector;
  StringMap overhead;  ///< quantities, as in ResourceRequirements
  InternedString restartPolicy;
  InternedString serviceAccountName;
  InternedString schedulerName;
  InternedString priorityClassName;
  InternedString hostname;
  InternedString subdomain;
  std::optional<int32_t> priority;
  std::optional<int64_t> activeDeadlineSeconds;
  std::optional<int64_t> terminationGracePeriodSeconds;
  bool hostNetwork = false;
};

struct PodSpec {
  InternedString nodeName;
  Boxed<PodSpecExtras> extras = {};
};

struct PodIP {
  std::string ip;
};
struct HostIP {
  InternedString ip;
};

struct PodStatusExtras {
  List<ContainerStatus> initContainerStatuses;
  List<PodIP> podIPs;
  List<HostIP> hostIPs;
  std::string podIP;
  InternedString hostIP;
  InternedString reason;
  std::string message;
  InternedString qosClass;
  InternedString nominatedNodeName;
  Time startTime;
};

struct PodStatus {
  InternedString phase;  ///< "Pending", "Running", "Succeeded", "Failed" or "Unknown"
  List<PodCondition> conditions;
  List<ContainerStatus> containerStatuses;
  Boxed<PodStatusExtras> extras = {};
};

/// A cache keeps only the fields that plugins read (PluginContext::Reads).
struct Pod {
  ObjectMeta metadata;
  PodSpec spec;
  PodStatus status;
};

/// A Pod for creation from a pod template. It is the same resource as Pod, but keeps its spec as
/// raw JSON.
struct PodFromTemplate {
  ObjectMeta metadata;
  RawJson spec;
};

struct ObjectReference {
  InternedString kind;
  InternedString namespace_;
  std::string name;
  Uid uid;
  InternedString apiVersion;
  std::string resourceVersion;
  InternedString fieldPath;
};

struct EventSource {
  InternedString component;
  InternedString host;
};

/// core/v1 Event, the kind of event that kube-controller-manager's recorder writes.
struct Event {
  ObjectMeta metadata;
  ObjectReference involvedObject;
  InternedString reason;
  std::string message;
  EventSource source;
  Time firstTimestamp;
  Time lastTimestamp;
  int32_t count = 0;
  InternedString type;  ///< "Normal" or "Warning"
  InternedString reportingComponent;
  InternedString reportingInstance;
};

struct NamespaceStatus {
  InternedString phase;  ///< "Active" or "Terminating"
};

struct Namespace {
  ObjectMeta metadata;
  NamespaceStatus status;
};

struct Node {
  ObjectMeta metadata;
};

}  // namespace capstan::api::core::v1

CAPSTAN_API_TYPE(capstan::api::core::v1::PodCondition, CAPSTAN_FIELD_ALWAYS(type, 1),
                 CAPSTAN_FIELD_ALWAYS(status, 2), CAPSTAN_FIELD(lastTransitionTime, 4),
                 CAPSTAN_FIELD_IN(extras, reason, 5), CAPSTAN_FIELD_IN(extras, message, 6),
                 CAPSTAN_UNKNOWN_MEMBERS_IN(extras, unknown))

CAPSTAN_API_TYPE(capstan::api::core::v1::ContainerStateWaiting, CAPSTAN_FIELD(reason, 1),
                 CAPSTAN_FIELD(message, 2))

CAPSTAN_API_TYPE(capstan::api::core::v1::ContainerStateRunning, CAPSTAN_FIELD(startedAt, 1))

CAPSTAN_API_TYPE(capstan::api::core::v1::ContainerStateTerminated,
                 CAPSTAN_FIELD_ALWAYS(exitCode, 1), CAPSTAN_FIELD(signal, 2),
                 CAPSTAN_FIELD(reason, 3), CAPSTAN_FIELD(startedAt, 5),
                 CAPSTAN_FIELD(finishedAt, 6))

CAPSTAN_API_TYPE(capstan::api::core::v1::ContainerState, CAPSTAN_FIELD(waiting, 1),
                 CAPSTAN_FIELD(running, 2), CAPSTAN_FIELD(terminated, 3))

CAPSTAN_API_TYPE(capstan::api::core::v1::ContainerStatus, CAPSTAN_FIELD_IN(extras, name, 1),
                 CAPSTAN_FIELD_ALWAYS(ready, 4), CAPSTAN_FIELD_ALWAYS(restartCount, 5),
                 CAPSTAN_FIELD_IN(extras, started, 9), CAPSTAN_FIELD_IN(extras, state, 2),
                 CAPSTAN_FIELD_IN(extras, lastState, 3))

CAPSTAN_API_TYPE(capstan::api::core::v1::ContainerPort, CAPSTAN_FIELD(name, 1),
                 CAPSTAN_FIELD(hostPort, 2), CAPSTAN_FIELD_ALWAYS(containerPort, 3),
                 CAPSTAN_FIELD(protocol, 4))

CAPSTAN_API_TYPE(capstan::api::core::v1::ResourceRequirements,
                 CAPSTAN_QUANTITIES(CAPSTAN_FIELD_SHARED(limits, 1)),
                 CAPSTAN_QUANTITIES(CAPSTAN_FIELD_SHARED(requests, 2)))

CAPSTAN_API_TYPE(capstan::api::core::v1::Container, CAPSTAN_FIELD_ALWAYS(name, 1),
                 CAPSTAN_FIELD(image, 2), CAPSTAN_FIELD(ports, 6), CAPSTAN_FIELD(resources, 8),
                 CAPSTAN_FIELD(restartPolicy, 24))

CAPSTAN_API_TYPE(capstan::api::core::v1::PersistentVolumeClaimVolumeSource,
                 CAPSTAN_FIELD_ALWAYS(claimName, 1), CAPSTAN_FIELD(readOnly, 2))

CAPSTAN_API_TYPE(capstan::api::core::v1::EphemeralVolumeSource,
                 CAPSTAN_FIELD(volumeClaimTemplate, 1))

CAPSTAN_API_TYPE(capstan::api::core::v1::Volume, CAPSTAN_FIELD_ALWAYS(name, 1),
                 CAPSTAN_FIELD(persistentVolumeClaim, 2, 10), CAPSTAN_FIELD(ephemeral, 2, 29))

CAPSTAN_API_TYPE(capstan::api::core::v1::PodSchedulingGate, CAPSTAN_FIELD_ALWAYS(name, 1))

CAPSTAN_API_TYPE(capstan::api::core::v1::Toleration, CAPSTAN_FIELD(key, 1),
                 CAPSTAN_FIELD_AS(operator_, "operator", 2), CAPSTAN_FIELD(value, 3),
                 CAPSTAN_FIELD(effect, 4), CAPSTAN_FIELD(tolerationSeconds, 5))

CAPSTAN_API_TYPE(
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
    CAPSTAN_QUANTITIES(capstan::internal::WithFlags(CAPSTAN_FIELD_IN(extras, overhead, 32),
                                                    capstan::kShared)),
    CAPSTAN_FIELD_IN(extras, schedulingGates, 38))

CAPSTAN_API_TYPE(capstan::api::core::v1::PodIP, CAPSTAN_FIELD(ip, 1))

CAPSTAN_API_TYPE(capstan::api::core::v1::HostIP, CAPSTAN_FIELD(ip, 1))

CAPSTAN_API_TYPE(capstan::api::core::v1::PodStatus, CAPSTAN_FIELD(phase, 1),
                 CAPSTAN_FIELD(conditions, 2), CAPSTAN_FIELD_IN(extras, message, 3),
                 CAPSTAN_FIELD_IN(extras, reason, 4),
                 CAPSTAN_FIELD_IN(extras, nominatedNodeName, 11),
                 CAPSTAN_FIELD_IN(extras, hostIP, 5), CAPSTAN_FIELD_IN(extras, hostIPs, 16),
                 CAPSTAN_FIELD_IN(extras, podIP, 6), CAPSTAN_FIELD_IN(extras, podIPs, 12),
                 CAPSTAN_FIELD_IN(extras, startTime, 7),
                 CAPSTAN_READ_ONLY(CAPSTAN_FIELD_IN(extras, initContainerStatuses, 10)),
                 CAPSTAN_READ_ONLY(CAPSTAN_FIELD_SHARED(containerStatuses, 8)),
                 CAPSTAN_FIELD_IN(extras, qosClass, 9))

CAPSTAN_API_RESOURCE(capstan::api::core::v1::Pod,
                     (.group = "", .version = "v1", .resource = "pods", .kind = "Pod",
                      .namespaced = true),
                     CAPSTAN_FIELD(metadata, 1), CAPSTAN_FIELD(spec, 2), CAPSTAN_FIELD(status, 3))

CAPSTAN_API_RESOURCE(capstan::api::core::v1::PodFromTemplate,
                     (.group = "", .version = "v1", .resource = "pods", .kind = "Pod",
                      .namespaced = true),
                     CAPSTAN_FIELD(metadata, 1), CAPSTAN_FIELD(spec, 2))

CAPSTAN_API_TYPE(capstan::api::core::v1::ObjectReference, CAPSTAN_FIELD(kind, 1),
                 CAPSTAN_FIELD_AS(namespace_, "namespace", 2), CAPSTAN_FIELD(name, 3),
                 CAPSTAN_FIELD(uid, 4), CAPSTAN_FIELD(apiVersion, 5),
                 CAPSTAN_FIELD(resourceVersion, 6), CAPSTAN_FIELD(fieldPath, 7))

CAPSTAN_API_TYPE(capstan::api::core::v1::EventSource, CAPSTAN_FIELD(component, 1),
                 CAPSTAN_FIELD(host, 2))

CAPSTAN_API_RESOURCE(capstan::api::core::v1::Event,
                     (.group = "", .version = "v1", .resource = "events", .kind = "Event",
                      .namespaced = true),
                     CAPSTAN_FIELD_ALWAYS(metadata, 1), CAPSTAN_FIELD_ALWAYS(involvedObject, 2),
                     CAPSTAN_FIELD(reason, 3), CAPSTAN_FIELD(message, 4), CAPSTAN_FIELD(source, 5),
                     CAPSTAN_FIELD(firstTimestamp, 6), CAPSTAN_FIELD(lastTimestamp, 7),
                     CAPSTAN_FIELD(count, 8), CAPSTAN_FIELD(type, 9),
                     CAPSTAN_FIELD_ALWAYS(reportingComponent, 14),
                     CAPSTAN_FIELD_ALWAYS(reportingInstance, 15))

CAPSTAN_API_TYPE(capstan::api::core::v1::NamespaceStatus, CAPSTAN_FIELD(phase, 1))

CAPSTAN_API_RESOURCE(capstan::api::core::v1::Namespace,
                     (.group = "", .version = "v1", .resource = "namespaces", .kind = "Namespace",
                      .namespaced = false),
                     CAPSTAN_FIELD(metadata, 1), CAPSTAN_FIELD(status, 3))

CAPSTAN_API_RESOURCE(capstan::api::core::v1::Node,
                     (.group = "", .version = "v1", .resource = "nodes", .kind = "Node",
                      .namespaced = false),
                     CAPSTAN_FIELD(metadata, 1))
