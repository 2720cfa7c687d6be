#include <capstan/api/core_v1.h>

namespace {

using capstan::api::core::v1::InitContainer;
using capstan::api::core::v1::PodCondition;

// A pod's metadata: ObjectMeta with fewer annotations.
const char* const kPodAnnotations[] = {"controller.kubernetes.io/pod-deletion-cost", nullptr};

struct PodMetadata {
  using Self = capstan::api::ObjectMeta;
  static constexpr capstan::FieldDescriptor kFields[] = {
      CAPSTAN_FIELD(name),
      CAPSTAN_FIELD(generateName),
      CAPSTAN_FIELD_AS(namespace_, "namespace"),
      CAPSTAN_FIELD(uid),
      CAPSTAN_FIELD(resourceVersion),
      CAPSTAN_FIELD(generation),
      CAPSTAN_FIELD(creationTimestamp),
      CAPSTAN_FIELD(deletionTimestamp),
      CAPSTAN_FIELD_SHARED(labels),
      capstan::internal::WithKeepKeys(CAPSTAN_FIELD_SHARED(annotations), kPodAnnotations),
      CAPSTAN_FIELD(ownerReferences),
      CAPSTAN_FIELD(finalizers),
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

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::PodCondition, CAPSTAN_FIELD_ALWAYS(type),
                    CAPSTAN_FIELD_ALWAYS(status), CAPSTAN_FIELD(lastTransitionTime))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::ContainerStatus, CAPSTAN_FIELD_ALWAYS(name),
                    CAPSTAN_FIELD_ALWAYS(restartCount))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::InitContainer, CAPSTAN_FIELD_ALWAYS(name),
                    CAPSTAN_FIELD(restartPolicy))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::PodSpec, CAPSTAN_FIELD(nodeName),
                    capstan::internal::WithKeep(CAPSTAN_FIELD(initContainers), IsSidecar))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::PodStatus, CAPSTAN_FIELD(phase),
                    capstan::internal::WithKeep(CAPSTAN_FIELD(conditions), IsReadyCondition),
                    CAPSTAN_FIELD(containerStatuses), CAPSTAN_FIELD(initContainerStatuses))

CAPSTAN_DEFINE_RESOURCE(capstan::api::core::v1::Pod,
                        (.group = "", .version = "v1", .resource = "pods", .kind = "Pod",
                         .namespaced = true),
                        capstan::internal::WithNested(CAPSTAN_FIELD(metadata), PodMetadata::Type),
                        CAPSTAN_FIELD(spec), CAPSTAN_FIELD(status))

CAPSTAN_DEFINE_RESOURCE(capstan::api::core::v1::PodFromTemplate,
                        (.group = "", .version = "v1", .resource = "pods", .kind = "Pod",
                         .namespaced = true),
                        CAPSTAN_FIELD(metadata), CAPSTAN_FIELD(spec))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::ObjectReference, CAPSTAN_FIELD(kind),
                    CAPSTAN_FIELD_AS(namespace_, "namespace"), CAPSTAN_FIELD(name),
                    CAPSTAN_FIELD(uid), CAPSTAN_FIELD(apiVersion), CAPSTAN_FIELD(resourceVersion),
                    CAPSTAN_FIELD(fieldPath))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::EventSource, CAPSTAN_FIELD(component),
                    CAPSTAN_FIELD(host))

CAPSTAN_DEFINE_RESOURCE(
    capstan::api::core::v1::Event,
    (.group = "", .version = "v1", .resource = "events", .kind = "Event", .namespaced = true),
    CAPSTAN_FIELD_ALWAYS(metadata), CAPSTAN_FIELD_ALWAYS(involvedObject), CAPSTAN_FIELD(reason),
    CAPSTAN_FIELD(message), CAPSTAN_FIELD(source), CAPSTAN_FIELD(firstTimestamp),
    CAPSTAN_FIELD(lastTimestamp), CAPSTAN_FIELD(count), CAPSTAN_FIELD(type),
    CAPSTAN_FIELD_ALWAYS(reportingComponent), CAPSTAN_FIELD_ALWAYS(reportingInstance))

CAPSTAN_DEFINE_TYPE(capstan::api::core::v1::NamespaceStatus, CAPSTAN_FIELD(phase))

CAPSTAN_DEFINE_RESOURCE(capstan::api::core::v1::Namespace,
                        (.group = "", .version = "v1", .resource = "namespaces",
                         .kind = "Namespace", .namespaced = false),
                        CAPSTAN_FIELD(metadata), CAPSTAN_FIELD(status))

CAPSTAN_DEFINE_RESOURCE(capstan::api::core::v1::Node,
                        (.group = "", .version = "v1", .resource = "nodes", .kind = "Node",
                         .namespaced = false),
                        CAPSTAN_FIELD(metadata))
