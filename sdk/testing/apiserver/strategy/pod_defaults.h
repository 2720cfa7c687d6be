#pragma once

/// Defaults of pods that depend on other fields.

#include "json/value.h"

namespace capstan::testing::server {

/// Sets the defaults of the specs of pods and pod templates.
void DefaultPodSpec(json::Value& spec);
/// Sets the defaults of pods only: requests and enableServiceLinks. Also adds the tolerations that
/// admission adds to each create and update: five minutes for nodes that are not ready or
/// unreachable.
void DefaultPodOnly(json::Value& spec);

/// The priority admission plugin (plugin/pkg/admission/priority). AdmitPriority sets the defaults
/// of a new pod without a priority class. KeepPriority restores the fields that an update left out.
void AdmitPriority(json::Value& spec);
void KeepPriority(json::Value& spec, const json::Value& before);

/// Returns "Guaranteed", "Burstable" or "BestEffort".
/// https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/
std::string_view QosClassOf(const json::Value& pod_spec);

}  // namespace capstan::testing::server
