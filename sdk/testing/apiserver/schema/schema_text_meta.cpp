// Fields of the types that all kinds share; the form is in schema_text.h.

#include "apiserver/schema/schema_text.h"

namespace capstan::testing::server {

const std::string_view kMetaTypes = R"(
type Condition # Something that an object reports about itself.
  lastTransitionTime  time    required null # When the status last changed.
  message             string  required always # Why it is so, for people to read.
  observedGeneration  int64   omit # The generation of the object that the condition was made from.
  reason              string  required always # A short CamelCase word for why it is so.
  status              string  required always # True, False or Unknown.
  type                string  required always # What the condition is about.

type FieldSelectorRequirement
  key       string    required always
  operator  string    required always
  values    []string  omit

type LabelSelector atomic # Selects objects by their labels. All of its requirements must hold; an empty one selects everything.
  matchExpressions  []LabelSelectorRequirement  omit # Requirements that are more than equality.
  matchLabels       map[string]string           omit # Labels that objects must have with exactly these values.

type LabelSelectorRequirement # A requirement on the label of one key.
  key       string    required always # The key of the label.
  operator  string    required always # In, NotIn, Exists or DoesNotExist.
  values    []string  omit # The values to compare with; empty for Exists and DoesNotExist.

type ListMeta # What lists say about themselves.
  continue            string     omit # Ask with this value to get the rest of the list.
  remainingItemCount  int64 # How many items are left behind this part of the list.
  resourceVersion     string     omit # The version of the store that the list shows.
  selfLink            string     omit # Not filled in any more.
  shardInfo           ShardInfo

type ManagedFieldsEntry # The fields that one manager owns by one operation.
  apiVersion   string  omit # The version that the fields are named in.
  fieldsType   string  omit # How fieldsV1 is to be read: FieldsV1.
  fieldsV1     any # The fields that are owned.
  manager      string  omit # Who owns the fields.
  operation    string  omit # Apply or Update.
  subresource  string  omit # The subresource that was written to; empty for the object itself.
  time         time # When the manager last changed what it owns.

type ObjectMeta # What every stored object says about itself.
  annotations                 map[string]string     omit # Free-form notes for tools; objects are never selected by them.
  creationTimestamp           time                  omit # When the server stored the object. Set by the server.
  deletionGracePeriodSeconds  int64 # How long the object may take to go once it is being deleted. Set by the server.
  deletionTimestamp           time # When the object is due to be gone; set once its deletion is asked for.
  finalizers                  []string              omit merge list=set # Who still has work to do before the object may go; it goes when the list is empty.
  generateName                string                omit # The beginning of a name that the server completes with random characters when name is not set.
  generation                  int64                 omit # A number that grows whenever the desired state changes. Set by the server.
  labels                      map[string]string     omit # Keys and values that objects are selected by.
  managedFields               []ManagedFieldsEntry  omit # Which manager owns which fields, as server-side apply tracks it.
  name                        string                omit # The name: unique among the objects of its kind in its namespace, and never changed.
  namespace                   string                omit # The namespace that the object is in; empty for kinds that belong to the whole cluster.
  ownerReferences             []OwnerReference      omit merge=uid list=map(uid) # The objects that this one depends on: it is collected once all of them are gone.
  resourceVersion             string                omit # Identifies this state of the object; a write that gives an older one is refused.
  selfLink                    string                omit # Not filled in any more.
  uid                         string                omit # Identifies the object over time and space, also among ones of the same name. Set by the server.

type OwnerReference atomic # An object that this one depends on, in the same namespace or in the whole cluster.
  apiVersion          string  required always # The API group and version of the owner.
  blockOwnerDeletion  bool # Whether the owner's deletion in the foreground waits for this object.
  controller          bool # Whether the owner is the one that manages this object.
  kind                string  required always # The kind of the owner.
  name                string  required always # The name of the owner.
  uid                 string  required always # The uid of the owner.

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
  apiVersion  string      omit # The group and version of the schema that this object follows.
  kind        string      omit # The kind of this object, in CamelCase.
  metadata    ObjectMeta  always # What all objects have: name, namespace, labels, owners and the like.

type meta.k8s.io/v1.Table
  apiVersion         string                   omit # The group and version of the schema that this object follows.
  columnDefinitions  []TableColumnDefinition  null
  kind               string                   omit # The kind of this object, in CamelCase.
  metadata           ListMeta                 always # What all objects have: name, namespace, labels, owners and the like.
  rows               []TableRow               null

type v1.CreateOptions
  apiVersion       string    omit # The group and version of the schema that this object follows.
  dryRun           []string  omit
  fieldManager     string    omit
  fieldValidation  string    omit
  kind             string    omit # The kind of this object, in CamelCase.

type v1.DeleteOptions
  apiVersion                                        string         omit # The group and version of the schema that this object follows.
  dryRun                                            []string       omit
  gracePeriodSeconds                                int64
  ignoreStoreReadErrorWithClusterBreakingPotential  bool
  kind                                              string         omit # The kind of this object, in CamelCase.
  orphanDependents                                  bool
  preconditions                                     Preconditions
  propagationPolicy                                 string

type v1.ListOptions
  allowWatchBookmarks   bool    omit
  apiVersion            string  omit # The group and version of the schema that this object follows.
  continue              string  omit
  fieldSelector         string  omit
  kind                  string  omit # The kind of this object, in CamelCase.
  labelSelector         string  omit
  limit                 int64   omit
  resourceVersion       string  omit
  resourceVersionMatch  string  omit
  sendInitialEvents     bool
  shardSelector         string  omit
  timeoutSeconds        int64
  watch                 bool    omit

type v1.PatchOptions
  apiVersion       string    omit # The group and version of the schema that this object follows.
  dryRun           []string  omit
  fieldManager     string    omit
  fieldValidation  string    omit
  force            bool
  kind             string    omit # The kind of this object, in CamelCase.

type v1.Status
  apiVersion  string         omit # The group and version of the schema that this object follows.
  code        int32          omit
  details     StatusDetails
  kind        string         omit # The kind of this object, in CamelCase.
  message     string         omit
  metadata    ListMeta       always # What all objects have: name, namespace, labels, owners and the like.
  reason      string         omit
  status      string         omit

type v1.UpdateOptions
  apiVersion       string    omit # The group and version of the schema that this object follows.
  dryRun           []string  omit
  fieldManager     string    omit
  fieldValidation  string    omit
  kind             string    omit # The kind of this object, in CamelCase.
)";

}  // namespace capstan::testing::server
