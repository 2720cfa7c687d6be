// Fields of containers in pods; the form is in schema_text.h.

#include "apiserver/schema/schema_text.h"

namespace capstan::testing::server {

const std::string_view kContainerTypes = R"(
type AppArmorProfile
  localhostProfile  string
  type              string  required always

type Capabilities # Capabilities of Linux that are added or taken away.
  add   []string  omit # Capabilities to add.
  drop  []string  omit # Capabilities to take away.

type ConfigMapEnvSource # All keys of a ConfigMap.
  name      string  omit # The name of the ConfigMap.
  optional  bool # Whether it may be missing.

type ConfigMapKeySelector atomic # A key of a ConfigMap.
  key       string  required always # The key.
  name      string  omit # The name of the ConfigMap.
  optional  bool # Whether it may be missing.

type Container # A program in a pod, with its image.
  args                      []string                 omit # Arguments for the command; those of the image when not set. $(NAME) stands for a variable.
  command                   []string                 omit # The program to run, without a shell; the image's entry point when not set.
  env                       []EnvVar                 omit merge=name list=map(name) # Environment variables.
  envFrom                   []EnvFromSource          omit # Sources that all keys are taken from as environment variables.
  image                     string                   omit # The name of the container image.
  imagePullPolicy           string                   omit # Always, IfNotPresent or Never. Always for the tag latest by default, else IfNotPresent.
  lifecycle                 Lifecycle # What to do after the start and before the end.
  livenessProbe             Probe # Tells whether the container is alive; it is restarted when not.
  name                      string                   required always # The name of the container, unique in its pod.
  ports                     []ContainerPort          omit merge=containerPort list=map(containerPort,protocol) # Ports that the container listens on; more of a note than a rule.
  readinessProbe            Probe # Tells whether the container can do its work; services leave the pod out when not.
  resizePolicy              []ContainerResizePolicy  omit # Whether a change of resources takes a restart.
  resources                 ResourceRequirements     always # How much processor, memory and the like it requests and may use.
  restartPolicy             string # Whether this container is started again when it ends; Always makes an init container a sidecar.
  restartPolicyRules        []ContainerRestartRule   omit # Restarts that depend on the exit code.
  securityContext           SecurityContext # Security settings; they come before the pod's.
  startupProbe              Probe # Tells whether the container has started; the other probes wait for it.
  stdin                     bool                     omit # Whether to keep a buffer for standard input.
  stdinOnce                 bool                     omit # Whether standard input is closed after the first client.
  terminationMessagePath    string                   omit default="/dev/termination-log" # The file in which the container says why it ended.
  terminationMessagePolicy  string                   omit default="File" # File, or FallbackToLogsOnError to take the end of the log when the file is empty.
  tty                       bool                     omit # Whether to have a terminal; needs stdin.
  volumeDevices             []VolumeDevice           omit merge=devicePath list=map(devicePath) # Block devices that the container uses.
  volumeMounts              []VolumeMount            omit merge=mountPath list=map(mountPath) # Volumes that are mounted into the container.
  workingDir                string                   omit # The working directory; the image's when not set.

type ContainerPort # A port that a container listens on.
  containerPort  int32   required always # The number of the port.
  hostIP         string  omit # The address on the node to bind hostPort to.
  hostPort       int32   omit # The port on the node that leads to it; few pods need one.
  name           string  omit # A name that services can use.
  protocol       string  omit default="TCP" # TCP (the default), UDP or SCTP.

type ContainerResizePolicy
  resourceName   string  required always
  restartPolicy  string  required always

type ContainerRestartRule
  action     string                           required omit
  exitCodes  ContainerRestartRuleOnExitCodes

type ContainerRestartRuleOnExitCodes
  operator  string   required omit
  values    []int32  omit list=set

type ContainerState # One of the three states of a container.
  running     ContainerStateRunning # It runs.
  terminated  ContainerStateTerminated # It has ended.
  waiting     ContainerStateWaiting # It has not started yet.

type ContainerStateRunning # A container that runs.
  startedAt  time  null # Since when.

type ContainerStateTerminated # A container that has ended.
  containerID  string  omit # Its identity in the container runtime.
  exitCode     int32   required always # The exit code of its first process.
  finishedAt   time    null # When it ended.
  message      string  omit # Why it ended, for people to read.
  reason       string  omit # Why it ended: a short word.
  signal       int32   omit # The signal that ended it.
  startedAt    time    null # When it started.

type ContainerStateWaiting # A container that has not started yet.
  message  string  omit # Why, for people to read.
  reason   string  omit # Why: a short word such as ImagePullBackOff.

type ContainerStatus # What has been seen of a container last.
  allocatedResources        map[string]quantity   omit # What has been set aside for it.
  allocatedResourcesStatus  []ResourceStatus      omit merge=name list=map(name) # The health of its devices.
  containerID               string                omit # Its identity in the container runtime.
  image                     string                required always # The image that it runs.
  imageID                   string                required always # The identity of that image.
  lastState                 ContainerState        always # How it ended the last time.
  name                      string                required always # The name of the container.
  ready                     bool                  required always # Whether it is ready.
  resources                 ResourceRequirements # Requests and limits that are in force.
  restartCount              int32                 required always # How often it has been started again.
  started                   bool # Whether it has started, as the startup probe has it.
  state                     ContainerState        always # Waiting, running or terminated, with details.
  stopSignal                string # The signal that tells it to end.
  user                      ContainerUser # The user that its first process began as.
  volumeMounts              []VolumeMountStatus   omit merge=mountPath list=map(mountPath) # The state of its mounts.

type ContainerUser
  linux  LinuxContainerUser

type EnvFromSource # A source of environment variables.
  configMapRef  ConfigMapEnvSource # All keys of a ConfigMap.
  prefix        string              omit # What is put before each key.
  secretRef     SecretEnvSource # All keys of a Secret.

type EnvVar # An environment variable.
  name       string        required always # The name of the variable.
  value      string        omit # The value; $(NAME) stands for another variable.
  valueFrom  EnvVarSource # Where the value is taken from; not beside value.

type EnvVarSource # Where the value of an environment variable is taken from.
  configMapKeyRef   ConfigMapKeySelector # A key of a ConfigMap.
  fieldRef          ObjectFieldSelector # A field of the pod.
  fileKeyRef        FileKeySelector # A key in a file of a volume.
  resourceFieldRef  ResourceFieldSelector # A container's request or limit.
  secretKeyRef      SecretKeySelector # A key of a Secret.

type EphemeralContainer # A container that is added to a running pod for debugging.
  args                      []string                 omit # Arguments for the command; those of the image when not set. $(NAME) stands for a variable.
  command                   []string                 omit # The program to run, without a shell; the image's entry point when not set.
  env                       []EnvVar                 omit merge=name list=map(name) # Environment variables.
  envFrom                   []EnvFromSource          omit # Sources that all keys are taken from as environment variables.
  image                     string                   omit # The name of the container image.
  imagePullPolicy           string                   omit # Always, IfNotPresent or Never. Always for the tag latest by default, else IfNotPresent.
  lifecycle                 Lifecycle # What to do after the start and before the end.
  livenessProbe             Probe # Tells whether the container is alive; it is restarted when not.
  name                      string                   required always # The name of the container, unique in its pod.
  ports                     []ContainerPort          omit merge=containerPort list=map(containerPort,protocol) # Ports that the container listens on; more of a note than a rule.
  readinessProbe            Probe # Tells whether the container can do its work; services leave the pod out when not.
  resizePolicy              []ContainerResizePolicy  omit # Whether a change of resources takes a restart.
  resources                 ResourceRequirements     always # How much processor, memory and the like it requests and may use.
  restartPolicy             string # Whether this container is started again when it ends; Always makes an init container a sidecar.
  restartPolicyRules        []ContainerRestartRule   omit # Restarts that depend on the exit code.
  securityContext           SecurityContext # Security settings; they come before the pod's.
  startupProbe              Probe # Tells whether the container has started; the other probes wait for it.
  stdin                     bool                     omit # Whether to keep a buffer for standard input.
  stdinOnce                 bool                     omit # Whether standard input is closed after the first client.
  targetContainerName       string                   omit # The container whose processes it is to see.
  terminationMessagePath    string                   omit default="/dev/termination-log" # The file in which the container says why it ended.
  terminationMessagePolicy  string                   omit default="File" # File, or FallbackToLogsOnError to take the end of the log when the file is empty.
  tty                       bool                     omit # Whether to have a terminal; needs stdin.
  volumeDevices             []VolumeDevice           omit merge=devicePath list=map(devicePath) # Block devices that the container uses.
  volumeMounts              []VolumeMount            omit merge=mountPath list=map(mountPath) # Volumes that are mounted into the container.
  workingDir                string                   omit # The working directory; the image's when not set.

type ExecAction # A command that is run in the container.
  command  []string  omit # The program and its arguments, without a shell.

type FileKeySelector atomic
  key         string  required always
  optional    bool
  path        string  required always
  volumeName  string  required always

type GRPCAction # A request to a gRPC health service.
  port     int32   required always # The number of the port.
  service  string  null default="" # The service to ask about.

type HTTPGetAction # An HTTP request.
  host         string        omit # The host to connect to; the pod's address when not set.
  httpHeaders  []HTTPHeader  omit # Headers to send.
  path         string        omit default="/" # The path to ask for.
  port         intOrString   required always # The port, by number or by name.
  scheme       string        omit default="HTTP" # HTTP (the default) or HTTPS.

type HTTPHeader # A header of an HTTP request.
  name   string  required always # The name of the header.
  value  string  required always # The value of the header.

type ImageVolumeStatus
  imageRef  string  required omit

type Lifecycle # What to do after the start and before the end of a container.
  postStart   LifecycleHandler # Done right after the start; the container is killed when it fails.
  preStop     LifecycleHandler # Done before the container is told to end, within its grace period.
  stopSignal  string # The signal that tells it to end.

type LifecycleHandler # One thing to do.
  exec       ExecAction # Run a command in the container.
  httpGet    HTTPGetAction # Send an HTTP request.
  sleep      SleepAction # Wait for a while.
  tcpSocket  TCPSocketAction # Not supported any more.

type LinuxContainerUser
  gid                 int64    required always
  supplementalGroups  []int64  omit
  uid                 int64    required always

type ObjectFieldSelector atomic # A field of the pod.
  apiVersion  string  omit default="v1" # The version that fieldPath is written in; v1 by default.
  fieldPath   string  required always # The path of the field, such as metadata.name.

type Probe # A check that is made again and again.
  exec                           ExecAction # Succeeds when the command ends with 0.
  failureThreshold               int32            omit default=3 # After how many failures in a row it counts as failed. 3 by default.
  grpc                           GRPCAction # Asks a gRPC health service.
  httpGet                        HTTPGetAction # Succeeds when the answer is at least 200 and below 400.
  initialDelaySeconds            int32            omit # How long to wait before the first check.
  periodSeconds                  int32            omit default=10 # How often to check. 10 by default.
  successThreshold               int32            omit default=1 # After how many successes in a row it counts as succeeded. 1 by default.
  tcpSocket                      TCPSocketAction # Succeeds when the port can be connected to.
  terminationGracePeriodSeconds  int64 # How long the container gets to end after a failure; the pod's when not set.
  timeoutSeconds                 int32            omit default=1 # How long a check may take. 1 by default.

type ResourceClaim
  name     string  required always
  request  string  omit

type ResourceFieldSelector atomic # A request or limit of a container.
  containerName  string    omit # The container; needed in volumes.
  divisor        quantity  always # The unit to give it in; 1 by default.
  resource       string    required always # Such as limits.cpu or requests.memory.

type ResourceHealth
  health      string  omit
  message     string
  resourceID  string  required always

type ResourceRequirements # How much is requested and may be used.
  claims    []ResourceClaim      omit list=map(name) # The claims of the pod that the container uses.
  limits    map[string]quantity  omit # The most that may be used, by resource.
  requests  map[string]quantity  omit # What is set aside, by resource; the limits when not set.

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

type SecretEnvSource # All keys of a Secret.
  name      string  omit # The name of the Secret.
  optional  bool # Whether it may be missing.

type SecretKeySelector atomic # A key of a Secret.
  key       string  required always # The key.
  name      string  omit # The name of the Secret.
  optional  bool # Whether it may be missing.

type SecurityContext # Security settings for one container.
  allowPrivilegeEscalation  bool # Whether a process can get more rights than its parent.
  appArmorProfile           AppArmorProfile # The AppArmor profile.
  capabilities              Capabilities # Capabilities that are added or taken away.
  privileged                bool # Whether it has nearly all rights of root on the node.
  procMount                 string # How /proc is mounted: Default or Unmasked.
  readOnlyRootFilesystem    bool # Whether its own file system is read only.
  runAsGroup                int64 # The group id of the processes.
  runAsNonRoot              bool # Whether it is refused when it would run as root.
  runAsUser                 int64 # The user id of the processes.
  seLinuxOptions            SELinuxOptions # The SELinux labels.
  seccompProfile            SeccompProfile # Which system calls are let through.
  windowsOptions            WindowsSecurityContextOptions # Settings for Windows.

type SleepAction # A pause.
  seconds  int64  required always # How long to wait.

type TCPSocketAction # A TCP connection.
  host  string       omit # The host to connect to; the pod's address when not set.
  port  intOrString  required always # The port, by number or by name.

type VolumeDevice # A block device that a container uses.
  devicePath  string  required always # Where it is in the container.
  name        string  required always # The name of the claim volume.

type VolumeMount # A volume that is mounted into a container.
  mountPath          string  required always # Where it is mounted in the container.
  mountPropagation   string # How mounts are passed on between node and container. None by default.
  name               string  required always # The name of the volume.
  readOnly           bool    omit # Whether it is read only.
  recursiveReadOnly  string # Whether what is mounted below is read only too: Disabled, IfPossible or Enabled.
  subPath            string  omit # The path in the volume to mount; its root when empty.
  subPathExpr        string  omit # As subPath, with variables of the environment.

type VolumeMountStatus
  mountPath          string        required always
  name               string        required always
  readOnly           bool          omit
  recursiveReadOnly  string
  volumeStatus       VolumeStatus

type VolumeStatus
  image  ImageVolumeStatus

type WindowsSecurityContextOptions
  gmsaCredentialSpec      string
  gmsaCredentialSpecName  string
  hostProcess             bool
  runAsUserName           string
)";

}  // namespace capstan::testing::server
