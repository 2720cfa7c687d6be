#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>

namespace capstan::scenarios {

using api::apps::v1::Deployment;
using api::apps::v1::ReplicaSet;
using api::core::v1::Pod;

// Whether a pod is neither terminating nor finished.
bool IsActive(const Pod& pod);
bool IsReady(const Pod& pod);
inline bool IsReadyAndActive(const Pod& pod) { return IsActive(pod) && IsReady(pod); }

// The state of a namespace with one Deployment at one moment. The three kinds are watched
// separately: each is exact, but they may be some milliseconds apart.
struct View {
  std::shared_ptr<const Deployment> deployment;  // may be null
  std::vector<std::shared_ptr<const ReplicaSet>> replica_sets;
  std::vector<std::shared_ptr<const Pod>> pods;

  // Sum of the ReplicaSets' spec.replicas.
  int64_t SpecReplicas() const;
  // Pods that are neither terminating nor finished, and those of them that are Ready.
  int64_t ActivePods() const;
  int64_t AvailablePods() const;
  // The pod-template-hash of each pod, including terminating pods.
  std::set<std::string> PodHashes() const;
  std::set<std::string> PodNames() const;
  // The full state, one line per object.
  std::string ToString() const;
};

// True when the rollout is complete: the status has the newest generation, one ReplicaSet has all
// replicas, and exactly that many pods exist and are available.
bool IsComplete(const View& view, int64_t replicas);

}  // namespace capstan::scenarios
