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

// The workloads of a namespace, as the server has them at one moment. Empty when it cannot say.
class Cluster {
 public:
  Cluster(const Client& client, std::string_view namespace_name);

  const std::vector<std::shared_ptr<const Deployment>>& deployments() const { return deployments_; }
  const std::vector<std::shared_ptr<const ReplicaSet>>& replica_sets() const {
    return replica_sets_;
  }
  const std::vector<std::shared_ptr<const Pod>>& pods() const { return pods_; }

  // Null when there is none.
  const Deployment* DeploymentNamed(std::string_view name) const;
  const ReplicaSet* ReplicaSetNamed(std::string_view name) const;
  const Pod* PodNamed(std::string_view name) const;
  const Deployment* OwnerOf(const ReplicaSet& replica_set) const;
  const ReplicaSet* OwnerOf(const Pod& pod) const;

  // The sum of spec.replicas of its ReplicaSets.
  int64_t ReplicasOf(const Deployment& deployment) const;
  int64_t CountPods(const ReplicaSet& replica_set,
                    const std::function<bool(const Pod&)>& counts) const;

  // Why the controllers still have something to do, or "".
  std::string Unfinished() const;
  // A line an object.
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
