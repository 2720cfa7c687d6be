// Fields of CustomResourceDefinitions; the form is in schema_text.h.

#include "testing/server/schema_text.h"

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

type CustomResourceDefinitionCondition
  lastTransitionTime  time    null
  message             string  omit
  observedGeneration  int64   omit
  reason              string  omit
  status              string  required always
  type                string  required always

type CustomResourceDefinitionNames
  categories  []string  omit
  kind        string    required always
  listKind    string    omit
  plural      string    required always
  shortNames  []string  omit
  singular    string    omit

type CustomResourceDefinitionSpec
  conversion             CustomResourceConversion           default={"strategy":"None"}
  group                  string                             required always
  names                  CustomResourceDefinitionNames      required always
  preserveUnknownFields  bool                               omit
  scope                  string                             required always
  versions               []CustomResourceDefinitionVersion  required null

type CustomResourceDefinitionStatus
  acceptedNames       CustomResourceDefinitionNames        always
  conditions          []CustomResourceDefinitionCondition  null list=map(type)
  observedGeneration  int64                                omit
  storedVersions      []string                             null

type CustomResourceDefinitionVersion
  additionalPrinterColumns  []CustomResourceColumnDefinition  omit
  deprecated                bool                              omit
  deprecationWarning        string
  name                      string                            required always
  schema                    CustomResourceValidation
  selectableFields          []SelectableField                 omit
  served                    bool                              required always
  storage                   bool                              required always
  subresources              CustomResourceSubresources

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

type apiextensions.k8s.io/v1.CustomResourceDefinition
  apiVersion  string                          omit
  kind        string                          omit
  metadata    ObjectMeta                      always
  spec        CustomResourceDefinitionSpec    required always
  status      CustomResourceDefinitionStatus  always
)";

}  // namespace capstan::testing::server
