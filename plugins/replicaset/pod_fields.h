#pragma once

// The fields of pods that this plugin reads.

#include <string_view>

namespace capstan::replicaset {

inline constexpr std::string_view kPodFields[] = {
    "metadata.annotations[controller.kubernetes.io/pod-deletion-cost]",
    "spec.nodeName",
    "spec.initContainers[restartPolicy=Always].name",
    "status.phase",
    "status.conditions[type=Ready].status",
    "status.conditions[type=Ready].lastTransitionTime",
    "status.containerStatuses.restartCount",
    "status.initContainerStatuses.name",
    "status.initContainerStatuses.restartCount",
};

}  // namespace capstan::replicaset
