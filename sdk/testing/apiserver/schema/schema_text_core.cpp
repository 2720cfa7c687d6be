// Fields of the kinds of core/v1 but pods; the form is in schema_text.h.

#include "apiserver/schema/schema_text.h"

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

type EventSeries # How often the same event happened.
  count             int32      omit # How often so far.
  lastObservedTime  microtime  null # When it was last seen.

type EventSource # Who reports an event.
  component  string  omit # The component that reports it.
  host       string  omit # The node that it runs on.

type LoadBalancerIngress
  hostname  string        omit
  ip        string        omit
  ipMode    string
  ports     []PortStatus  omit

type LoadBalancerStatus
  ingress  []LoadBalancerIngress  omit

type NamespaceCondition # Something that a namespace reports about its deletion.
  lastTransitionTime  time    null # When the status last changed.
  message             string  omit # Why it is so, for people to read.
  reason              string  omit # A short CamelCase word for why it is so.
  status              string  required always # True, False or Unknown.
  type                string  required always # What the condition is about.

type NamespaceSpec # How a namespace behaves.
  finalizers  []string  omit # Who still has work to do before the namespace may go.

type NamespaceStatus # Where a namespace is in its life.
  conditions  []NamespaceCondition  omit merge=type list=map(type) # What holds up its deletion.
  phase       string                omit default="Active" # Active, or Terminating while it is being deleted.

type NodeAddress # How a node can be reached.
  address  string  required always # The address.
  type     string  required always # Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.

type NodeCondition # Something that a node reports about itself: Ready, MemoryPressure, DiskPressure, PIDPressure or NetworkUnavailable.
  lastHeartbeatTime   time    null # When the status was last reported.
  lastTransitionTime  time    null # When the status last changed.
  message             string  omit # Why it is so, for people to read.
  reason              string  omit # A short CamelCase word for why it is so.
  status              string  required always # True, False or Unknown.
  type                string  required always # What the condition is about.

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

type NodeSpec # How a node is to be used.
  configSource   NodeConfigSource # Not used any more.
  externalID     string            omit # Not used any more.
  podCIDR        string            omit # The range of addresses for pods on the node.
  podCIDRs       []string          omit merge list=set # The ranges of addresses for pods on the node, at most one an address family; the first one is podCIDR.
  providerID     string            omit # The identity that the cloud provider gives to the machine.
  taints         []Taint           omit # What keeps pods away that do not tolerate it.
  unschedulable  bool              omit # While true, no new pods are placed on the node.

type NodeStatus # What a node reports about itself.
  addresses         []NodeAddress         omit merge=type list=map(type) # How the node can be reached.
  allocatable       map[string]quantity   omit # What pods may use of the capacity.
  capacity          map[string]quantity   omit # What the machine has in all.
  conditions        []NodeCondition       omit merge=type list=map(type) # Whether the node is ready, and what it lacks.
  config            NodeConfigStatus # Not used any more.
  daemonEndpoints   NodeDaemonEndpoints   always # The ports of the daemons on the node.
  declaredFeatures  []string              omit # Features that the node says it has.
  features          NodeFeatures # What the container runtime can do.
  images            []ContainerImage      omit # The container images on the node.
  nodeInfo          NodeSystemInfo        always # Versions and identities of the machine and its software.
  phase             string                omit # Not used any more.
  runtimeHandlers   []NodeRuntimeHandler  omit # The handlers of the container runtime.
  volumesAttached   []AttachedVolume      omit # Volumes that are attached to the node.
  volumesInUse      []string              omit # Volumes that pods on the node use.

type NodeSwapStatus
  capacity  int64

type NodeSystemInfo # Versions and identities of a machine and its software.
  architecture             string          required always # The architecture of the processor.
  bootID                   string          required always # Changes with every boot.
  containerRuntimeVersion  string          required always # The container runtime and its version.
  kernelVersion            string          required always # The version of the kernel.
  kubeProxyVersion         string          required always # Not used any more.
  kubeletVersion           string          required always # The version of the kubelet.
  machineID                string          required always # Identifies the machine in the cluster.
  operatingSystem          string          required always # The operating system.
  osImage                  string          required always # The distribution of the operating system.
  swap                     NodeSwapStatus # The swap space of the machine.
  systemUUID               string          required always # Identifies the machine, as its firmware has it.

type ObjectReference atomic # Points to another object, or to a part of it.
  apiVersion       string  omit # The API version of the object.
  fieldPath        string  omit # The part of the object that is meant.
  kind             string  omit # The kind of the object.
  name             string  omit # The name of the object.
  namespace        string  omit # The namespace of the object.
  resourceVersion  string  omit # The state of the object that is meant.
  uid              string  omit # The uid of the object.

type PortStatus
  error     string
  port      int32   required always
  protocol  string  required always

type ServicePort # A port that a Service serves.
  appProtocol  string # The protocol of the application, as a hint.
  name         string       omit # A name for the port; needed when there are several.
  nodePort     int32        omit # The port on every node, for types NodePort and LoadBalancer.
  port         int32        required always # The port of the Service.
  protocol     string       omit default="TCP" # TCP (the default), UDP or SCTP.
  targetPort   intOrString  always # The port of the pods, by number or by name; the same as port when not set.

type ServiceSpec # Which pods a Service reaches, and how.
  allocateLoadBalancerNodePorts  bool # Whether a Service of type LoadBalancer gets node ports too. True by default.
  clusterIP                      string                 omit # The virtual address in the cluster, given by the server when not set; None for a headless Service.
  clusterIPs                     []string               omit # The virtual addresses, at most one an address family; the first one is clusterIP.
  externalIPs                    []string               omit # Further addresses, routed to nodes by somebody else, at which traffic is accepted.
  externalName                   string                 omit # The DNS name that a Service of type ExternalName stands for.
  externalTrafficPolicy          string                 omit # Cluster spreads traffic from outside over all pods, Local keeps it on the node where it arrived.
  healthCheckNodePort            int32                  omit # The node port for health checks when externalTrafficPolicy is Local.
  internalTrafficPolicy          string # Cluster spreads traffic from inside over all pods, Local keeps it on the node where it began.
  ipFamilies                     []string               omit # The address families: IPv4, IPv6 or both.
  ipFamilyPolicy                 string # SingleStack, PreferDualStack or RequireDualStack.
  loadBalancerClass              string # Which implementation of a load balancer is to serve it.
  loadBalancerIP                 string                 omit # The address that the load balancer is asked for. Not supported by all.
  loadBalancerSourceRanges       []string               omit # The client addresses that the load balancer lets in.
  ports                          []ServicePort          omit merge=port list=map(port,protocol) # The ports that are served.
  publishNotReadyAddresses       bool                   omit # Whether pods are reached before they are ready.
  selector                       map[string]string      omit atomic # The labels of the pods that are reached; without one, somebody else manages the endpoints.
  sessionAffinity                string                 omit default="None" # ClientIP sends a client to the same pod each time. None by default.
  sessionAffinityConfig          SessionAffinityConfig # How long a client stays with a pod.
  trafficDistribution            string # A preference for which pods get the traffic, such as those close by.
  type                           string                 omit default="ClusterIP" # ClusterIP (the default), NodePort, LoadBalancer or ExternalName.

type ServiceStatus # What has been set up for a Service.
  conditions    []Condition         omit merge=type list=map(type) # What the Service reports about itself.
  loadBalancer  LoadBalancerStatus  always # What the load balancer has been given.

type SessionAffinityConfig
  clientIP  ClientIPConfig

type Taint # Keeps pods that do not tolerate it away from a node.
  effect     string  required always # NoSchedule, PreferNoSchedule or NoExecute.
  key        string  required always # What a toleration names.
  timeAdded  time # When it was added.
  value      string  omit # What a toleration may compare with.

type v1.Binding
  apiVersion  string           omit # The group and version of the schema that this object follows.
  kind        string           omit # The kind of this object, in CamelCase.
  metadata    ObjectMeta       always # What all objects have: name, namespace, labels, owners and the like.
  target      ObjectReference  required always

type v1.ConfigMap # Keeps configuration for pods to read, by key.
  apiVersion  string             omit # The group and version of the schema that this object follows.
  binaryData  map[string]bytes   omit # Values that are no UTF-8 text, in base64. No key may be in data too.
  data        map[string]string  omit # Values that are UTF-8 text.
  immutable   bool # Once true, the values cannot be changed any more.
  kind        string             omit # The kind of this object, in CamelCase.
  metadata    ObjectMeta         always # What all objects have: name, namespace, labels, owners and the like.

type v1.Event # Something that happened to an object. Kept for a limited time.
  action              string           omit # What was done or did not succeed.
  apiVersion          string           omit # The group and version of the schema that this object follows.
  count               int32            omit # How often it happened.
  eventTime           microtime        null # When it was first seen.
  firstTimestamp      time             null # When it first happened.
  involvedObject      ObjectReference  required always # The object that it happened to.
  kind                string           omit # The kind of this object, in CamelCase.
  lastTimestamp       time             null # When it last happened.
  message             string           omit # What happened, for people to read.
  metadata            ObjectMeta       required always # What all objects have: name, namespace, labels, owners and the like.
  reason              string           omit # Why it was done: a short CamelCase word.
  related             ObjectReference # Another object that it has to do with.
  reportingComponent  string           always # The controller that reports it.
  reportingInstance   string           always # The instance of the controller that reports it.
  series              EventSeries # How often the same happened, when more than once.
  source              EventSource      always # The component and host that report it.
  type                string           omit # Normal or Warning.

type v1.Namespace # A scope for names: most objects are in one.
  apiVersion  string           omit # The group and version of the schema that this object follows.
  kind        string           omit # The kind of this object, in CamelCase.
  metadata    ObjectMeta       always # What all objects have: name, namespace, labels, owners and the like.
  spec        NamespaceSpec    always # How the namespace behaves.
  status      NamespaceStatus  always # Where the namespace is in its life.

type v1.Node # A machine that pods run on.
  apiVersion  string      omit # The group and version of the schema that this object follows.
  kind        string      omit # The kind of this object, in CamelCase.
  metadata    ObjectMeta  always # What all objects have: name, namespace, labels, owners and the like.
  spec        NodeSpec    always # How the node is to be used.
  status      NodeStatus  always # What the node reports about itself.

type v1.Secret # Keeps sensitive values for pods to read, by key.
  apiVersion  string             omit # The group and version of the schema that this object follows.
  data        map[string]bytes   omit # The values, in base64.
  immutable   bool # Once true, the values cannot be changed any more.
  kind        string             omit # The kind of this object, in CamelCase.
  metadata    ObjectMeta         always # What all objects have: name, namespace, labels, owners and the like.
  stringData  map[string]string  omit # Values in plain text, for writing only: they are put into data.
  type        string             omit default="Opaque" # What the secret is for, so that software can tell; Opaque by default.

type v1.Service # A stable name, address and port for a set of pods.
  apiVersion  string         omit # The group and version of the schema that this object follows.
  kind        string         omit # The kind of this object, in CamelCase.
  metadata    ObjectMeta     always # What all objects have: name, namespace, labels, owners and the like.
  spec        ServiceSpec    always # Which pods are reached, and how.
  status      ServiceStatus  always # What has been set up for it.

type v1.ServiceAccount # An identity for the processes in pods.
  apiVersion                    string                  omit # The group and version of the schema that this object follows.
  automountServiceAccountToken  bool # Whether pods get a token of it by default.
  imagePullSecrets              []LocalObjectReference  omit # Secrets for pulling images, added to pods that use the account.
  kind                          string                  omit # The kind of this object, in CamelCase.
  metadata                      ObjectMeta              always # What all objects have: name, namespace, labels, owners and the like.
  secrets                       []ObjectReference       omit merge=name list=map(name) # Secrets that pods which use the account may refer to.
)";

}  // namespace capstan::testing::server
