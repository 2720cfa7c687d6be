#include "detailed_pod.h"

CAPSTAN_DEFINE_TYPE(capstan::deployment::PodConditionDetail, CAPSTAN_FIELD(type),
                    CAPSTAN_FIELD(status), CAPSTAN_FIELD(reason), CAPSTAN_FIELD(message),
                    CAPSTAN_FIELD(lastTransitionTime))

CAPSTAN_DEFINE_TYPE(capstan::deployment::ContainerWaiting, CAPSTAN_FIELD(reason),
                    CAPSTAN_FIELD(message))

CAPSTAN_DEFINE_TYPE(capstan::deployment::ContainerRunning, CAPSTAN_FIELD(startedAt))

CAPSTAN_DEFINE_TYPE(capstan::deployment::ContainerTerminated, CAPSTAN_FIELD(exitCode),
                    CAPSTAN_FIELD(reason), CAPSTAN_FIELD(message), CAPSTAN_FIELD(finishedAt))

CAPSTAN_DEFINE_TYPE(capstan::deployment::ContainerState, CAPSTAN_FIELD(waiting),
                    CAPSTAN_FIELD(running), CAPSTAN_FIELD(terminated))

CAPSTAN_DEFINE_TYPE(capstan::deployment::ContainerDetail, CAPSTAN_FIELD(name), CAPSTAN_FIELD(ready),
                    CAPSTAN_FIELD(started), CAPSTAN_FIELD(restartCount), CAPSTAN_FIELD(state),
                    CAPSTAN_FIELD(lastState))

CAPSTAN_DEFINE_TYPE(capstan::deployment::DetailedPodSpec, CAPSTAN_FIELD(nodeName))

CAPSTAN_DEFINE_TYPE(capstan::deployment::DetailedPodStatus, CAPSTAN_FIELD(phase),
                    CAPSTAN_FIELD(reason), CAPSTAN_FIELD(message), CAPSTAN_FIELD(conditions),
                    CAPSTAN_FIELD(containerStatuses), CAPSTAN_FIELD(initContainerStatuses))

CAPSTAN_DEFINE_RESOURCE(capstan::deployment::DetailedPod,
                        (.group = "", .version = "v1", .resource = "pods", .kind = "Pod",
                         .namespaced = true),
                        CAPSTAN_FIELD(metadata), CAPSTAN_FIELD(spec), CAPSTAN_FIELD(status))
