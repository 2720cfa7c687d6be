// Fields of CustomResourceDefinitions; the form is in schema_text.h.

#include "apiserver/schema/schema_text.h"

namespace capstan::testing::server {

const std::string_view kApiextensionsTypes = R"(
type CustomResourceColumnDefinition
  description  string  omit
  format       string  omit
  jsonPath     string  required always
  name         string  required always
  priority     int32   omit
  type         string  required always

type CustomResourceConversion
  strategy  string             required always
  webhook   WebhookConversion

type CustomResourceDefinitionCondition # Something that a definition reports about itself: NamesAccepted, Established and others.
  lastTransitionTime  time    null # When the status last changed.
  message             string  omit # Why it is so, for people to read.
  observedGeneration  int64   omit # The generation of the object that the condition was made from.
  reason              string  omit # A short CamelCase word for why it is so.
  status              string  required always # True, False or Unknown.
  type                string  required always # What the condition is about.

type CustomResourceDefinitionNames # The names of a kind.
  categories  []string  omit # Groups of kinds, such as all, that kubectl lists together.
  kind        string    required always # The kind, in CamelCase.
  listKind    string    omit # The kind of its lists; the kind followed by List by default.
  plural      string    required always # The name in paths, in lower case.
  shortNames  []string  omit # Short names for kubectl.
  singular    string    omit # The singular, in lower case; the kind by default.

type CustomResourceDefinitionSpec # A kind, and what its objects look like.
  conversion             CustomResourceConversion           default={"strategy":"None"} # How objects get from one version to another.
  group                  string                             required always # The API group of the kind.
  names                  CustomResourceDefinitionNames      required always # The names of the kind.
  preserveUnknownFields  bool                               omit # Must be false in this version.
  scope                  string                             required always # Cluster or Namespaced.
  versions               []CustomResourceDefinitionVersion  required null # The versions in which the kind is served or stored.

type CustomResourceDefinitionStatus # How far a kind is served.
  acceptedNames       CustomResourceDefinitionNames        always # The names that it is served under.
  conditions          []CustomResourceDefinitionCondition  null list=map(type) # Whether the names are accepted and the kind is served.
  observedGeneration  int64                                omit # The newest generation that the status speaks of.
  storedVersions      []string                             null # The versions that objects may be stored in.

type CustomResourceDefinitionVersion # A version of a kind.
  additionalPrinterColumns  []CustomResourceColumnDefinition  omit # What kubectl get shows beside the name.
  deprecated                bool                              omit # Whether clients are warned.
  deprecationWarning        string # What the warning says.
  name                      string                            required always # The name of the version, such as v1beta1.
  schema                    CustomResourceValidation # What the objects look like.
  selectableFields          []SelectableField                 omit # Fields that field selectors can name.
  served                    bool                              required always # Whether the version is served.
  storage                   bool                              required always # Whether objects are stored in this version; true for exactly one.
  subresources              CustomResourceSubresources # The subresources that objects have.

type CustomResourceSubresourceScale
  labelSelectorPath   string
  specReplicasPath    string  required always
  statusReplicasPath  string  required always

type CustomResourceSubresourceStatus

type CustomResourceSubresources
  scale   CustomResourceSubresourceScale
  status  CustomResourceSubresourceStatus

type CustomResourceValidation
  openAPIV3Schema  JSONSchemaProps

type ExternalDocumentation
  description  string  omit
  url          string  omit

type JSONSchemaProps
  $ref                                  string
  $schema                               string                      omit
  additionalItems                       any
  additionalProperties                  any
  allOf                                 []JSONSchemaProps           omit
  anyOf                                 []JSONSchemaProps           omit
  default                               any
  definitions                           map[string]JSONSchemaProps  omit
  dependencies                          map[string]any              omit
  description                           string                      omit
  enum                                  []any                       omit
  example                               any
  exclusiveMaximum                      bool                        omit
  exclusiveMinimum                      bool                        omit
  externalDocs                          ExternalDocumentation
  format                                string                      omit
  id                                    string                      omit
  items                                 any
  maxItems                              int64
  maxLength                             int64
  maxProperties                         int64
  maximum                               double
  minItems                              int64
  minLength                             int64
  minProperties                         int64
  minimum                               double
  multipleOf                            double
  not                                   JSONSchemaProps
  nullable                              bool                        omit
  oneOf                                 []JSONSchemaProps           omit
  pattern                               string                      omit
  patternProperties                     map[string]JSONSchemaProps  omit
  properties                            map[string]JSONSchemaProps  omit
  required                              []string                    omit
  title                                 string                      omit
  type                                  string                      omit
  uniqueItems                           bool                        omit
  x-kubernetes-embedded-resource        bool                        omit
  x-kubernetes-int-or-string            bool                        omit
  x-kubernetes-list-map-keys            []string                    omit
  x-kubernetes-list-type                string
  x-kubernetes-map-type                 string
  x-kubernetes-preserve-unknown-fields  bool
  x-kubernetes-validations              []ValidationRule            omit merge=rule list=map(rule)

type SelectableField
  jsonPath  string  required always

type ServiceReference
  name       string  required always
  namespace  string  required always
  path       string
  port       int32

type ValidationRule
  fieldPath          string  omit
  message            string  omit
  messageExpression  string  omit
  optionalOldSelf    bool
  reason             string
  rule               string  required always

type WebhookClientConfig
  caBundle  bytes             omit
  service   ServiceReference
  url       string

type WebhookConversion
  clientConfig              WebhookClientConfig
  conversionReviewVersions  []string             required null

type apiextensions.k8s.io/v1.CustomResourceDefinition # Adds a kind of objects to the API.
  apiVersion  string                          omit # The group and version of the schema that this object follows.
  kind        string                          omit # The kind of this object, in CamelCase.
  metadata    ObjectMeta                      always # What all objects have: name, namespace, labels, owners and the like.
  spec        CustomResourceDefinitionSpec    required always # The kind, and what its objects look like.
  status      CustomResourceDefinitionStatus  always # How far the kind is served.
)";

}  // namespace capstan::testing::server
