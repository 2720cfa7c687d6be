#pragma once

/// The common names of this plugin's plans: the API types and string constants.

#include <memory>
#include <string_view>
#include <vector>

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>
#include <capstan/controller/pods.h>
#include <capstan/controller/replicas.h>
#include <capstan/runtime/clock.h>

namespace capstan::replicaset {

using api::Time;
using api::apps::v1::ReplicaSet;
using api::apps::v1::ReplicaSetStatus;
using api::core::v1::Pod;
using Condition = api::apps::v1::ReplicaSetCondition;
using ReplicaSetPtr = std::shared_ptr<const ReplicaSet>;
using PodPtr = std::shared_ptr<const Pod>;

inline constexpr std::string_view kReplicaFailure = "ReplicaFailure";
inline constexpr std::string_view kPodDeletionCostAnnotation =
    "controller.kubernetes.io/pod-deletion-cost";

}  // namespace capstan::replicaset
