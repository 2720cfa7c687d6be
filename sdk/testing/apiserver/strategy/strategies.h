#pragma once

/// The strategies of the built-in kinds. kinds.cpp assigns them to kinds.

#include <memory>
#include <string>
#include <vector>

#include "apiserver/strategy/strategy.h"

namespace capstan::testing::server {

StrategyPtr AutoscalerStrategy();
StrategyPtr BindingStrategy();
StrategyPtr CertificateRequestStrategy();
StrategyPtr ConfigMapStrategy();
StrategyPtr ControllerRevisionStrategy();
StrategyPtr CronJobStrategy();
StrategyPtr DaemonSetStrategy();
StrategyPtr DefinitionStrategy();
StrategyPtr DeploymentStrategy();
StrategyPtr DisruptionBudgetStrategy();
StrategyPtr EndpointSliceStrategy();
StrategyPtr EndpointsStrategy();
StrategyPtr CoreEventStrategy();  ///< of core/v1
StrategyPtr EventStrategy();      ///< of events.k8s.io/v1
StrategyPtr JobStrategy();
StrategyPtr LeaseStrategy();
StrategyPtr LimitRangeStrategy();
StrategyPtr NamespaceStrategy();
StrategyPtr NodeStrategy();
StrategyPtr PodStrategy();
StrategyPtr ReplicaSetStrategy();
StrategyPtr ResourceQuotaStrategy();
StrategyPtr SecretStrategy();
StrategyPtr ServiceAccountStrategy();
StrategyPtr ServiceStrategy();
StrategyPtr StatefulSetStrategy();
StrategyPtr VolumeClaimStrategy();

struct CustomResourceTraits {
  std::shared_ptr<const json::Value> schema;  ///< openAPIV3Schema, or null
  bool has_status = false;
  std::vector<std::string> selectable_fields;  ///< ".spec.color"
  std::string scale_path;                      ///< ".spec.replicas"; "" without a scale subresource
  std::string status_scale_path;  ///< ".status.replicas"; "" without a scale subresource
};
StrategyPtr CustomResourceStrategy(CustomResourceTraits traits);

}  // namespace capstan::testing::server
