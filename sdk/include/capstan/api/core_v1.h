#pragma once

/// core/v1: Pod, Event, Namespace and Node, as far as controllers use them.
/// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/

#include <cstdint>
#include <optional>
#include <string>

#include <capstan/api/meta_v1.h>

namespace capstan::api::core::v1 {

/// Only the condition of type Ready is kept of a Pod's conditions.
struct PodCondition {
  InternedString type;
  InternedString status;
  Time lastTransitionTime;
};

struct ContainerStatus {
  InternedString name;
  int32_t restartCount = 0;
};

/// Only restartable init containers ("sidecars", KEP-753) are kept.
struct InitContainer {
  InternedString name;
  InternedString restartPolicy;
};

struct PodSpec {
  InternedString nodeName;
  List<InitContainer> initContainers;
};

struct PodStatus {
  InternedString phase;  ///< "Pending", "Running", "Succeeded", "Failed" or "Unknown"
  List<PodCondition> conditions;
  List<ContainerStatus> containerStatuses;
  List<ContainerStatus> initContainerStatuses;
};

/// A projection for controllers that own pods. Of the annotations only
/// `controller.kubernetes.io/pod-deletion-cost` is kept.
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
CAPSTAN_DECLARE_EXPORTED(capstan::api::core::v1::InitContainer)
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
