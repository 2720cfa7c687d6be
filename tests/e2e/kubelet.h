#pragma once

#include <capstan/api/core_v1.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "watcher.h"

namespace capstan::e2e {

// What becomes of pods that start from now on.
struct PodBehaviour {
  std::optional<Duration> ready_after = Duration(0);  // nothing = never ready
  Duration gone_after = Duration(0);                  // from the deletion on
};

// The stand-in for the scheduler and the kubelet: it binds every pod to one node, makes it Running
// and Ready, and finishes its deletion. (The API server itself removes a pod at once that is
// deleted before it is bound.)
class Kubelet {
 public:
  explicit Kubelet(const Client& client);
  ~Kubelet();
  Kubelet(const Kubelet&) = delete;
  Kubelet& operator=(const Kubelet&) = delete;

  // From any thread.
  void Behave(const PodBehaviour& behaviour);

 private:
  struct Task {
    NamespacedName pod;
    Uid uid;
    Status (Kubelet::*act)(const NamespacedName& pod, const Uid& uid);
  };

  void Look(const Objects& pods);
  void Schedule(Duration delay, Task task) CAPSTAN_REQUIRES(mutex_);
  void Run();

  Status Bind(const NamespacedName& pod, const Uid& uid);
  Status MakeReady(const NamespacedName& pod, const Uid& uid);
  Status FinishDeletion(const NamespacedName& pod, const Uid& uid);

  std::stop_source stop_;
  Client client_;
  std::unique_ptr<Condition> due_ = SystemRuntime().NewCondition();
  Mutex mutex_;
  PodBehaviour behaviour_ CAPSTAN_GUARDED_BY(mutex_);
  std::multimap<MonotonicTime, Task> tasks_ CAPSTAN_GUARDED_BY(mutex_);
  std::set<Uid> started_ CAPSTAN_GUARDED_BY(mutex_);
  std::set<Uid> ending_ CAPSTAN_GUARDED_BY(mutex_);
  std::unique_ptr<Thread> thread_;
  std::optional<Watcher> watcher_;  // last: it is the first to go
};

}  // namespace capstan::e2e
