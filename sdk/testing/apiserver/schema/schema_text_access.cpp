// Fields of access reviews and token requests; the form is in schema_text.h.

#include "apiserver/schema/schema_text.h"

namespace capstan::testing::server {

const std::string_view kAccessTypes = R"(
type BoundObjectReference
  apiVersion  string  omit
  kind        string  omit
  name        string  omit
  uid         string  omit

type FieldSelectorAttributes
  rawSelector   string                      omit
  requirements  []FieldSelectorRequirement  omit

type LabelSelectorAttributes
  rawSelector   string                      omit
  requirements  []LabelSelectorRequirement  omit

type NonResourceAttributes
  path  string  omit
  verb  string  omit

type NonResourceRule
  nonResourceURLs  []string  omit
  verbs            []string  required null

type ResourceAttributes
  fieldSelector  FieldSelectorAttributes
  group          string                   omit
  labelSelector  LabelSelectorAttributes
  name           string                   omit
  namespace      string                   omit
  resource       string                   omit
  subresource    string                   omit
  verb           string                   omit
  version        string                   omit

type ResourceRule
  apiGroups      []string  omit
  resourceNames  []string  omit
  resources      []string  omit
  verbs          []string  required null

type SelfSubjectAccessReviewSpec
  nonResourceAttributes  NonResourceAttributes
  resourceAttributes     ResourceAttributes

type SelfSubjectReviewStatus
  userInfo  UserInfo  always

type SelfSubjectRulesReviewSpec
  namespace  string  omit

type SubjectAccessReviewSpec
  extra                  map[string][]string    omit
  groups                 []string               omit
  nonResourceAttributes  NonResourceAttributes
  resourceAttributes     ResourceAttributes
  uid                    string                 omit
  user                   string                 omit

type SubjectAccessReviewStatus
  allowed          bool    required always
  denied           bool    omit
  evaluationError  string  omit
  reason           string  omit

type SubjectRulesReviewStatus
  evaluationError   string             omit
  incomplete        bool               required always
  nonResourceRules  []NonResourceRule  required null
  resourceRules     []ResourceRule     required null

type TokenRequestSpec
  audiences          []string              required null
  boundObjectRef     BoundObjectReference  null
  expirationSeconds  int64                 null

type TokenRequestStatus
  expirationTimestamp  time    required null
  token                string  required always

type UserInfo
  extra     map[string][]string  omit
  groups    []string             omit
  uid       string               omit
  username  string               omit

type authentication.k8s.io/v1.SelfSubjectReview
  apiVersion  string                   omit # The group and version of the schema that this object follows.
  kind        string                   omit # The kind of this object, in CamelCase.
  metadata    ObjectMeta               always # What all objects have: name, namespace, labels, owners and the like.
  status      SelfSubjectReviewStatus  always

type authentication.k8s.io/v1.TokenRequest
  apiVersion  string              omit # The group and version of the schema that this object follows.
  kind        string              omit # The kind of this object, in CamelCase.
  metadata    ObjectMeta          always # What all objects have: name, namespace, labels, owners and the like.
  spec        TokenRequestSpec    required always
  status      TokenRequestStatus  always

type authorization.k8s.io/v1.LocalSubjectAccessReview
  apiVersion  string                     omit # The group and version of the schema that this object follows.
  kind        string                     omit # The kind of this object, in CamelCase.
  metadata    ObjectMeta                 always # What all objects have: name, namespace, labels, owners and the like.
  spec        SubjectAccessReviewSpec    required always
  status      SubjectAccessReviewStatus  always

type authorization.k8s.io/v1.SelfSubjectAccessReview
  apiVersion  string                       omit # The group and version of the schema that this object follows.
  kind        string                       omit # The kind of this object, in CamelCase.
  metadata    ObjectMeta                   always # What all objects have: name, namespace, labels, owners and the like.
  spec        SelfSubjectAccessReviewSpec  required always
  status      SubjectAccessReviewStatus    always

type authorization.k8s.io/v1.SelfSubjectRulesReview
  apiVersion  string                      omit # The group and version of the schema that this object follows.
  kind        string                      omit # The kind of this object, in CamelCase.
  metadata    ObjectMeta                  always # What all objects have: name, namespace, labels, owners and the like.
  spec        SelfSubjectRulesReviewSpec  required always
  status      SubjectRulesReviewStatus    always

type authorization.k8s.io/v1.SubjectAccessReview
  apiVersion  string                     omit # The group and version of the schema that this object follows.
  kind        string                     omit # The kind of this object, in CamelCase.
  metadata    ObjectMeta                 always # What all objects have: name, namespace, labels, owners and the like.
  spec        SubjectAccessReviewSpec    required always
  status      SubjectAccessReviewStatus  always
)";

}  // namespace capstan::testing::server
