#pragma once

/// The objects of the measurements: Deployments whose pods look like those of a real cluster (two
/// containers, about 10 KB of JSON each), and their rollouts.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include <capstan/api/apps_v1.h>
#include <capstan/client/client.h>

#include "bench/side_by_side/follower.h"

namespace capstan::bench {

/// "web-00042". All names have the same length.
std::string DeploymentName(int number);
/// `version` is part of the images.
std::string DeploymentJson(const std::string& name, int replicas, int version);
/// A strategic merge patch for the images.
std::string ImagePatch(int version);

/// A strategic merge patch of a pod's status: its containers run and are ready.
std::string ReadyPodPatch();
std::string BindingJson(const std::string& pod, const std::string& node);

/// The Deployments of a namespace as a watch shows them.
/// Threads: all methods may be called from any thread.
class DeploymentView {
 public:
  DeploymentView(const Client& client, std::string namespace_name);

  /// Waits until the status of each of these Deployments says, for this generation or a later one,
  /// that its rollout is complete with `replicas` pods, and `also` is true. Throws
  /// std::runtime_error after `limit`.
  void AwaitComplete(const std::map<std::string, int64_t>& generations, int replicas,
                     const std::function<bool()>& also, std::chrono::seconds limit);

 private:
  struct Progress {
    int64_t generation = 0;
    api::apps::v1::DeploymentStatus status;
  };
  static bool IsComplete(const Progress& progress, int64_t generation, int replicas);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Progress> deployments_;
  Follower<api::apps::v1::Deployment> follower_;  // last, as its thread uses the others
};

}  // namespace capstan::bench
