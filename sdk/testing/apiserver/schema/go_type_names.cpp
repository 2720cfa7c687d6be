#include "apiserver/schema/go_type_names.h"

#include <algorithm>

namespace capstan::testing::server {
namespace {

struct NamedField {
  std::string_view object;
  std::string_view field;
  std::string_view type;
};

// Sorted.
constexpr NamedField kNamed[] = {
    {"AppArmorProfile", "type", "v1.AppArmorProfileType"},
    {"AttachedVolume", "name", "v1.UniqueVolumeName"},
    {"AzureDiskVolumeSource", "cachingMode", "v1.AzureDataDiskCachingMode"},
    {"AzureDiskVolumeSource", "kind", "v1.AzureDataDiskKind"},
    {"Capabilities", "add", "v1.Capability"},
    {"Capabilities", "drop", "v1.Capability"},
    {"CertificateSigningRequestCondition", "status", "v1.ConditionStatus"},
    {"CertificateSigningRequestCondition", "type", "v1.RequestConditionType"},
    {"CertificateSigningRequestSpec", "usages", "v1.KeyUsage"},
    {"Condition", "status", "v1.ConditionStatus"},
    {"Container", "imagePullPolicy", "v1.PullPolicy"},
    {"Container", "restartPolicy", "v1.ContainerRestartPolicy"},
    {"Container", "terminationMessagePolicy", "v1.TerminationMessagePolicy"},
    {"ContainerPort", "protocol", "v1.Protocol"},
    {"ContainerResizePolicy", "resourceName", "v1.ResourceName"},
    {"ContainerResizePolicy", "restartPolicy", "v1.ResourceResizeRestartPolicy"},
    {"ContainerResourceMetricSource", "name", "v1.ResourceName"},
    {"ContainerRestartRule", "action", "v1.ContainerRestartRuleAction"},
    {"ContainerRestartRuleOnExitCodes", "operator", "v1.ContainerRestartRuleOnExitCodesOperator"},
    {"ContainerStatus", "allocatedResources", "v1.ResourceList"},
    {"ContainerStatus", "stopSignal", "v1.Signal"},
    {"CronJobSpec", "concurrencyPolicy", "v1.ConcurrencyPolicy"},
    {"CustomResourceConversion", "strategy", "v1.ConversionStrategyType"},
    {"CustomResourceDefinitionCondition", "status", "v1.ConditionStatus"},
    {"CustomResourceDefinitionCondition", "type", "v1.CustomResourceDefinitionConditionType"},
    {"CustomResourceDefinitionSpec", "scope", "v1.ResourceScope"},
    {"DaemonSetCondition", "status", "v1.ConditionStatus"},
    {"DaemonSetCondition", "type", "v1.DaemonSetConditionType"},
    {"DaemonSetUpdateStrategy", "type", "v1.DaemonSetUpdateStrategyType"},
    {"DeleteOptions", "propagationPolicy", "v1.DeletionPropagation"},
    {"DeploymentCondition", "status", "v1.ConditionStatus"},
    {"DeploymentCondition", "type", "v1.DeploymentConditionType"},
    {"DeploymentStrategy", "type", "v1.DeploymentStrategyType"},
    {"EmptyDirVolumeSource", "medium", "v1.StorageMedium"},
    {"EndpointPort", "protocol", "v1.Protocol"},
    {"EndpointSlice", "addressType", "v1.AddressType"},
    {"HPAScalingPolicy", "type", "v2.HPAScalingPolicyType"},
    {"HPAScalingRules", "selectPolicy", "v2.ScalingPolicySelect"},
    {"HTTPGetAction", "scheme", "v1.URIScheme"},
    {"HorizontalPodAutoscalerCondition", "status", "v1.ConditionStatus"},
    {"HorizontalPodAutoscalerCondition", "type", "v2.HorizontalPodAutoscalerConditionType"},
    {"HostPathVolumeSource", "type", "v1.HostPathType"},
    {"ImageVolumeSource", "pullPolicy", "v1.PullPolicy"},
    {"JobCondition", "status", "v1.ConditionStatus"},
    {"JobCondition", "type", "v1.JobConditionType"},
    {"JobSpec", "completionMode", "v1.CompletionMode"},
    {"JobSpec", "podReplacementPolicy", "v1.PodReplacementPolicy"},
    {"LabelSelectorRequirement", "operator", "v1.LabelSelectorOperator"},
    {"LeaseSpec", "strategy", "v1.CoordinatedLeaseStrategy"},
    {"Lifecycle", "stopSignal", "v1.Signal"},
    {"LimitRangeItem", "default", "v1.ResourceList"},
    {"LimitRangeItem", "defaultRequest", "v1.ResourceList"},
    {"LimitRangeItem", "max", "v1.ResourceList"},
    {"LimitRangeItem", "maxLimitRequestRatio", "v1.ResourceList"},
    {"LimitRangeItem", "min", "v1.ResourceList"},
    {"LimitRangeItem", "type", "v1.LimitType"},
    {"LoadBalancerIngress", "ipMode", "v1.LoadBalancerIPMode"},
    {"ManagedFieldsEntry", "operation", "v1.ManagedFieldsOperationType"},
    {"MetricSpec", "type", "v2.MetricSourceType"},
    {"MetricTarget", "type", "v2.MetricTargetType"},
    {"NamespaceCondition", "status", "v1.ConditionStatus"},
    {"NamespaceCondition", "type", "v1.NamespaceConditionType"},
    {"NamespaceSpec", "finalizers", "v1.FinalizerName"},
    {"NamespaceStatus", "phase", "v1.NamespacePhase"},
    {"NodeAddress", "type", "v1.NodeAddressType"},
    {"NodeCondition", "status", "v1.ConditionStatus"},
    {"NodeCondition", "type", "v1.NodeConditionType"},
    {"NodeSelectorRequirement", "operator", "v1.NodeSelectorOperator"},
    {"NodeStatus", "allocatable", "v1.ResourceList"},
    {"NodeStatus", "capacity", "v1.ResourceList"},
    {"NodeStatus", "phase", "v1.NodePhase"},
    {"NodeStatus", "volumesInUse", "v1.UniqueVolumeName"},
    {"ObjectMeta", "uid", "types.UID"},
    {"ObjectReference", "uid", "types.UID"},
    {"OwnerReference", "uid", "types.UID"},
    {"PersistentVolumeClaimCondition", "status", "v1.ConditionStatus"},
    {"PersistentVolumeClaimCondition", "type", "v1.PersistentVolumeClaimConditionType"},
    {"PersistentVolumeClaimSpec", "accessModes", "v1.PersistentVolumeAccessMode"},
    {"PersistentVolumeClaimSpec", "volumeMode", "v1.PersistentVolumeMode"},
    {"PersistentVolumeClaimStatus", "accessModes", "v1.PersistentVolumeAccessMode"},
    {"PersistentVolumeClaimStatus", "allocatedResources", "v1.ResourceList"},
    {"PersistentVolumeClaimStatus", "capacity", "v1.ResourceList"},
    {"PersistentVolumeClaimStatus", "phase", "v1.PersistentVolumeClaimPhase"},
    {"PodCondition", "status", "v1.ConditionStatus"},
    {"PodCondition", "type", "v1.PodConditionType"},
    {"PodDisruptionBudgetSpec", "unhealthyPodEvictionPolicy", "v1.UnhealthyPodEvictionPolicyType"},
    {"PodFailurePolicyOnExitCodesRequirement", "operator",
     "v1.PodFailurePolicyOnExitCodesOperator"},
    {"PodFailurePolicyOnPodConditionsPattern", "status", "v1.ConditionStatus"},
    {"PodFailurePolicyOnPodConditionsPattern", "type", "v1.PodConditionType"},
    {"PodFailurePolicyRule", "action", "v1.PodFailurePolicyAction"},
    {"PodOS", "name", "v1.OSName"},
    {"PodReadinessGate", "conditionType", "v1.PodConditionType"},
    {"PodSecurityContext", "fsGroupChangePolicy", "v1.PodFSGroupChangePolicy"},
    {"PodSecurityContext", "seLinuxChangePolicy", "v1.PodSELinuxChangePolicy"},
    {"PodSecurityContext", "supplementalGroupsPolicy", "v1.SupplementalGroupsPolicy"},
    {"PodSpec", "dnsPolicy", "v1.DNSPolicy"},
    {"PodSpec", "overhead", "v1.ResourceList"},
    {"PodSpec", "preemptionPolicy", "v1.PreemptionPolicy"},
    {"PodSpec", "restartPolicy", "v1.RestartPolicy"},
    {"PodStatus", "allocatedResources", "v1.ResourceList"},
    {"PodStatus", "phase", "v1.PodPhase"},
    {"PodStatus", "qosClass", "v1.PodQOSClass"},
    {"PodStatus", "resize", "v1.PodResizeStatus"},
    {"PortStatus", "protocol", "v1.Protocol"},
    {"Preconditions", "uid", "types.UID"},
    {"ReplicaSetCondition", "status", "v1.ConditionStatus"},
    {"ReplicaSetCondition", "type", "v1.ReplicaSetConditionType"},
    {"ResourceHealth", "health", "v1.ResourceHealthStatus"},
    {"ResourceHealth", "resourceID", "v1.ResourceID"},
    {"ResourceMetricSource", "name", "v1.ResourceName"},
    {"ResourceQuotaSpec", "hard", "v1.ResourceList"},
    {"ResourceQuotaSpec", "scopes", "v1.ResourceQuotaScope"},
    {"ResourceQuotaStatus", "hard", "v1.ResourceList"},
    {"ResourceQuotaStatus", "used", "v1.ResourceList"},
    {"ResourceRequirements", "limits", "v1.ResourceList"},
    {"ResourceRequirements", "requests", "v1.ResourceList"},
    {"ResourceStatus", "name", "v1.ResourceName"},
    {"ScopedResourceSelectorRequirement", "operator", "v1.ScopeSelectorOperator"},
    {"ScopedResourceSelectorRequirement", "scopeName", "v1.ResourceQuotaScope"},
    {"SeccompProfile", "type", "v1.SeccompProfileType"},
    {"Secret", "type", "v1.SecretType"},
    {"SecurityContext", "procMount", "v1.ProcMountType"},
    {"ServicePort", "protocol", "v1.Protocol"},
    {"ServiceSpec", "externalTrafficPolicy", "v1.ServiceExternalTrafficPolicy"},
    {"ServiceSpec", "internalTrafficPolicy", "v1.ServiceInternalTrafficPolicy"},
    {"ServiceSpec", "ipFamilies", "v1.IPFamily"},
    {"ServiceSpec", "ipFamilyPolicy", "v1.IPFamilyPolicy"},
    {"ServiceSpec", "sessionAffinity", "v1.ServiceAffinity"},
    {"ServiceSpec", "type", "v1.ServiceType"},
    {"StatefulSetCondition", "status", "v1.ConditionStatus"},
    {"StatefulSetCondition", "type", "v1.StatefulSetConditionType"},
    {"StatefulSetPersistentVolumeClaimRetentionPolicy", "whenDeleted",
     "v1.PersistentVolumeClaimRetentionPolicyType"},
    {"StatefulSetPersistentVolumeClaimRetentionPolicy", "whenScaled",
     "v1.PersistentVolumeClaimRetentionPolicyType"},
    {"StatefulSetSpec", "podManagementPolicy", "v1.PodManagementPolicyType"},
    {"StatefulSetUpdateStrategy", "type", "v1.StatefulSetUpdateStrategyType"},
    {"Taint", "effect", "v1.TaintEffect"},
    {"Toleration", "effect", "v1.TaintEffect"},
    {"Toleration", "operator", "v1.TolerationOperator"},
    {"TopologySpreadConstraint", "nodeAffinityPolicy", "v1.NodeInclusionPolicy"},
    {"TopologySpreadConstraint", "nodeTaintsPolicy", "v1.NodeInclusionPolicy"},
    {"TopologySpreadConstraint", "whenUnsatisfiable", "v1.UnsatisfiableConstraintAction"},
    {"UncountedTerminatedPods", "failed", "types.UID"},
    {"UncountedTerminatedPods", "succeeded", "types.UID"},
    {"VolumeMount", "mountPropagation", "v1.MountPropagationMode"},
    {"VolumeMount", "recursiveReadOnly", "v1.RecursiveReadOnlyMode"},
    {"VolumeMountStatus", "recursiveReadOnly", "v1.RecursiveReadOnlyMode"},
    {"VolumeResourceRequirements", "limits", "v1.ResourceList"},
    {"VolumeResourceRequirements", "requests", "v1.ResourceList"},
};

constexpr bool IsBefore(const NamedField& a, const NamedField& b) {
  return a.object != b.object ? a.object < b.object : a.field < b.field;
}
static_assert(std::is_sorted(std::begin(kNamed), std::end(kNamed), IsBefore));

}  // namespace

std::string_view GoTypeName(std::string_view object, std::string_view field) {
  const NamedField wanted{object, field, {}};
  const auto* const place =
      std::lower_bound(std::begin(kNamed), std::end(kNamed), wanted, IsBefore);
  const bool found = place != std::end(kNamed) && !IsBefore(wanted, *place);
  return found ? place->type : std::string_view();
}

std::string GoEmbeddedStruct(std::string_view object, std::string_view field) {
  if (object == "Volume" && field != "name") return ".VolumeSource";
  const bool is_action =
      field == "exec" || field == "grpc" || field == "httpGet" || field == "tcpSocket";
  return object == "Probe" && is_action ? ".ProbeHandler" : "";
}

}  // namespace capstan::testing::server
