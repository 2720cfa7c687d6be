#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include <capstan/client/client.h>
#include <capstan/runtime/mutex.h>
#include <capstan/runtime/runtime.h>

#include "scenarios/watcher.h"

namespace capstan::e2e {

// Does the work of kube-controller-manager's garbage collector for the Deployments, ReplicaSets and
// pods of one namespace, on a kube-apiserver without one.
class GarbageCollector {
 public:
  GarbageCollector(const Client& client, std::string namespace_name);
  ~GarbageCollector();
  GarbageCollector(const GarbageCollector&) = delete;
  GarbageCollector& operator=(const GarbageCollector&) = delete;

 private:
  struct Item {
    const TypeDescriptor* type;
    NamespacedName name;
    ObjectPtr object;
  };
  using Items = std::map<Uid, Item>;

  void Watch(const TypeDescriptor& type);
  void Run();
  void Collect(const Items& items) const;
  void CollectDependent(const Items& items, const Item& item) const;
  // Finishes a foreground deletion or an orphaning one.
  void FinishDeletion(const Items& items, const Item& item) const;
  void Patch(const Item& item, const std::string& merge_patch) const;

  const std::string namespace_;
  std::stop_source stop_;
  const Client client_;
  const std::unique_ptr<Condition> changed_ = SystemRuntime().NewCondition();
  Mutex mutex_;
  std::map<const TypeDescriptor*, scenarios::Objects> objects_ CAPSTAN_GUARDED_BY(mutex_);
  bool has_changed_ CAPSTAN_GUARDED_BY(mutex_) = false;
  std::unique_ptr<Thread> thread_;
  // declared last, so they are destroyed first
  std::vector<std::unique_ptr<scenarios::Watcher>> watchers_;
};

}  // namespace capstan::e2e
