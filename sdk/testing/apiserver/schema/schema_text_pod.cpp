// Fields of pods, but for their containers and volumes; the form is in schema_text.h.

#include "apiserver/schema/schema_text.h"

namespace capstan::testing::server {

const std::string_view kPodTypes = R"(
type Affinity # Which nodes and pods a pod is to be close to, or away from.
  nodeAffinity     NodeAffinity # By the labels of nodes.
  podAffinity      PodAffinity # Close to certain pods.
  podAntiAffinity  PodAntiAffinity # Away from certain pods.

type ContainerExtendedResourceRequest
  containerName  string  required always
  requestName    string  required always
  resourceName   string  required always

type HostAlias # A line of the containers' hosts file.
  hostnames  []string  omit # Names for the address.
  ip         string    required always # The address.

type HostIP # An address of a pod's node.
  ip  string  required always # The address.

type LocalObjectReference atomic # Names an object in the same namespace.
  name  string  omit # The name of the object.

type NodeAffinity # Which nodes a pod is to run on.
  preferredDuringSchedulingIgnoredDuringExecution  []PreferredSchedulingTerm  omit # Nodes that are liked better, with weights.
  requiredDuringSchedulingIgnoredDuringExecution   NodeSelector # What a node must be like when the pod is scheduled.

type NodeAllocatableResourceClaimStatus
  containers         []string             omit list=set
  resourceClaimName  string               required always
  resources          map[string]quantity  required null

type NodeSelector atomic
  nodeSelectorTerms  []NodeSelectorTerm  required null

type NodeSelectorRequirement
  key       string    required always
  operator  string    required always
  values    []string  omit

type NodeSelectorTerm atomic
  matchExpressions  []NodeSelectorRequirement  omit
  matchFields       []NodeSelectorRequirement  omit

type PodAffinity
  preferredDuringSchedulingIgnoredDuringExecution  []WeightedPodAffinityTerm  omit
  requiredDuringSchedulingIgnoredDuringExecution   []PodAffinityTerm          omit

type PodAffinityTerm
  labelSelector      LabelSelector
  matchLabelKeys     []string       omit
  mismatchLabelKeys  []string       omit
  namespaceSelector  LabelSelector
  namespaces         []string       omit
  topologyKey        string         required always

type PodAntiAffinity
  preferredDuringSchedulingIgnoredDuringExecution  []WeightedPodAffinityTerm  omit
  requiredDuringSchedulingIgnoredDuringExecution   []PodAffinityTerm          omit

type PodCondition # Something that a pod reports about itself: PodScheduled, Initialized, ContainersReady, Ready and others.
  lastProbeTime       time    null # When the condition was last checked.
  lastTransitionTime  time    null # When the status last changed.
  message             string  omit # Why it is so, for people to read.
  observedGeneration  int64   omit # The generation of the object that the condition was made from.
  reason              string  omit # A short CamelCase word for why it is so.
  status              string  required always # True, False or Unknown.
  type                string  required always # What the condition is about.

type PodDNSConfig
  nameservers  []string              omit
  options      []PodDNSConfigOption  omit
  searches     []string              omit

type PodDNSConfigOption
  name   string  omit
  value  string

type PodExtendedResourceClaimStatus
  requestMappings    []ContainerExtendedResourceRequest  required null
  resourceClaimName  string                              required always

type PodIP # An address of a pod.
  ip  string  required always # The address.

type PodOS
  name  string  required always

type PodReadinessGate # A condition that must hold for a pod to be ready.
  conditionType  string  required always # The type of the condition.

type PodResourceClaim
  name                       string  required always
  resourceClaimName          string
  resourceClaimTemplateName  string

type PodResourceClaimStatus
  name               string  required always
  resourceClaimName  string

type PodSchedulingGate # Holds a pod back from being scheduled.
  name  string  required always # The name of the gate.

type PodSchedulingGroup
  podGroupName  string

type PodSecurityContext # Security settings for all containers of a pod.
  appArmorProfile           AppArmorProfile # The AppArmor profile.
  fsGroup                   int64 # The group that owns mounted volumes.
  fsGroupChangePolicy       string # Always, or OnRootMismatch to leave volumes that are right already.
  runAsGroup                int64 # The group id of the processes.
  runAsNonRoot              bool # Whether containers that would run as root are refused.
  runAsUser                 int64 # The user id of the processes.
  seLinuxChangePolicy       string # How volumes get their SELinux label: Recursive or MountOption.
  seLinuxOptions            SELinuxOptions # The SELinux labels.
  seccompProfile            SeccompProfile # Which system calls are let through.
  supplementalGroups        []int64                        omit # Further groups of the processes.
  supplementalGroupsPolicy  string # Merge with the groups in the image, or Strict.
  sysctls                   []Sysctl                       omit # Kernel settings for the pod.
  windowsOptions            WindowsSecurityContextOptions # Settings for Windows.

type PodSpec # What is to run in a pod, and how.
  activeDeadlineSeconds          int64 # How long the pod may be active before it is stopped and counts as failed.
  affinity                       Affinity # Which nodes and which other pods it is to be close to, or away from.
  automountServiceAccountToken   bool # Whether the containers get a token of the pod's service account.
  containers                     []Container                 required null merge=name list=map(name) # The containers of the pod; at least one.
  dnsConfig                      PodDNSConfig # DNS settings beside those of dnsPolicy.
  dnsPolicy                      string                      omit default="ClusterFirst" # ClusterFirst (the default), ClusterFirstWithHostNet, Default or None.
  enableServiceLinks             bool # Whether containers get environment variables about services. True by default.
  ephemeralContainers            []EphemeralContainer        omit merge=name list=map(name) # Containers that were added to the running pod for debugging.
  hostAliases                    []HostAlias                 omit merge=ip list=map(ip) # Lines for the containers' hosts file.
  hostIPC                        bool                        omit # Whether to use the node's IPC namespace.
  hostNetwork                    bool                        omit # Whether to use the node's network.
  hostPID                        bool                        omit # Whether to use the node's process ids.
  hostUsers                      bool # Whether to use the node's user namespace. True by default.
  hostname                       string                      omit # The host name inside of the pod; its name when not set.
  hostnameOverride               string # A host name to use instead of all others.
  imagePullSecrets               []LocalObjectReference      omit merge=name list=map(name) # Secrets for pulling the images.
  initContainers                 []Container                 omit merge=name list=map(name) # Containers that run one after the other before the others start.
  nodeName                       string                      omit # The node that the pod runs on; set by the scheduler.
  nodeSelector                   map[string]string           omit atomic # Labels that a node must have for the pod to run on it.
  os                             PodOS # The operating system that the containers need.
  overhead                       map[string]quantity         omit # What running the pod costs beside its containers.
  preemptionPolicy               string # PreemptLowerPriority (the default) or Never: whether less important pods may have to make room.
  priority                       int32 # How important the pod is; set from priorityClassName.
  priorityClassName              string                      omit # The name of its priority class.
  readinessGates                 []PodReadinessGate          omit # Conditions that must hold, too, for the pod to be ready.
  resourceClaims                 []PodResourceClaim          omit retainKeys merge=name list=map(name) # Claims for devices that the pod needs.
  resources                      ResourceRequirements # Requests and limits for the pod as a whole.
  restartPolicy                  string                      omit default="Always" # Always (the default), OnFailure or Never: whether containers that end are started again.
  runtimeClassName               string # The runtime class that runs the pod.
  schedulerName                  string                      omit default="default-scheduler" # The scheduler that places the pod.
  schedulingGates                []PodSchedulingGate         omit merge=name list=map(name) # What must be taken away before the pod is scheduled.
  schedulingGroup                PodSchedulingGroup # The group that the pod is scheduled with.
  securityContext                PodSecurityContext          default={} # Security settings for all containers.
  serviceAccount                 string                      omit # The older name of serviceAccountName.
  serviceAccountName             string                      omit # The service account that the pod runs as.
  setHostnameAsFQDN              bool # Whether the host name is the pod's full domain name.
  shareProcessNamespace          bool # Whether the containers see the processes of each other.
  subdomain                      string                      omit # The subdomain of its full host name.
  terminationGracePeriodSeconds  int64                       default=30 # How long it gets to end by itself before it is killed. 30 by default.
  tolerations                    []Toleration                omit # Taints of nodes that do not keep the pod away.
  topologySpreadConstraints      []TopologySpreadConstraint  omit merge=topologyKey list=map(topologyKey,whenUnsatisfiable) # How pods are to be spread over nodes and zones.
  volumes                        []Volume                    omit retainKeys merge=name list=map(name) # Volumes that containers can mount.

type PodStatus # What has been seen of a pod last.
  allocatedResources                    map[string]quantity                   omit # What has been set aside for the pod.
  conditions                            []PodCondition                        omit merge=type list=map(type) # Whether the pod is scheduled, initialized and ready.
  containerStatuses                     []ContainerStatus                     omit # The state of each container.
  ephemeralContainerStatuses            []ContainerStatus                     omit # The state of each ephemeral container.
  extendedResourceClaimStatus           PodExtendedResourceClaimStatus # The claim that was made for its extended resources.
  hostIP                                string                                omit # The address of its node.
  hostIPs                               []HostIP                              omit merge=ip # The addresses of its node.
  initContainerStatuses                 []ContainerStatus                     omit # The state of each init container.
  message                               string                                omit # Why the pod is in this state, for people to read.
  nodeAllocatableResourceClaimStatuses  []NodeAllocatableResourceClaimStatus  omit # What its claims take of the resources that its node has to give.
  nominatedNodeName                     string                                omit # The node where room is being made for the pod.
  observedGeneration                    int64                                 omit # The newest generation that the status speaks of.
  phase                                 string                                omit # Pending, Running, Succeeded, Failed or Unknown.
  podIP                                 string                                omit # The pod's address.
  podIPs                                []PodIP                               omit merge=ip list=map(ip) # The pod's addresses, at most one an address family.
  qosClass                              string                                omit # Guaranteed, Burstable or BestEffort, by its requests and limits.
  reason                                string                                omit # Why the pod is in this state: a short CamelCase word.
  resize                                string                                omit # How far a change of its resources has got.
  resourceClaimStatuses                 []PodResourceClaimStatus              omit retainKeys merge=name list=map(name) # The claims that were made for the pod.
  resources                             ResourceRequirements # Requests and limits that are in force.
  startTime                             time # When its node took note of the pod.

type PodTemplateSpec # What pods are made from.
  metadata  ObjectMeta  always # What the pods get: labels, annotations and the like.
  spec      PodSpec     always # What is to run in the pods.

type PreferredSchedulingTerm
  preference  NodeSelectorTerm  required always
  weight      int32             required always

type Sysctl
  name   string  required always
  value  string  required always

type Toleration # Lets a pod onto nodes in spite of taints.
  effect             string  omit # The effect that is tolerated; all when empty.
  key                string  omit # The key that is tolerated; all when empty.
  operator           string  omit # Exists or Equal (the default).
  tolerationSeconds  int64 # How long a NoExecute taint is tolerated; for ever when not set.
  value              string  omit # The value that the taint must have for Equal.

type TopologySpreadConstraint # How pods are to be spread.
  labelSelector       LabelSelector # The pods that are counted.
  matchLabelKeys      []string       omit # Labels of the pod whose values select pods, too.
  maxSkew             int32          required always # How much the numbers of pods in two domains may differ.
  minDomains          int32 # How many domains there must be at least.
  nodeAffinityPolicy  string # Honor or Ignore the pod's node affinity when domains are counted.
  nodeTaintsPolicy    string # Honor or Ignore the taints of nodes when domains are counted.
  topologyKey         string         required always # The label of nodes whose values are the domains.
  whenUnsatisfiable   string         required always # DoNotSchedule or ScheduleAnyway.

type WeightedPodAffinityTerm
  podAffinityTerm  PodAffinityTerm  required always
  weight           int32            required always

type v1.Pod # One or more containers that run together on one node.
  apiVersion  string      omit # The group and version of the schema that this object follows.
  kind        string      omit # The kind of this object, in CamelCase.
  metadata    ObjectMeta  always # What all objects have: name, namespace, labels, owners and the like.
  spec        PodSpec     always # What is to run.
  status      PodStatus   always # What has been seen of it last.
)";

}  // namespace capstan::testing::server
