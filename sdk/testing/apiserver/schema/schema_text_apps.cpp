// Fields of apps/v1, coordination.k8s.io/v1, events.k8s.io/v1, autoscaling/v1 and policy/v1; the
// form is in schema_text.h.

#include "apiserver/schema/schema_text.h"

namespace capstan::testing::server {

const std::string_view kAppsTypes = R"(
type DeploymentCondition # Something that a Deployment reports about itself: Available, Progressing or ReplicaFailure.
  lastTransitionTime  time    null # When the status last changed.
  lastUpdateTime      time    null # When the condition was last looked at and found different.
  message             string  omit # Why it is so, for people to read.
  reason              string  omit # A short CamelCase word for why it is so.
  status              string  required always # True, False or Unknown.
  type                string  required always # What the condition is about.

type DeploymentSpec # The pods that a Deployment is to keep, and how it changes them.
  minReadySeconds          int32               omit # How long a new pod must be ready before it counts as available. 0 by default.
  paused                   bool                omit # While true, changes of the template are not rolled out.
  progressDeadlineSeconds  int32               default=600 # How long a rollout may stand still before it is reported as failed. 600 by default.
  replicas                 int32               default=1 # How many pods are wanted. 1 by default.
  revisionHistoryLimit     int32               default=10 # How many old ReplicaSets are kept to roll back to. 10 by default.
  selector                 LabelSelector       required null # Which pods belong to the Deployment. It must match the template's labels, and never changes.
  strategy                 DeploymentStrategy  always retainKeys # How new pods take the place of old ones.
  template                 PodTemplateSpec     required always # What the pods are made from.

type DeploymentStatus # What has been seen of a Deployment last.
  availableReplicas    int32                  omit # How many pods have been ready for at least minReadySeconds.
  collisionCount       int32 # How often the name of a new ReplicaSet was taken; part of the hash that makes it.
  conditions           []DeploymentCondition  omit merge=type list=map(type) # Whether the Deployment is available and its rollout makes progress.
  observedGeneration   int64                  omit # The newest generation that the controller has acted on.
  readyReplicas        int32                  omit # How many pods are ready.
  replicas             int32                  omit # How many pods there are that are not being deleted.
  terminatingReplicas  int32 # How many pods are being deleted and not gone yet.
  unavailableReplicas  int32                  omit # How many pods are still missing for the Deployment to be fully available.
  updatedReplicas      int32                  omit # How many pods are made from the current template.

type DeploymentStrategy # Whether pods are replaced step by step or all at once.
  rollingUpdate  RollingUpdateDeployment # How far a rolling update may stray from the number of pods; only for type RollingUpdate.
  type           string                   omit default="RollingUpdate" # RollingUpdate (the default) replaces pods step by step, Recreate deletes all old ones first.

type LeaseSpec # Who holds a Lease, since when and for how long.
  acquireTime           microtime # When the holder took the Lease.
  holderIdentity        string # Who holds the Lease; empty when nobody does.
  leaseDurationSeconds  int32 # How long others must wait after renewTime before they may take the Lease.
  leaseTransitions      int32 # How often the Lease has changed hands.
  preferredHolder       string # Who the holder is asked to make room for.
  renewTime             microtime # When the holder last renewed the Lease.
  strategy              string # How the holder is chosen when the election is coordinated.

type ReplicaSetCondition # Something that a ReplicaSet reports about itself: ReplicaFailure.
  lastTransitionTime  time    null # When the status last changed.
  message             string  omit # Why it is so, for people to read.
  reason              string  omit # A short CamelCase word for why it is so.
  status              string  required always # True, False or Unknown.
  type                string  required always # What the condition is about.

type ReplicaSetSpec # The pods that a ReplicaSet is to keep.
  minReadySeconds  int32            omit # How long a new pod must be ready before it counts as available. 0 by default.
  replicas         int32            default=1 # How many pods are wanted. 1 by default.
  selector         LabelSelector    required null # Which pods belong to the ReplicaSet. It must match the template's labels, and never changes.
  template         PodTemplateSpec  always # What the pods are made from.

type ReplicaSetStatus # What has been seen of a ReplicaSet last.
  availableReplicas     int32                  omit # How many pods have been ready for at least minReadySeconds.
  conditions            []ReplicaSetCondition  omit merge=type list=map(type) # What the ReplicaSet reports about itself.
  fullyLabeledReplicas  int32                  omit # How many pods have all labels of the template.
  observedGeneration    int64                  omit # The newest generation that the controller has acted on.
  readyReplicas         int32                  omit # How many pods are ready.
  replicas              int32                  required always # How many pods there are that are not being deleted.
  terminatingReplicas   int32 # How many pods are being deleted and not gone yet.

type RollingUpdateDeployment # How far a rolling update may stray from the wanted number of pods.
  maxSurge        intOrString  default="25%" # How many pods there may be above the wanted number: a number, or a percentage rounded up. 25% by default.
  maxUnavailable  intOrString  default="25%" # How many pods may be unavailable meanwhile: a number, or a percentage rounded down. 25% by default.

type ScaleSpec # How many replicas are wanted.
  replicas  int32  omit # The wanted number of replicas.

type ScaleStatus # How many replicas there are.
  replicas  int32   required always # The number of replicas that have been seen.
  selector  string  omit # Which pods are counted, as a query.

type apps/v1.Deployment # Keeps a number of pods running, and replaces them step by step when their template changes.
  apiVersion  string            omit # The group and version of the schema that this object follows.
  kind        string            omit # The kind of this object, in CamelCase.
  metadata    ObjectMeta        always # What all objects have: name, namespace, labels, owners and the like.
  spec        DeploymentSpec    always # The pods that are wanted.
  status      DeploymentStatus  always # What has been seen of them last.

type apps/v1.ReplicaSet # Keeps a number of equal pods running. Mostly made and scaled by a Deployment.
  apiVersion  string            omit # The group and version of the schema that this object follows.
  kind        string            omit # The kind of this object, in CamelCase.
  metadata    ObjectMeta        always # What all objects have: name, namespace, labels, owners and the like. Labels default to those of the template.
  spec        ReplicaSetSpec    always # The pods that are wanted.
  status      ReplicaSetStatus  always # What has been seen of them last.

type autoscaling/v1.Scale # How many replicas an object has and is to have.
  apiVersion  string       omit # The group and version of the schema that this object follows.
  kind        string       omit # The kind of this object, in CamelCase.
  metadata    ObjectMeta   always # What all objects have: name, namespace, labels, owners and the like.
  spec        ScaleSpec    always # What is wanted.
  status      ScaleStatus  always # What is there.

type coordination.k8s.io/v1.Lease # Says who holds something that only one may hold at a time, such as the leadership of a component.
  apiVersion  string      omit # The group and version of the schema that this object follows.
  kind        string      omit # The kind of this object, in CamelCase.
  metadata    ObjectMeta  always # What all objects have: name, namespace, labels, owners and the like.
  spec        LeaseSpec   always # Who holds it, since when and for how long.

type events.k8s.io/v1.Event # Something that happened to an object. Kept for a limited time.
  action                    string                        omit # What was done or did not succeed.
  apiVersion                string                        omit # The group and version of the schema that this object follows.
  deprecatedCount           int32                         omit # How often it happened, as older clients count.
  deprecatedFirstTimestamp  time                          null # When it first happened, as older clients note it.
  deprecatedLastTimestamp   time                          null # When it last happened, as older clients note it.
  deprecatedSource          EventSource                   always # Who reports it, as older clients note it.
  eventTime                 microtime                     required null # When it was first seen.
  kind                      string                        omit # The kind of this object, in CamelCase.
  metadata                  ObjectMeta                    always # What all objects have: name, namespace, labels, owners and the like.
  note                      string                        omit # What happened, for people to read.
  reason                    string                        omit # Why it was done: a short CamelCase word.
  regarding                 ObjectReference               always # The object that it happened to.
  related                   ObjectReference # Another object that it has to do with.
  reportingController       string                        omit # The controller that reports it.
  reportingInstance         string                        omit # The instance of the controller that reports it.
  series                    events.k8s.io/v1.EventSeries # How often the same happened, when more than once.
  type                      string                        omit # Normal or Warning.

type events.k8s.io/v1.EventSeries # How often the same event happened.
  count             int32      required always # How often so far.
  lastObservedTime  microtime  required null # When it was last seen.

type policy/v1.Eviction
  apiVersion     string            omit # The group and version of the schema that this object follows.
  deleteOptions  v1.DeleteOptions
  kind           string            omit # The kind of this object, in CamelCase.
  metadata       ObjectMeta        always # What all objects have: name, namespace, labels, owners and the like.
)";

}  // namespace capstan::testing::server
