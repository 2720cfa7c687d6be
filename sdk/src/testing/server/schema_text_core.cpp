// Fields of the kinds of core/v1 but pods; the form is in schema_text.h.

#include "testing/server/schema_text.h"

namespace capstan::testing::server {

const std::string_view kCoreTypes = R"(
type AttachedVolume
  devicePath  string  required always
  name        string  required always

type ClientIPConfig
  timeoutSeconds  int32

type ConfigMapNodeConfigSource
  kubeletConfigKey  string  required always
  name              string  required always
  namespace         string  required always
  resourceVersion   string  omit
  uid               string  omit

type ContainerImage
  names      []string  null
  sizeBytes  int64     omit

type DaemonEndpoint
  Port  int32  required always

type EventSeries
  count             int32      omit
  lastObservedTime  microtime  null

type EventSource
  component  string  omit
  host       string  omit

type LoadBalancerIngress
  hostname  string        omit
  ip        string        omit
  ipMode    string
  ports     []PortStatus  omit

type LoadBalancerStatus
  ingress  []LoadBalancerIngress  omit

type NamespaceCondition
  lastTransitionTime  time    null
  message             string  omit
  reason              string  omit
  status              string  required always
  type                string  required always

type NamespaceSpec
  finalizers  []string  omit

type NamespaceStatus
  conditions  []NamespaceCondition  omit merge=type list=map(type)
  phase       string                omit default="Active"

type NodeAddress
  address  string  required always
  type     string  required always

type NodeCondition
  lastHeartbeatTime   time    null
  lastTransitionTime  time    null
  message             string  omit
  reason              string  omit
  status              string  required always
  type                string  required always

type NodeConfigSource
  configMap  ConfigMapNodeConfigSource

type NodeConfigStatus
  active         NodeConfigSource
  assigned       NodeConfigSource
  error          string            omit
  lastKnownGood  NodeConfigSource

type NodeDaemonEndpoints
  kubeletEndpoint  DaemonEndpoint  always

type NodeFeatures
  supplementalGroupsPolicy  bool

type NodeRuntimeHandler
  features  NodeRuntimeHandlerFeatures
  name      string                      always

type NodeRuntimeHandlerFeatures
  recursiveReadOnlyMounts  bool
  userNamespaces           bool

type NodeSpec
  configSource   NodeConfigSource
  externalID     string            omit
  podCIDR        string            omit
  podCIDRs       []string          omit merge list=set
  providerID     string            omit
  taints         []Taint           omit
  unschedulable  bool              omit

type NodeStatus
  addresses         []NodeAddress         omit merge=type list=map(type)
  allocatable       map[string]quantity   omit
  capacity          map[string]quantity   omit
  conditions        []NodeCondition       omit merge=type list=map(type)
  config            NodeConfigStatus
  daemonEndpoints   NodeDaemonEndpoints   always
  declaredFeatures  []string              omit
  features          NodeFeatures
  images            []ContainerImage      omit
  nodeInfo          NodeSystemInfo        always
  phase             string                omit
  runtimeHandlers   []NodeRuntimeHandler  omit
  volumesAttached   []AttachedVolume      omit
  volumesInUse      []string              omit

type NodeSwapStatus
  capacity  int64

type NodeSystemInfo
  architecture             string          required always
  bootID                   string          required always
  containerRuntimeVersion  string          required always
  kernelVersion            string          required always
  kubeProxyVersion         string          required always
  kubeletVersion           string          required always
  machineID                string          required always
  operatingSystem          string          required always
  osImage                  string          required always
  swap                     NodeSwapStatus
  systemUUID               string          required always

type ObjectReference atomic
  apiVersion       string  omit
  fieldPath        string  omit
  kind             string  omit
  name             string  omit
  namespace        string  omit
  resourceVersion  string  omit
  uid              string  omit

type PortStatus
  error     string
  port      int32   required always
  protocol  string  required always

type ServicePort
  appProtocol  string
  name         string       omit
  nodePort     int32        omit
  port         int32        required always
  protocol     string       omit default="TCP"
  targetPort   intOrString  always

type ServiceSpec
  allocateLoadBalancerNodePorts  bool
  clusterIP                      string                 omit
  clusterIPs                     []string               omit
  externalIPs                    []string               omit
  externalName                   string                 omit
  externalTrafficPolicy          string                 omit
  healthCheckNodePort            int32                  omit
  internalTrafficPolicy          string
  ipFamilies                     []string               omit
  ipFamilyPolicy                 string
  loadBalancerClass              string
  loadBalancerIP                 string                 omit
  loadBalancerSourceRanges       []string               omit
  ports                          []ServicePort          omit merge=port list=map(port,protocol)
  publishNotReadyAddresses       bool                   omit
  selector                       map[string]string      omit atomic
  sessionAffinity                string                 omit default="None"
  sessionAffinityConfig          SessionAffinityConfig
  trafficDistribution            string
  type                           string                 omit default="ClusterIP"

type ServiceStatus
  conditions    []Condition         omit merge=type list=map(type)
  loadBalancer  LoadBalancerStatus  always

type SessionAffinityConfig
  clientIP  ClientIPConfig

type Taint
  effect     string  required always
  key        string  required always
  timeAdded  time
  value      string  omit

type v1.Binding
  apiVersion  string           omit
  kind        string           omit
  metadata    ObjectMeta       always
  target      ObjectReference  required always

type v1.ConfigMap
  apiVersion  string             omit
  binaryData  map[string]bytes   omit
  data        map[string]string  omit
  immutable   bool
  kind        string             omit
  metadata    ObjectMeta         always

type v1.Event
  action              string           omit
  apiVersion          string           omit
  count               int32            omit
  eventTime           microtime        null
  firstTimestamp      time             null
  involvedObject      ObjectReference  required always
  kind                string           omit
  lastTimestamp       time             null
  message             string           omit
  metadata            ObjectMeta       required always
  reason              string           omit
  related             ObjectReference
  reportingComponent  string           always
  reportingInstance   string           always
  series              EventSeries
  source              EventSource      always
  type                string           omit

type v1.Namespace
  apiVersion  string           omit
  kind        string           omit
  metadata    ObjectMeta       always
  spec        NamespaceSpec    always
  status      NamespaceStatus  always

type v1.Node
  apiVersion  string      omit
  kind        string      omit
  metadata    ObjectMeta  always
  spec        NodeSpec    always
  status      NodeStatus  always

type v1.Secret
  apiVersion  string             omit
  data        map[string]bytes   omit
  immutable   bool
  kind        string             omit
  metadata    ObjectMeta         always
  stringData  map[string]string  omit
  type        string             omit default="Opaque"

type v1.Service
  apiVersion  string         omit
  kind        string         omit
  metadata    ObjectMeta     always
  spec        ServiceSpec    always
  status      ServiceStatus  always

type v1.ServiceAccount
  apiVersion                    string                  omit
  automountServiceAccountToken  bool
  imagePullSecrets              []LocalObjectReference  omit
  kind                          string                  omit
  metadata                      ObjectMeta              always
  secrets                       []ObjectReference       omit merge=name list=map(name)
)";

}  // namespace capstan::testing::server
