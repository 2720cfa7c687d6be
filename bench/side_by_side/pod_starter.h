#pragma once

/// PodStarter: stands in for the kubelets. It makes each pod Running and Ready once, `ready_after`
/// its creation has been seen, also when its watch is begun again. Nothing schedules the pods, so
/// the server removes a deleted one at once.
///
/// It reads the pods' metadata only, in an encoding that no manager asks for: the server encodes an
/// event once for all watches of one encoding, so a manager would get for nothing what this one
/// asked for.
///
/// Threads: all methods may be called from any thread. It runs one thread that watches and several
/// that patch.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <capstan/api/meta_v1.h>
#include <capstan/client/client.h>

#include "bench/side_by_side/follower.h"

namespace capstan::bench {

struct PodMetadata {
  api::ObjectMeta metadata;
};

}  // namespace capstan::bench

CAPSTAN_DECLARE_RESOURCE(capstan::bench::PodMetadata)

namespace capstan::bench {

class PodStarter {
 public:
  struct Options {
    std::string namespace_name = "default";
    std::chrono::milliseconds ready_after{0};
  };
  PodStarter(const Client& client, Options options);
  ~PodStarter();
  PodStarter(const PodStarter&) = delete;
  PodStarter& operator=(const PodStarter&) = delete;

  /// From now on, pods that start are bound to a node first. They then outlive their deletion, as
  /// no kubelet confirms it.
  void BindPods() { binds_ = true; }

  /// Whether there are this many pods and all of them have been made Ready.
  bool HasReadyPods(size_t count) const;

 private:
  using Moment = std::chrono::steady_clock::time_point;
  enum class State { kStarting, kReady };

  void See(const PodMetadata& pod);
  void Forget(const std::string& name);
  void Work();
  // Waits until a pod is due. Returns false when the starter ends.
  bool AwaitDue(std::unique_lock<std::mutex>& lock);
  void Start(const std::string& name);

  const Client client_;
  const Options options_;
  std::atomic<bool> binds_ = false;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::multimap<Moment, std::string> due_;
  std::map<std::string, State> pods_;  // the pods that exist
  bool stopped_ = false;
  std::vector<std::thread> workers_;
  std::unique_ptr<Follower<PodMetadata>> follower_;
};

}  // namespace capstan::bench
