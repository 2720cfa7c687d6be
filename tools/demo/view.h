#pragma once

/// The observable state of one Deployment, kept up to date by informers.

#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include <capstan/api/apps_v1.h>
#include <capstan/api/coordination_v1.h>
#include <capstan/api/core_v1.h>
#include <capstan/cache/shared_informer.h>
#include <capstan/client/client.h>
#include <capstan/runtime/mutex.h>

namespace capstan::demo {

struct ReplicaSetRow {
  std::string name;
  std::string revision;
  std::string image;
  int64_t wanted = 0;
  int64_t pods = 0;  // existing pods, terminating ones included
  int64_t ready = 0;
  friend bool operator==(const ReplicaSetRow&, const ReplicaSetRow&) = default;
};

struct Scene {
  int64_t replicas = 0;
  bool complete = false;                 // whether the rollout of the newest generation is complete
  std::vector<ReplicaSetRow> rows = {};  // by revision
  size_t pods_created = 0;               // since the start
  std::string holder = {};               // holder of the lease
  friend bool operator==(const Scene&, const Scene&) = default;
};

class View {
 public:
  View(const Client& client, NamespacedName deployment, NamespacedName lease);
  ~View();

  Status Start(const std::stop_token& stop);
  Scene Now() const;
  /// Waits for a change, at most for `limit`.
  void AwaitChange(Duration limit, const std::stop_token& stop);

 private:
  void Notice();

  const NamespacedName deployment_name_, lease_name_;
  SharedInformerFactory informers_;
  std::vector<std::shared_ptr<void>> registrations_;
  const Lister<api::apps::v1::Deployment> deployments_;
  const Lister<api::apps::v1::ReplicaSet> replica_sets_;
  const Lister<api::core::v1::Pod> pods_;
  const Lister<api::coordination::v1::Lease> leases_;

  const std::unique_ptr<Condition> changed_;
  mutable Mutex mutex_;
  bool news_ CAPSTAN_GUARDED_BY(mutex_) = false;
  std::set<Uid> pods_seen_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::demo
