#pragma once

// Defaults of pods that depend on other fields.

#include "json/value.h"

namespace capstan::testing::server {

// Of a pod's spec and of a template's.
void DefaultPodSpec(json::Value& spec);
// Of pods alone: requests, links to services, and what admission adds to each pod, also when it is
// updated: tolerations of nodes that are lost for five minutes.
void DefaultPodOnly(json::Value& spec);

// What admission says of the priority of a new pod without a class, and of one that is updated:
// what was left out is as before, even if it was not there.
// (plugin/pkg/admission/priority)
void AdmitPriority(json::Value& spec);
void KeepPriority(json::Value& spec, const json::Value& before);

// "Guaranteed", "Burstable" or "BestEffort".
// https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/
std::string_view QosClassOf(const json::Value& pod_spec);

}  // namespace capstan::testing::server
