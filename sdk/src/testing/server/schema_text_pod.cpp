// Fields of pods, but for their volumes; the form is in schema_text.h.

#include "testing/server/schema_text.h"

namespace capstan::testing::server {

const std::string_view kPodTypes = R"(
type Affinity
  nodeAffinity     NodeAffinity
  podAffinity      PodAffinity
  podAntiAffinity  PodAntiAffinity

type AppArmorProfile
  localhostProfile  string
  type              string  required always

type Capabilities
  add   []string  omit
  drop  []string  omit

type ConfigMapEnvSource
  name      string  omit
  optional  bool

type ConfigMapKeySelector atomic
  key       string  required always
  name      string  omit
  optional  bool

type Container
  args                      []string                 omit
  command                   []string                 omit
  env                       []EnvVar                 omit merge=name list=map(name)
  envFrom                   []EnvFromSource          omit
  image                     string                   omit
  imagePullPolicy           string                   omit
  lifecycle                 Lifecycle
  livenessProbe             Probe
  name                      string                   required always
  ports                     []ContainerPort          omit merge=containerPort list=map(containerPort,protocol)
  readinessProbe            Probe
  resizePolicy              []ContainerResizePolicy  omit
  resources                 ResourceRequirements     always
  restartPolicy             string
  restartPolicyRules        []ContainerRestartRule   omit
  securityContext           SecurityContext
  startupProbe              Probe
  stdin                     bool                     omit
  stdinOnce                 bool                     omit
  terminationMessagePath    string                   omit default="/dev/termination-log"
  terminationMessagePolicy  string                   omit default="File"
  tty                       bool                     omit
  volumeDevices             []VolumeDevice           omit merge=devicePath list=map(devicePath)
  volumeMounts              []VolumeMount            omit merge=mountPath list=map(mountPath)
  workingDir                string                   omit

type ContainerExtendedResourceRequest
  containerName  string  required always
  requestName    string  required always
  resourceName   string  required always

type ContainerPort
  containerPort  int32   required always
  hostIP         string  omit
  hostPort       int32   omit
  name           string  omit
  protocol       string  omit default="TCP"

type ContainerResizePolicy
  resourceName   string  required always
  restartPolicy  string  required always

type ContainerRestartRule
  action     string                           required omit
  exitCodes  ContainerRestartRuleOnExitCodes

type ContainerRestartRuleOnExitCodes
  operator  string   required omit
  values    []int32  omit list=set

type ContainerState
  running     ContainerStateRunning
  terminated  ContainerStateTerminated
  waiting     ContainerStateWaiting

type ContainerStateRunning
  startedAt  time  null

type ContainerStateTerminated
  containerID  string  omit
  exitCode     int32   required always
  finishedAt   time    null
  message      string  omit
  reason       string  omit
  signal       int32   omit
  startedAt    time    null

type ContainerStateWaiting
  message  string  omit
  reason   string  omit

type ContainerStatus
  allocatedResources        map[string]quantity   omit
  allocatedResourcesStatus  []ResourceStatus      omit merge=name list=map(name)
  containerID               string                omit
  image                     string                required always
  imageID                   string                required always
  lastState                 ContainerState        always
  name                      string                required always
  ready                     bool                  required always
  resources                 ResourceRequirements
  restartCount              int32                 required always
  started                   bool
  state                     ContainerState        always
  stopSignal                string
  user                      ContainerUser
  volumeMounts              []VolumeMountStatus   omit merge=mountPath list=map(mountPath)

type ContainerUser
  linux  LinuxContainerUser

type EnvFromSource
  configMapRef  ConfigMapEnvSource
  prefix        string              omit
  secretRef     SecretEnvSource

type EnvVar
  name       string        required always
  value      string        omit
  valueFrom  EnvVarSource

type EnvVarSource
  configMapKeyRef   ConfigMapKeySelector
  fieldRef          ObjectFieldSelector
  fileKeyRef        FileKeySelector
  resourceFieldRef  ResourceFieldSelector
  secretKeyRef      SecretKeySelector

type EphemeralContainer
  args                      []string                 omit
  command                   []string                 omit
  env                       []EnvVar                 omit merge=name list=map(name)
  envFrom                   []EnvFromSource          omit
  image                     string                   omit
  imagePullPolicy           string                   omit
  lifecycle                 Lifecycle
  livenessProbe             Probe
  name                      string                   required always
  ports                     []ContainerPort          omit merge=containerPort list=map(containerPort,protocol)
  readinessProbe            Probe
  resizePolicy              []ContainerResizePolicy  omit
  resources                 ResourceRequirements     always
  restartPolicy             string
  restartPolicyRules        []ContainerRestartRule   omit
  securityContext           SecurityContext
  startupProbe              Probe
  stdin                     bool                     omit
  stdinOnce                 bool                     omit
  targetContainerName       string                   omit
  terminationMessagePath    string                   omit default="/dev/termination-log"
  terminationMessagePolicy  string                   omit default="File"
  tty                       bool                     omit
  volumeDevices             []VolumeDevice           omit merge=devicePath list=map(devicePath)
  volumeMounts              []VolumeMount            omit merge=mountPath list=map(mountPath)
  workingDir                string                   omit

type ExecAction
  command  []string  omit

type FileKeySelector atomic
  key         string  required always
  optional    bool
  path        string  required always
  volumeName  string  required always

type GRPCAction
  port     int32   required always
  service  string  null default=""

type HTTPGetAction
  host         string        omit
  httpHeaders  []HTTPHeader  omit
  path         string        omit default="/"
  port         intOrString   required always
  scheme       string        omit default="HTTP"

type HTTPHeader
  name   string  required always
  value  string  required always

type HostAlias
  hostnames  []string  omit
  ip         string    required always

type HostIP
  ip  string  required always

type ImageVolumeStatus
  imageRef  string  required omit

type Lifecycle
  postStart   LifecycleHandler
  preStop     LifecycleHandler
  stopSignal  string

type LifecycleHandler
  exec       ExecAction
  httpGet    HTTPGetAction
  sleep      SleepAction
  tcpSocket  TCPSocketAction

type LinuxContainerUser
  gid                 int64    required always
  supplementalGroups  []int64  omit
  uid                 int64    required always

type LocalObjectReference atomic
  name  string  omit

type NodeAffinity
  preferredDuringSchedulingIgnoredDuringExecution  []PreferredSchedulingTerm  omit
  requiredDuringSchedulingIgnoredDuringExecution   NodeSelector

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

type ObjectFieldSelector atomic
  apiVersion  string  omit default="v1"
  fieldPath   string  required always

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

type PodCondition
  lastProbeTime       time    null
  lastTransitionTime  time    null
  message             string  omit
  observedGeneration  int64   omit
  reason              string  omit
  status              string  required always
  type                string  required always

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

type PodIP
  ip  string  required always

type PodOS
  name  string  required always

type PodReadinessGate
  conditionType  string  required always

type PodResourceClaim
  name                       string  required always
  resourceClaimName          string
  resourceClaimTemplateName  string

type PodResourceClaimStatus
  name               string  required always
  resourceClaimName  string

type PodSchedulingGate
  name  string  required always

type PodSchedulingGroup
  podGroupName  string

type PodSecurityContext
  appArmorProfile           AppArmorProfile
  fsGroup                   int64
  fsGroupChangePolicy       string
  runAsGroup                int64
  runAsNonRoot              bool
  runAsUser                 int64
  seLinuxChangePolicy       string
  seLinuxOptions            SELinuxOptions
  seccompProfile            SeccompProfile
  supplementalGroups        []int64                        omit
  supplementalGroupsPolicy  string
  sysctls                   []Sysctl                       omit
  windowsOptions            WindowsSecurityContextOptions

type PodSpec
  activeDeadlineSeconds          int64
  affinity                       Affinity
  automountServiceAccountToken   bool
  containers                     []Container                 required null merge=name list=map(name)
  dnsConfig                      PodDNSConfig
  dnsPolicy                      string                      omit default="ClusterFirst"
  enableServiceLinks             bool
  ephemeralContainers            []EphemeralContainer        omit merge=name list=map(name)
  hostAliases                    []HostAlias                 omit merge=ip list=map(ip)
  hostIPC                        bool                        omit
  hostNetwork                    bool                        omit
  hostPID                        bool                        omit
  hostUsers                      bool
  hostname                       string                      omit
  hostnameOverride               string
  imagePullSecrets               []LocalObjectReference      omit merge=name list=map(name)
  initContainers                 []Container                 omit merge=name list=map(name)
  nodeName                       string                      omit
  nodeSelector                   map[string]string           omit atomic
  os                             PodOS
  overhead                       map[string]quantity         omit
  preemptionPolicy               string
  priority                       int32
  priorityClassName              string                      omit
  readinessGates                 []PodReadinessGate          omit
  resourceClaims                 []PodResourceClaim          omit retainKeys merge=name list=map(name)
  resources                      ResourceRequirements
  restartPolicy                  string                      omit default="Always"
  runtimeClassName               string
  schedulerName                  string                      omit default="default-scheduler"
  schedulingGates                []PodSchedulingGate         omit merge=name list=map(name)
  schedulingGroup                PodSchedulingGroup
  securityContext                PodSecurityContext          default={}
  serviceAccount                 string                      omit
  serviceAccountName             string                      omit
  setHostnameAsFQDN              bool
  shareProcessNamespace          bool
  subdomain                      string                      omit
  terminationGracePeriodSeconds  int64                       default=30
  tolerations                    []Toleration                omit
  topologySpreadConstraints      []TopologySpreadConstraint  omit merge=topologyKey list=map(topologyKey,whenUnsatisfiable)
  volumes                        []Volume                    omit retainKeys merge=name list=map(name)

type PodStatus
  allocatedResources                    map[string]quantity                   omit
  conditions                            []PodCondition                        omit merge=type list=map(type)
  containerStatuses                     []ContainerStatus                     omit
  ephemeralContainerStatuses            []ContainerStatus                     omit
  extendedResourceClaimStatus           PodExtendedResourceClaimStatus
  hostIP                                string                                omit
  hostIPs                               []HostIP                              omit merge=ip
  initContainerStatuses                 []ContainerStatus                     omit
  message                               string                                omit
  nodeAllocatableResourceClaimStatuses  []NodeAllocatableResourceClaimStatus  omit
  nominatedNodeName                     string                                omit
  observedGeneration                    int64                                 omit
  phase                                 string                                omit
  podIP                                 string                                omit
  podIPs                                []PodIP                               omit merge=ip list=map(ip)
  qosClass                              string                                omit
  reason                                string                                omit
  resize                                string                                omit
  resourceClaimStatuses                 []PodResourceClaimStatus              omit retainKeys merge=name list=map(name)
  resources                             ResourceRequirements
  startTime                             time

type PodTemplateSpec
  metadata  ObjectMeta  always
  spec      PodSpec     always

type PreferredSchedulingTerm
  preference  NodeSelectorTerm  required always
  weight      int32             required always

type Probe
  exec                           ExecAction
  failureThreshold               int32            omit default=3
  grpc                           GRPCAction
  httpGet                        HTTPGetAction
  initialDelaySeconds            int32            omit
  periodSeconds                  int32            omit default=10
  successThreshold               int32            omit default=1
  tcpSocket                      TCPSocketAction
  terminationGracePeriodSeconds  int64
  timeoutSeconds                 int32            omit default=1

type ResourceClaim
  name     string  required always
  request  string  omit

type ResourceFieldSelector atomic
  containerName  string    omit
  divisor        quantity  always
  resource       string    required always

type ResourceHealth
  health      string  omit
  message     string
  resourceID  string  required always

type ResourceRequirements
  claims    []ResourceClaim      omit list=map(name)
  limits    map[string]quantity  omit
  requests  map[string]quantity  omit

type ResourceStatus
  name       string            required always
  resources  []ResourceHealth  omit list=map(resourceID)

type SELinuxOptions
  level  string  omit
  role   string  omit
  type   string  omit
  user   string  omit

type SeccompProfile
  localhostProfile  string
  type              string  required always

type SecretEnvSource
  name      string  omit
  optional  bool

type SecretKeySelector atomic
  key       string  required always
  name      string  omit
  optional  bool

type SecurityContext
  allowPrivilegeEscalation  bool
  appArmorProfile           AppArmorProfile
  capabilities              Capabilities
  privileged                bool
  procMount                 string
  readOnlyRootFilesystem    bool
  runAsGroup                int64
  runAsNonRoot              bool
  runAsUser                 int64
  seLinuxOptions            SELinuxOptions
  seccompProfile            SeccompProfile
  windowsOptions            WindowsSecurityContextOptions

type SleepAction
  seconds  int64  required always

type Sysctl
  name   string  required always
  value  string  required always

type TCPSocketAction
  host  string       omit
  port  intOrString  required always

type Toleration
  effect             string  omit
  key                string  omit
  operator           string  omit
  tolerationSeconds  int64
  value              string  omit

type TopologySpreadConstraint
  labelSelector       LabelSelector
  matchLabelKeys      []string       omit
  maxSkew             int32          required always
  minDomains          int32
  nodeAffinityPolicy  string
  nodeTaintsPolicy    string
  topologyKey         string         required always
  whenUnsatisfiable   string         required always

type VolumeDevice
  devicePath  string  required always
  name        string  required always

type VolumeMount
  mountPath          string  required always
  mountPropagation   string
  name               string  required always
  readOnly           bool    omit
  recursiveReadOnly  string
  subPath            string  omit
  subPathExpr        string  omit

type VolumeMountStatus
  mountPath          string        required always
  name               string        required always
  readOnly           bool          omit
  recursiveReadOnly  string
  volumeStatus       VolumeStatus

type VolumeStatus
  image  ImageVolumeStatus

type WeightedPodAffinityTerm
  podAffinityTerm  PodAffinityTerm  required always
  weight           int32            required always

type WindowsSecurityContextOptions
  gmsaCredentialSpec      string
  gmsaCredentialSpecName  string
  hostProcess             bool
  runAsUserName           string

type v1.Pod
  apiVersion  string      omit
  kind        string      omit
  metadata    ObjectMeta  always
  spec        PodSpec     always
  status      PodStatus   always
)";

}  // namespace capstan::testing::server
