#pragma once

/// The layout fingerprint: a hash over the sizes and offsets of the public types that a plugin and
/// libcapstan hand to each other. Two binaries with different fingerprints must not be put
/// together.
///
/// It cannot see the order of virtual functions, nor what a member means: who changes those raises
/// kPluginContractVersion.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <capstan/api/apps_v1.h>
#include <capstan/api/coordination_v1.h>
#include <capstan/api/core_v1.h>
#include <capstan/api/descriptor.h>
#include <capstan/api/meta_v1.h>
#include <capstan/cache/lister.h>
#include <capstan/cache/shared_informer.h>
#include <capstan/client/client.h>
#include <capstan/controller/controller.h>
#include <capstan/controller/reconciler.h>
#include <capstan/events/event_recorder.h>
#include <capstan/log/log.h>
#include <capstan/metrics/metrics.h>
#include <capstan/plugin/descriptor.h>
#include <capstan/plugin/plugin_context.h>
#include <capstan/queue/work_queue.h>
#include <capstan/runtime/format.h>
#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

namespace capstan {
namespace internal {

/// FNV-1a.
class LayoutHash {
 public:
  constexpr LayoutHash& Add(uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) {
      value_ = (value_ ^ ((number >> (byte * 8)) & 0xff)) * 0x100000001b3ULL;
    }
    return *this;
  }
  template <class... T>
  constexpr LayoutHash& Sizes() {
    (Add(sizeof(T)).Add(alignof(T)), ...);
    return *this;
  }
  /// A described type: its size and where its members are.
  template <class T>
  constexpr LayoutHash& Members(std::initializer_list<size_t> offsets) {
    static_assert(std::is_standard_layout_v<T>);
    Sizes<T>();
    for (size_t offset : offsets) Add(offset);
    return *this;
  }
  constexpr uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325ULL;
};

constexpr void AddLibraryTypes(LayoutHash& hash) {
  hash.Sizes<std::string, std::string_view, std::vector<int>, std::map<int, int>,
             std::optional<int64_t>, std::function<void()>, std::shared_ptr<int>,
             std::unique_ptr<int>, std::stop_token, std::stop_source>();
}

constexpr void AddValueTypes(LayoutHash& hash) {
  hash.Sizes<Status, Status::Details, Status::Cause, Result<int>, Result<std::string>, FormatArg,
             LogField, CodeLocation, Mutex, MutexLock, StopWaker, WallTime, MonotonicTime,
             InternedString, FieldSet, Boxed<int>, StringMap, StringMap::Entry, RawJson, List<int>,
             Uid, api::Time, api::MicroTime, api::IntOrString, NamespacedName, Selector>();
}

constexpr void AddDescriptors(LayoutHash& hash) {
  hash.Members<FieldDescriptor>(
      {offsetof(FieldDescriptor, json), offsetof(FieldDescriptor, offset),
       offsetof(FieldDescriptor, kind), offsetof(FieldDescriptor, shape),
       offsetof(FieldDescriptor, flags), offsetof(FieldDescriptor, number),
       offsetof(FieldDescriptor, within), offsetof(FieldDescriptor, nested),
       offsetof(FieldDescriptor, container), offsetof(FieldDescriptor, box),
       offsetof(FieldDescriptor, box_offset)});
  hash.Members<BoxOps>({offsetof(BoxOps, get), offsetof(BoxOps, edit), offsetof(BoxOps, allocated),
                        offsetof(BoxOps, reset)});
  hash.Members<TypeDescriptor>({offsetof(TypeDescriptor, name), offsetof(TypeDescriptor, fields),
                                offsetof(TypeDescriptor, field_count),
                                offsetof(TypeDescriptor, size), offsetof(TypeDescriptor, construct),
                                offsetof(TypeDescriptor, destroy), offsetof(TypeDescriptor, make),
                                offsetof(TypeDescriptor, resource),
                                offsetof(TypeDescriptor, metadata_offset)});
  hash.Members<ResourceInfo>({offsetof(ResourceInfo, group), offsetof(ResourceInfo, version),
                              offsetof(ResourceInfo, resource), offsetof(ResourceInfo, kind),
                              offsetof(ResourceInfo, namespaced),
                              offsetof(ResourceInfo, metadata_only)});
  hash.Members<ContainerOps>({offsetof(ContainerOps, size), offsetof(ContainerOps, at),
                              offsetof(ContainerOps, append), offsetof(ContainerOps, pop),
                              offsetof(ContainerOps, finish)});
  hash.Members<ExplainedKind>({offsetof(ExplainedKind, kind), offsetof(ExplainedKind, resource),
                               offsetof(ExplainedKind, short_name),
                               offsetof(ExplainedKind, explain)});
  hash.Members<PluginInfo>(
      {offsetof(PluginInfo, name), offsetof(PluginInfo, aliases), offsetof(PluginInfo, setup),
       offsetof(PluginInfo, version), offsetof(PluginInfo, off_by_default),
       offsetof(PluginInfo, concurrent_syncs_flag), offsetof(PluginInfo, concurrent_syncs),
       offsetof(PluginInfo, explains)});
}

constexpr void AddMetaTypes(LayoutHash& hash) {
  using api::LabelSelector, api::ObjectMeta, api::OwnerReference;
  hash.Members<ObjectMeta>({offsetof(ObjectMeta, name), offsetof(ObjectMeta, generateName),
                            offsetof(ObjectMeta, namespace_), offsetof(ObjectMeta, uid),
                            offsetof(ObjectMeta, resourceVersion), offsetof(ObjectMeta, generation),
                            offsetof(ObjectMeta, creationTimestamp),
                            offsetof(ObjectMeta, deletionTimestamp), offsetof(ObjectMeta, labels),
                            offsetof(ObjectMeta, annotations),
                            offsetof(ObjectMeta, ownerReferences), offsetof(ObjectMeta, finalizers),
                            offsetof(ObjectMeta, kept)});
  hash.Members<OwnerReference>({offsetof(OwnerReference, apiVersion),
                                offsetof(OwnerReference, kind), offsetof(OwnerReference, name),
                                offsetof(OwnerReference, uid), offsetof(OwnerReference, controller),
                                offsetof(OwnerReference, blockOwnerDeletion)});
  hash.Members<LabelSelector>(
      {offsetof(LabelSelector, matchLabels), offsetof(LabelSelector, matchExpressions)});
  hash.Sizes<api::LabelSelectorRequirement>();
}

constexpr void AddApps(LayoutHash& hash) {
  using namespace api::apps::v1;  // NOLINT(google-build-using-namespace)
  hash.Members<DeploymentSpec>(
      {offsetof(DeploymentSpec, replicas), offsetof(DeploymentSpec, selector),
       offsetof(DeploymentSpec, template_), offsetof(DeploymentSpec, strategy),
       offsetof(DeploymentSpec, minReadySeconds), offsetof(DeploymentSpec, revisionHistoryLimit),
       offsetof(DeploymentSpec, paused), offsetof(DeploymentSpec, progressDeadlineSeconds)});
  hash.Members<DeploymentCondition>(
      {offsetof(DeploymentCondition, type), offsetof(DeploymentCondition, status),
       offsetof(DeploymentCondition, lastUpdateTime),
       offsetof(DeploymentCondition, lastTransitionTime), offsetof(DeploymentCondition, reason),
       offsetof(DeploymentCondition, message), offsetof(DeploymentCondition, unknown)});
  hash.Members<ReplicaSetCondition>(
      {offsetof(ReplicaSetCondition, type), offsetof(ReplicaSetCondition, status),
       offsetof(ReplicaSetCondition, lastTransitionTime), offsetof(ReplicaSetCondition, reason),
       offsetof(ReplicaSetCondition, message), offsetof(ReplicaSetCondition, unknown)});
  hash.Members<DeploymentStatus>(
      {offsetof(DeploymentStatus, observedGeneration), offsetof(DeploymentStatus, replicas),
       offsetof(DeploymentStatus, updatedReplicas), offsetof(DeploymentStatus, readyReplicas),
       offsetof(DeploymentStatus, availableReplicas),
       offsetof(DeploymentStatus, unavailableReplicas),
       offsetof(DeploymentStatus, terminatingReplicas), offsetof(DeploymentStatus, conditions),
       offsetof(DeploymentStatus, collisionCount)});
  hash.Members<DeploymentStrategy>(
      {offsetof(DeploymentStrategy, type), offsetof(DeploymentStrategy, rollingUpdate)});
  hash.Members<RollingUpdateDeployment>({offsetof(RollingUpdateDeployment, maxUnavailable),
                                         offsetof(RollingUpdateDeployment, maxSurge)});
  hash.Members<Deployment>({offsetof(Deployment, spec), offsetof(Deployment, status)});
  hash.Members<ReplicaSetSpec>(
      {offsetof(ReplicaSetSpec, replicas), offsetof(ReplicaSetSpec, minReadySeconds),
       offsetof(ReplicaSetSpec, selector), offsetof(ReplicaSetSpec, template_)});
  hash.Members<ReplicaSetStatus>(
      {offsetof(ReplicaSetStatus, replicas), offsetof(ReplicaSetStatus, fullyLabeledReplicas),
       offsetof(ReplicaSetStatus, readyReplicas), offsetof(ReplicaSetStatus, availableReplicas),
       offsetof(ReplicaSetStatus, terminatingReplicas),
       offsetof(ReplicaSetStatus, observedGeneration), offsetof(ReplicaSetStatus, conditions)});
  hash.Members<ReplicaSet>({offsetof(ReplicaSet, spec), offsetof(ReplicaSet, status)});
}

constexpr void AddCore(LayoutHash& hash) {
  using namespace api::core::v1;  // NOLINT(google-build-using-namespace)
  hash.Members<Pod>({offsetof(Pod, spec), offsetof(Pod, status)});
  hash.Members<PodSpec>({offsetof(PodSpec, nodeName), offsetof(PodSpec, extras)});
  hash.Members<PodStatus>({offsetof(PodStatus, phase), offsetof(PodStatus, conditions),
                           offsetof(PodStatus, containerStatuses), offsetof(PodStatus, extras)});
  hash.Members<PodCondition>({offsetof(PodCondition, type), offsetof(PodCondition, status),
                              offsetof(PodCondition, lastTransitionTime),
                              offsetof(PodCondition, extras)});
  hash.Members<PodFromTemplate>({offsetof(PodFromTemplate, spec)});
  hash.Members<ObjectReference>(
      {offsetof(ObjectReference, kind), offsetof(ObjectReference, namespace_),
       offsetof(ObjectReference, name), offsetof(ObjectReference, uid),
       offsetof(ObjectReference, apiVersion), offsetof(ObjectReference, resourceVersion),
       offsetof(ObjectReference, fieldPath)});
  hash.Sizes<PodSpecExtras, PodStatusExtras, PodConditionExtras, ContainerStatus,
             ContainerStatusExtras, ContainerState, ContainerStateTerminated, Container,
             ContainerPort, ResourceRequirements, Volume, Toleration, PodSchedulingGate, PodIP,
             HostIP>();
  hash.Sizes<Event, EventSource, Namespace, NamespaceStatus, Node, api::coordination::v1::Lease,
             api::coordination::v1::LeaseSpec>();
}

constexpr void AddServices(LayoutHash& hash) {
  hash.Sizes<Client, WriteObserver, ListOptions, WatchOptions, DeleteOptions, ObjectList,
             WatchEvent, ClientOptions, Indexer, Lister<api::core::v1::Pod>, InformerScope,
             EventHandler, SharedInformer, SharedInformerFactory, WorkQueue, RateLimiter, Request,
             Action, Reconciler, Controller, ControllerBuilder, Explanation, Explanation::Detail,
             ExplainedObject, Explainer, EventBroadcaster, EventRecorder, Scheme, Counter, Gauge,
             Histogram, MetricsRegistry, Runtime, Clock, Thread, Condition, PluginContext>();
}

constexpr uint64_t LayoutFingerprint() {
  LayoutHash hash;
  AddLibraryTypes(hash);
  AddValueTypes(hash);
  AddDescriptors(hash);
  AddMetaTypes(hash);
  AddApps(hash);
  AddCore(hash);
  AddServices(hash);
  return hash.value();
}

}  // namespace internal

inline constexpr uint64_t kLayoutFingerprint = internal::LayoutFingerprint();

}  // namespace capstan
