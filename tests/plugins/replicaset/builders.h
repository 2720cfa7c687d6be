#pragma once

// Objects for the tests of this folder.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/start_time.h"
#include "replicaset/types.h"

namespace capstan::replicaset {

inline constexpr std::string_view kSetUid = "22222222-0000-4000-8000-000000000001";

inline api::OwnerReference OwnerOf(std::string_view name, const Uid& uid) {
  return {.apiVersion = "apps/v1",
          .kind = "ReplicaSet",
          .name = InternedString(name),
          .uid = uid,
          .controller = true,
          .blockOwnerDeletion = true};
}

inline ReplicaSet SetOf(int32_t replicas) {
  ReplicaSet set;
  set.metadata.name = "web";
  set.metadata.namespace_ = "default";
  set.metadata.uid = Uid(kSetUid);
  set.metadata.resourceVersion = "100";
  set.metadata.generation = 1;
  set.spec.replicas = replicas;
  set.spec.selector.matchLabels = {{"app", "web"}};
  set.spec.template_ =
      RawJson::Parse(
          R"({"metadata":{"labels":{"app":"web","tier":"front"},"annotations":{"a":"b"},)"
          R"("finalizers":["example.dev/one","example.dev/two"]},)"
          R"("spec":{"containers":[{"name":"c","image":"v1"}]}})")
          .value();
  return set;
}

// A running pod of the ReplicaSet of SetOf that has been ready for an hour.
inline Pod PodOf(std::string_view name) {
  Pod pod;
  pod.metadata.name = std::string(name);
  pod.metadata.namespace_ = "default";
  pod.metadata.uid = Uid("uid-" + std::string(name));
  pod.metadata.labels = {{"app", "web"}, {"tier", "front"}};
  pod.metadata.creationTimestamp = TimeAt(-3'600);
  pod.metadata.ownerReferences = {OwnerOf("web", Uid(kSetUid))};
  pod.spec.nodeName = "node-" + std::string(name);
  pod.status.phase = "Running";
  pod.status.conditions = {
      {.type = "Ready", .status = "True", .lastTransitionTime = TimeAt(-3'600)}};
  return pod;
}

inline api::core::v1::ContainerStatus StatusOf(std::string_view container, int32_t restarts) {
  api::core::v1::ContainerStatus status;
  status.restartCount = restarts;
  status.extras.Edit().name = container;
  return status;
}

inline void AddSidecar(Pod& pod, std::string_view name, int32_t restarts) {
  api::core::v1::Container& container = pod.spec.extras.Edit().initContainers.emplace_back();
  container.name = name;
  container.restartPolicy = "Always";
  pod.status.extras.Edit().initContainerStatuses.push_back(StatusOf(name, restarts));
}

inline PodPtr Share(Pod pod) { return std::make_shared<Pod>(std::move(pod)); }

inline std::vector<std::string> NamesOf(const std::vector<PodPtr>& pods) {
  std::vector<std::string> names;
  for (const PodPtr& pod : pods) names.push_back(pod->metadata.name);
  return names;
}

}  // namespace capstan::replicaset
