#pragma once

/// The state of a Kubelet and its two threads. One watches the pods (kubelet.cpp). The other runs
/// their due tasks, one request at a time (kubelet_work.cpp).

#include <capstan/testing/kubelet.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include <capstan/runtime/mutex.h>

#include "cluster/kubelet_pod.h"

namespace capstan::testing {
namespace kubelet {

/// The delay before a rejected request is retried.
inline constexpr Duration kRetryPeriod = std::chrono::milliseconds(100);

/// A task for a pod or node.
struct Task {
  enum class Kind : uint8_t {
    kRegisterNode,
    kNodeStatus,
    kSchedule,
    kWriteStatus,
    kBecomeReady,
    kCrash,
    kFinishDeletion,
  };
  Kind kind;
  NamespacedName name;
  Uid uid = {};
};

/// The request of a task. Prepare returns no order for an outdated task.
struct Order {
  Task::Kind kind;
  std::string body;
  std::string node;
};

}  // namespace kubelet

struct Kubelet::Impl {
  using Task = kubelet::Task;
  using Order = kubelet::Order;
  using Pod = kubelet::Pod;
  using PodRecord = kubelet::PodRecord;

  Impl(Client client, Runtime& runtime, KubeletOptions options);
  ~Impl();

  /// The watching thread.
  void Watch();
  Status List();
  Status Follow();
  void Look(const Pod& pod) CAPSTAN_EXCLUDES(mutex);
  void Forget(const NamespacedName& name) CAPSTAN_EXCLUDES(mutex);
  bool Contradicts(const Pod& pod) CAPSTAN_EXCLUDES(mutex);
  void RepeatStatus(const Pod& pod) CAPSTAN_EXCLUDES(mutex);
  PodBehaviour BehaviourOf(const Pod& pod) CAPSTAN_EXCLUDES(mutex);
  void Begin(const NamespacedName& name, PodRecord& record, const Pod& pod) CAPSTAN_REQUIRES(mutex);
  void BeginDeletion(const NamespacedName& name, PodRecord& record) CAPSTAN_REQUIRES(mutex);

  /// The working thread.
  void Work();
  std::optional<Task> AwaitTask(const std::stop_token& stop) CAPSTAN_EXCLUDES(mutex);
  std::optional<Order> Prepare(const Task& task) CAPSTAN_REQUIRES(mutex);
  std::optional<Order> PrepareBinding(const Task& task, PodRecord& record) CAPSTAN_REQUIRES(mutex);
  Order StatusOrder(PodRecord& record) CAPSTAN_REQUIRES(mutex);
  Status Send(const Task& task, const Order& order) const;
  void Conclude(const Task& task, const Order& order, const Status& status) CAPSTAN_EXCLUDES(mutex);
  void Start(const NamespacedName& name, PodRecord& record) CAPSTAN_REQUIRES(mutex);

  void Schedule(Duration delay, Task task) CAPSTAN_REQUIRES(mutex);
  PodRecord* Find(const NamespacedName& name) CAPSTAN_REQUIRES(mutex);
  int NumberOf(const std::string& node) const;
  api::Time Now() const { return api::Time(runtime.clock().Now()); }

  Runtime& runtime;
  const KubeletOptions options;
  std::stop_source stop;
  const Client client;
  std::string resource_version;  ///< used by the watching thread; "" = a list is needed
  bool listed = false;           ///< used by the watching thread: whether it has listed the pods

  const std::unique_ptr<Condition> due = runtime.NewCondition();
  Mutex mutex;
  PodBehaviour behaviour CAPSTAN_GUARDED_BY(mutex);
  std::function<PodBehaviour(const NamespacedName& pod)> choose CAPSTAN_GUARDED_BY(mutex);
  std::map<NamespacedName, PodRecord> pods CAPSTAN_GUARDED_BY(mutex);
  int numbers CAPSTAN_GUARDED_BY(mutex) = 0;
  std::map<std::string, int> load CAPSTAN_GUARDED_BY(mutex);  ///< pods by node
  std::set<std::string> lost CAPSTAN_GUARDED_BY(mutex);
  std::multimap<MonotonicTime, Task> tasks CAPSTAN_GUARDED_BY(mutex);
  /// Tasks of pods on lost nodes, or of pods without any available node.
  std::vector<Task> parked CAPSTAN_GUARDED_BY(mutex);

  std::unique_ptr<Thread> worker;
  std::unique_ptr<Thread> watcher;
};

}  // namespace capstan::testing
