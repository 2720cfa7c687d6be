#pragma once

/// DetailedPod: a pod with the fields that explain why it is not available.
///
/// The cached Pod omits these texts, because the cache holds every pod of the cluster. A
/// DetailedPod is read from the API server on request.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/api/meta_v1.h>

namespace capstan::deployment {

struct PodConditionDetail {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
  api::Time lastTransitionTime;
};

struct ContainerWaiting {
  std::string reason;
  std::string message;
};
struct ContainerRunning {
  api::Time startedAt;
};
struct ContainerTerminated {
  int32_t exitCode = 0;
  std::string reason;
  std::string message;
  api::Time finishedAt;
};

/// At most one member is set.
struct ContainerState {
  std::optional<ContainerWaiting> waiting;
  std::optional<ContainerRunning> running;
  std::optional<ContainerTerminated> terminated;
};

struct ContainerDetail {
  std::string name;
  bool ready = false;
  std::optional<bool> started;
  int32_t restartCount = 0;
  ContainerState state;
  ContainerState lastState;
};

struct DetailedPodSpec {
  std::string nodeName;
};

struct DetailedPodStatus {
  std::string phase;
  std::string reason;
  std::string message;
  List<PodConditionDetail> conditions;
  List<ContainerDetail> containerStatuses;
  List<ContainerDetail> initContainerStatuses;
};

struct DetailedPod {
  api::ObjectMeta metadata;
  DetailedPodSpec spec;
  DetailedPodStatus status;
};

using DetailedPods = std::vector<std::shared_ptr<const DetailedPod>>;

}  // namespace capstan::deployment

CAPSTAN_DECLARE_TYPE(capstan::deployment::PodConditionDetail)
CAPSTAN_DECLARE_TYPE(capstan::deployment::ContainerWaiting)
CAPSTAN_DECLARE_TYPE(capstan::deployment::ContainerRunning)
CAPSTAN_DECLARE_TYPE(capstan::deployment::ContainerTerminated)
CAPSTAN_DECLARE_TYPE(capstan::deployment::ContainerState)
CAPSTAN_DECLARE_TYPE(capstan::deployment::ContainerDetail)
CAPSTAN_DECLARE_TYPE(capstan::deployment::DetailedPodSpec)
CAPSTAN_DECLARE_TYPE(capstan::deployment::DetailedPodStatus)
CAPSTAN_DECLARE_RESOURCE(capstan::deployment::DetailedPod)
