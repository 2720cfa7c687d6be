#pragma once

/// core/v1: Pod, Event, Namespace and Node, as far as controllers use them.
/// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/

#include <cstdint>
#include <optional>
#include <string>

#include <capstan/api/meta_v1.h>

namespace capstan::api::core::v1 {

struct PodConditionExtras {
  InternedString reason;
  std::string message;
  RawJson unknown;  ///< members that are not described here, as a list is written whole
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

/// At most one of its members is set.
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

/// Quantities by the name of the resource ("cpu": "500m").
struct ResourceRequirements {
  StringMap requests;
  StringMap limits;
};

struct Container {
  InternedString name;
  InternedString restartPolicy;  ///< "Always" of a restartable init container ("sidecar", KEP-753)
  InternedString image;
  List<ContainerPort> ports;
  ResourceRequirements resources;
};

struct PersistentVolumeClaimVolumeSource {
  InternedString claimName;
  bool readOnly = false;
};

/// The claim is named after the pod and the volume.
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

/// Caches keep those of its fields that a plugin reads (PluginContext::Reads).
struct Pod {
  ObjectMeta metadata;
  PodSpec spec;
  PodStatus status;
};

/// A pod to be created from a template: the same resource by another struct, whose spec is carried.
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

/// core/v1 Event, the kind that kube-controller-manager's recorder writes.
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

CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::PodCondition)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::ContainerStatus)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::ContainerStateWaiting)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::ContainerStateRunning)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::ContainerStateTerminated)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::ContainerState)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::ContainerPort)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::ResourceRequirements)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::Container)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::PersistentVolumeClaimVolumeSource)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::EphemeralVolumeSource)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::Volume)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::PodSchedulingGate)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::Toleration)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::PodIP)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::HostIP)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::PodSpec)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::PodStatus)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::Pod)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::PodFromTemplate)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::ObjectReference)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::EventSource)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::Event)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::NamespaceStatus)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::Namespace)
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::Node)
