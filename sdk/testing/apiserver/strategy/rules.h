#pragma once

// The rules of the built-in kinds, as BuiltInResources hands them out.

#include <memory>
#include <string>
#include <vector>

#include "apiserver/schema/resource.h"

namespace capstan::testing::server {

using RulesPtr = std::shared_ptr<const ResourceRules>;

RulesPtr BindingRules();
RulesPtr ConfigMapRules();
RulesPtr DefinitionRules();
RulesPtr DeploymentRules();
RulesPtr EventRules(bool legacy);  // of core/v1, or of events.k8s.io/v1
RulesPtr LeaseRules();
RulesPtr NamespaceRules();
RulesPtr NodeRules();
RulesPtr PodRules();
RulesPtr ReplicaSetRules();
RulesPtr SecretRules();
RulesPtr ServiceAccountRules();
RulesPtr ServiceRules();

struct CustomResourceTraits {
  std::shared_ptr<const json::Value> schema;  // openAPIV3Schema, or null
  bool has_status = false;
  std::vector<std::string> selectable_fields;  // ".spec.color"
  std::string scale_path;                      // ".spec.replicas" with a scale, else ""
  std::string status_scale_path;               // ".status.replicas", as above
};
RulesPtr CustomResourceRules(CustomResourceTraits traits);

}  // namespace capstan::testing::server
