// Fields of apps/v1, coordination.k8s.io/v1, events.k8s.io/v1, autoscaling/v1 and policy/v1; the
// form is in schema_text.h.

#include "testing/server/schema_text.h"

namespace capstan::testing::server {

const std::string_view kAppsTypes = R"(
type DeploymentCondition
  lastTransitionTime  time    null
  lastUpdateTime      time    null
  message             string  omit
  reason              string  omit
  status              string  required always
  type                string  required always

type DeploymentSpec
  minReadySeconds          int32               omit
  paused                   bool                omit
  progressDeadlineSeconds  int32               default=600
  replicas                 int32               default=1
  revisionHistoryLimit     int32               default=10
  selector                 LabelSelector       required null
  strategy                 DeploymentStrategy  always retainKeys
  template                 PodTemplateSpec     required always

type DeploymentStatus
  availableReplicas    int32                  omit
  collisionCount       int32
  conditions           []DeploymentCondition  omit merge=type list=map(type)
  observedGeneration   int64                  omit
  readyReplicas        int32                  omit
  replicas             int32                  omit
  terminatingReplicas  int32
  unavailableReplicas  int32                  omit
  updatedReplicas      int32                  omit

type DeploymentStrategy
  rollingUpdate  RollingUpdateDeployment
  type           string                   omit default="RollingUpdate"

type LeaseSpec
  acquireTime           microtime
  holderIdentity        string
  leaseDurationSeconds  int32
  leaseTransitions      int32
  preferredHolder       string
  renewTime             microtime
  strategy              string

type ReplicaSetCondition
  lastTransitionTime  time    null
  message             string  omit
  reason              string  omit
  status              string  required always
  type                string  required always

type ReplicaSetSpec
  minReadySeconds  int32            omit
  replicas         int32            default=1
  selector         LabelSelector    required null
  template         PodTemplateSpec  always

type ReplicaSetStatus
  availableReplicas     int32                  omit
  conditions            []ReplicaSetCondition  omit merge=type list=map(type)
  fullyLabeledReplicas  int32                  omit
  observedGeneration    int64                  omit
  readyReplicas         int32                  omit
  replicas              int32                  required always
  terminatingReplicas   int32

type RollingUpdateDeployment
  maxSurge        intOrString  default="25%"
  maxUnavailable  intOrString  default="25%"

type ScaleSpec
  replicas  int32  omit

type ScaleStatus
  replicas  int32   required always
  selector  string  omit

type apps/v1.Deployment
  apiVersion  string            omit
  kind        string            omit
  metadata    ObjectMeta        always
  spec        DeploymentSpec    always
  status      DeploymentStatus  always

type apps/v1.ReplicaSet
  apiVersion  string            omit
  kind        string            omit
  metadata    ObjectMeta        always
  spec        ReplicaSetSpec    always
  status      ReplicaSetStatus  always

type autoscaling/v1.Scale
  apiVersion  string       omit
  kind        string       omit
  metadata    ObjectMeta   always
  spec        ScaleSpec    always
  status      ScaleStatus  always

type coordination.k8s.io/v1.Lease
  apiVersion  string      omit
  kind        string      omit
  metadata    ObjectMeta  always
  spec        LeaseSpec   always

type events.k8s.io/v1.Event
  action                    string                        omit
  apiVersion                string                        omit
  deprecatedCount           int32                         omit
  deprecatedFirstTimestamp  time                          null
  deprecatedLastTimestamp   time                          null
  deprecatedSource          EventSource                   always
  eventTime                 microtime                     required null
  kind                      string                        omit
  metadata                  ObjectMeta                    always
  note                      string                        omit
  reason                    string                        omit
  regarding                 ObjectReference               always
  related                   ObjectReference
  reportingController       string                        omit
  reportingInstance         string                        omit
  series                    events.k8s.io/v1.EventSeries
  type                      string                        omit

type events.k8s.io/v1.EventSeries
  count             int32      required always
  lastObservedTime  microtime  required null

type policy/v1.Eviction
  apiVersion     string            omit
  deleteOptions  v1.DeleteOptions
  kind           string            omit
  metadata       ObjectMeta        always
)";

}  // namespace capstan::testing::server
