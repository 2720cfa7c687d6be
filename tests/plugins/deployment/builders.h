#pragma once

// Objects for the tests of this folder.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/controller/conditions.h>

#include "deployment/plan.h"
#include "deployment/scale_plan.h"
#include "deployment/types.h"
#include "plugins/start_time.h"

namespace capstan::deployment {

inline RawJson TemplateOf(std::string_view image) {
  const std::string json =
      R"({"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c",)"
      R"("image":")" +
      std::string(image) + R"("}]}})";
  return RawJson::Parse(json).value();
}

inline Deployment DeploymentOf(int32_t replicas, std::string_view image = "v1") {
  Deployment deployment;
  deployment.metadata.name = "web";
  deployment.metadata.namespace_ = "default";
  deployment.metadata.uid = "11111111-0000-4000-8000-000000000001";
  deployment.metadata.resourceVersion = "100";
  deployment.metadata.generation = 1;
  deployment.spec.replicas = replicas;
  deployment.spec.selector.matchLabels = {{"app", "web"}};
  deployment.spec.template_ = TemplateOf(image);
  deployment.spec.strategy.type = "RollingUpdate";
  deployment.spec.strategy.rollingUpdate = api::apps::v1::RollingUpdateDeployment{
      .maxUnavailable = api::IntOrString("25%"), .maxSurge = api::IntOrString("25%")};
  deployment.spec.revisionHistoryLimit = 10;
  deployment.spec.progressDeadlineSeconds = 600;
  return deployment;
}

inline void SetLimits(Deployment& deployment, api::IntOrString surge,
                      api::IntOrString unavailable) {
  deployment.spec.strategy.rollingUpdate->maxSurge = std::move(surge);
  deployment.spec.strategy.rollingUpdate->maxUnavailable = std::move(unavailable);
}

// An observed ReplicaSet with all its pods, `available` of which are available.
inline ReplicaSet SetOf(std::string_view name, std::string_view image, int32_t replicas,
                        int32_t available, int64_t created = 0) {
  ReplicaSet set;
  set.metadata.name = std::string(name);
  set.metadata.namespace_ = "default";
  set.metadata.uid = Uid("uid-of-" + std::string(name));
  set.metadata.resourceVersion = "200";
  set.metadata.generation = 1;
  set.metadata.creationTimestamp = TimeAt(created - 10'000);
  set.metadata.labels = {{"app", "web"}, {"pod-template-hash", name}};
  set.spec.replicas = replicas;
  set.spec.template_ = TemplateOf(image).With(kPodTemplateHashPointer, RawJson::String(name));
  set.status.replicas = replicas;
  set.status.readyReplicas = available;
  set.status.availableReplicas = available;
  set.status.terminatingReplicas = 0;
  set.status.observedGeneration = 1;
  return set;
}

inline void SetRevision(ReplicaSet& set, std::string_view revision) {
  set.metadata.annotations.Set(kRevisionAnnotation, revision);
}

// Adds the annotations of a ReplicaSet that was scaled by the Deployment.
inline ReplicaSet SizedFor(const Deployment& deployment, ReplicaSet set,
                           std::string_view revision = "1") {
  SetReplicasAnnotations(deployment, set.metadata.annotations);
  SetRevision(set, revision);
  return set;
}

inline ReplicaSetPtr Share(ReplicaSet set) { return std::make_shared<ReplicaSet>(std::move(set)); }

inline Result<Plan> PlanOf(const Deployment& deployment, const std::vector<ReplicaSet>& sets,
                           WallTime now = At(0)) {
  Snapshot snapshot{.deployment = deployment, .sets = {}, .now = now};
  for (const ReplicaSet& set : sets) snapshot.sets.push_back({.set = Share(set)});
  return MakePlan(snapshot);
}

inline const ReplicaSetUpdate* UpdateOf(const Plan& plan, std::string_view name) {
  for (const ReplicaSetUpdate& update : plan.updates) {
    if (update.after.metadata.name == name) return &update;
  }
  return nullptr;
}

}  // namespace capstan::deployment
