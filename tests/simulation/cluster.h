#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/client/client.h>

#include "scenarios/view.h"

namespace capstan::simulation {

using scenarios::Deployment;
using scenarios::Pod;
using scenarios::ReplicaSet;

// The workloads of a namespace at one moment, as stored by the server. Empty when the server cannot
// be read.
class Cluster {
 public:
  Cluster(const Client& client, std::string_view namespace_name);

  const std::vector<std::shared_ptr<const Deployment>>& deployments() const { return deployments_; }
  const std::vector<std::shared_ptr<const ReplicaSet>>& replica_sets() const {
    return replica_sets_;
  }
  const std::vector<std::shared_ptr<const Pod>>& pods() const { return pods_; }

  // Null when there is no such object.
  const Deployment* DeploymentNamed(std::string_view name) const;
  const ReplicaSet* ReplicaSetNamed(std::string_view name) const;
  const Pod* PodNamed(std::string_view name) const;
  const Deployment* OwnerOf(const ReplicaSet& replica_set) const;
  const ReplicaSet* OwnerOf(const Pod& pod) const;

  // The sum of spec.replicas of the Deployment's ReplicaSets.
  int64_t ReplicasOf(const Deployment& deployment) const;
  int64_t CountPods(const ReplicaSet& replica_set,
                    const std::function<bool(const Pod&)>& counts) const;

  // The reason why the controllers still have work, or "".
  std::string Unfinished() const;
  // One line per object.
  std::string ToString() const;

 private:
  std::string Unfinished(const Deployment& deployment) const;
  std::string Unfinished(const ReplicaSet& replica_set) const;
  std::string Unfinished(const Pod& pod) const;

  std::vector<std::shared_ptr<const Deployment>> deployments_;
  std::vector<std::shared_ptr<const ReplicaSet>> replica_sets_;
  std::vector<std::shared_ptr<const Pod>> pods_;
};

}  // namespace capstan::simulation
