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

// Whether a pod neither ends nor has ended.
bool IsActive(const Pod& pod);
bool IsReady(const Pod& pod);
inline bool IsReadyAndActive(const Pod& pod) { return IsActive(pod) && IsReady(pod); }

// A namespace that holds one Deployment, as it is at one moment of the API server's history. The
// three kinds are watched apart: each is exact, but they may be some milliseconds apart.
struct View {
  std::shared_ptr<const Deployment> deployment;  // may be null
  std::vector<std::shared_ptr<const ReplicaSet>> replica_sets;
  std::vector<std::shared_ptr<const Pod>> pods;

  // Sum of the ReplicaSets' spec.replicas.
  int64_t SpecReplicas() const;
  // Pods that neither end nor have ended; pods that are Ready besides.
  int64_t ActivePods() const;
  int64_t AvailablePods() const;
  // The pod-template-hash of each pod that exists, ending ones included.
  std::set<std::string> PodHashes() const;
  std::set<std::string> PodNames() const;
  // All there is to say about it, a line an object.
  std::string ToString() const;
};

// True when nothing is left to do: the status is about the newest generation, one ReplicaSet has
// all replicas, and exactly that many pods exist and are available.
bool IsComplete(const View& view, int64_t replicas);

}  // namespace capstan::scenarios
