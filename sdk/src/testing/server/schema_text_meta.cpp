// Fields of the types that all kinds share; the form is in schema_text.h.

#include "testing/server/schema_text.h"

namespace capstan::testing::server {

const std::string_view kMetaTypes = R"(
type Condition
  lastTransitionTime  time    required null
  message             string  required always
  observedGeneration  int64   omit
  reason              string  required always
  status              string  required always
  type                string  required always

type FieldSelectorRequirement
  key       string    required always
  operator  string    required always
  values    []string  omit

type LabelSelector atomic
  matchExpressions  []LabelSelectorRequirement  omit
  matchLabels       map[string]string           omit

type LabelSelectorRequirement
  key       string    required always
  operator  string    required always
  values    []string  omit

type ListMeta
  continue            string     omit
  remainingItemCount  int64
  resourceVersion     string     omit
  selfLink            string     omit
  shardInfo           ShardInfo

type ManagedFieldsEntry
  apiVersion   string  omit
  fieldsType   string  omit
  fieldsV1     any
  manager      string  omit
  operation    string  omit
  subresource  string  omit
  time         time

type ObjectMeta
  annotations                 map[string]string     omit
  creationTimestamp           time                  omit
  deletionGracePeriodSeconds  int64
  deletionTimestamp           time
  finalizers                  []string              omit merge list=set
  generateName                string                omit
  generation                  int64                 omit
  labels                      map[string]string     omit
  managedFields               []ManagedFieldsEntry  omit
  name                        string                omit
  namespace                   string                omit
  ownerReferences             []OwnerReference      omit merge=uid list=map(uid)
  resourceVersion             string                omit
  selfLink                    string                omit
  uid                         string                omit

type OwnerReference atomic
  apiVersion          string  required always
  blockOwnerDeletion  bool
  controller          bool
  kind                string  required always
  name                string  required always
  uid                 string  required always

type Preconditions
  resourceVersion  string
  uid              string

type ShardInfo
  selector  string  required always

type StatusCause
  field    string  omit
  message  string  omit
  reason   string  omit

type StatusDetails
  causes             []StatusCause  omit
  group              string         omit
  kind               string         omit
  name               string         omit
  retryAfterSeconds  int32          omit
  uid                string         omit

type TableColumnDefinition
  description  string  always
  format       string  always
  name         string  always
  priority     int32   always
  type         string  always

type TableRow
  cells       []any                null
  conditions  []TableRowCondition  omit
  object      any                  null

type TableRowCondition
  message  string  omit
  reason   string  omit
  status   string  always
  type     string  always

type meta.k8s.io/v1.PartialObjectMetadata
  apiVersion  string      omit
  kind        string      omit
  metadata    ObjectMeta  always

type meta.k8s.io/v1.Table
  apiVersion         string                   omit
  columnDefinitions  []TableColumnDefinition  null
  kind               string                   omit
  metadata           ListMeta                 always
  rows               []TableRow               null

type v1.CreateOptions
  apiVersion       string    omit
  dryRun           []string  omit
  fieldManager     string    omit
  fieldValidation  string    omit
  kind             string    omit

type v1.DeleteOptions
  apiVersion                                        string         omit
  dryRun                                            []string       omit
  gracePeriodSeconds                                int64
  ignoreStoreReadErrorWithClusterBreakingPotential  bool
  kind                                              string         omit
  orphanDependents                                  bool
  preconditions                                     Preconditions
  propagationPolicy                                 string

type v1.ListOptions
  allowWatchBookmarks   bool    omit
  apiVersion            string  omit
  continue              string  omit
  fieldSelector         string  omit
  kind                  string  omit
  labelSelector         string  omit
  limit                 int64   omit
  resourceVersion       string  omit
  resourceVersionMatch  string  omit
  sendInitialEvents     bool
  shardSelector         string  omit
  timeoutSeconds        int64
  watch                 bool    omit

type v1.PatchOptions
  apiVersion       string    omit
  dryRun           []string  omit
  fieldManager     string    omit
  fieldValidation  string    omit
  force            bool
  kind             string    omit

type v1.Status
  apiVersion  string         omit
  code        int32          omit
  details     StatusDetails
  kind        string         omit
  message     string         omit
  metadata    ListMeta       always
  reason      string         omit
  status      string         omit

type v1.UpdateOptions
  apiVersion       string    omit
  dryRun           []string  omit
  fieldManager     string    omit
  fieldValidation  string    omit
  kind             string    omit
)";

}  // namespace capstan::testing::server
