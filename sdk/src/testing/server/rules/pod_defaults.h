#pragma once

// Defaults of pods that depend on other fields.

#include "json/value.h"

namespace capstan::testing::server {

// Of a pod's spec and of a template's.
void DefaultPodSpec(json::Value& spec);
// Of pods alone: requests, links to services, and what admission adds to each pod (priority,
// tolerations of nodes that are lost for five minutes).
void DefaultPodOnly(json::Value& spec);

// "Guaranteed", "Burstable" or "BestEffort".
// https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/
std::string_view QosClassOf(const json::Value& pod_spec);

}  // namespace capstan::testing::server
