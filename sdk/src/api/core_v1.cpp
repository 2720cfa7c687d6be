#include <capstan/api/core_v1.h>

namespace {

using capstan::api::core::v1::InitContainer;
using capstan::api::core::v1::PodCondition;

// A pod's metadata: ObjectMeta with fewer annotations.
const char* const kPodAnnotations[] = {"controller.kubernetes.io/pod-deletion-cost", nullptr};

struct PodMetadata {
  using Self = capstan::api::ObjectMeta;
  using Maker = capstan::internal::DescriptorMaker;
  static constexpr capstan::FieldDescriptor kFields[] = {
      CAPSTAN_FIELD(name, 1),
      CAPSTAN_FIELD(generateName, 2),
      CAPSTAN_FIELD_AS(namespace_, "namespace", 3),
      CAPSTAN_FIELD(uid, 5),
      CAPSTAN_FIELD(resourceVersion, 6),
      CAPSTAN_FIELD(generation, 7),
      CAPSTAN_FIELD(creationTimestamp, 8),
      CAPSTAN_FIELD(deletionTimestamp, 9),
      CAPSTAN_FIELD_SHARED(labels, 11),
      capstan::internal::WithKeepKeys(CAPSTAN_FIELD_SHARED(annotations, 12), kPodAnnotations),
      CAPSTAN_FIELD(ownerReferences, 13),
      CAPSTAN_FIELD(finalizers, 14),
  };
  static constexpr capstan::TypeDescriptor kType = capstan::internal::MakeType<Self>(
      "Pod metadata", kFields, sizeof(kFields) / sizeof(kFields[0]), nullptr, 0);
  static const capstan::TypeDescriptor& Type() { return kType; }
};

bool IsReadyCondition(const void* condition) {
  return static_cast<const PodCondition*>(condition)->type == "Ready";
}

bool IsSidecar(const void* container) {
  return static_cast<const InitContainer*>(container)->restartPolicy == "Always";
}

}  // namespace

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::PodCondition, CAPSTAN_FIELD_ALWAYS(type, 1),
                    CAPSTAN_FIELD_ALWAYS(status, 2), CAPSTAN_FIELD(lastTransitionTime, 4))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::ContainerStatus, CAPSTAN_FIELD_ALWAYS(name, 1),
                    CAPSTAN_FIELD_ALWAYS(restartCount, 5))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::InitContainer, CAPSTAN_FIELD_ALWAYS(name, 1),
                    CAPSTAN_FIELD(restartPolicy, 24))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::PodSpec, CAPSTAN_FIELD(nodeName, 10),
                    capstan::internal::WithKeep(CAPSTAN_FIELD(initContainers, 20), IsSidecar))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::PodStatus, CAPSTAN_FIELD(phase, 1),
                    capstan::internal::WithKeep(CAPSTAN_FIELD(conditions, 2), IsReadyCondition),
                    CAPSTAN_FIELD(containerStatuses, 8), CAPSTAN_FIELD(initContainerStatuses, 10))

CAPSTAN_DEFINE_RESOURCE(capstan::api::core::v1::Pod,
                        (.group = "", .version = "v1", .resource = "pods", .kind = "Pod",
                         .namespaced = true),
                        capstan::internal::WithNested(CAPSTAN_FIELD(metadata, 1),
                                                      PodMetadata::Type),
                        CAPSTAN_FIELD(spec, 2), CAPSTAN_FIELD(status, 3))

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
