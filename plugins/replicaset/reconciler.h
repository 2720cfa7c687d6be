#pragma once

/// Keeps the number of a ReplicaSet's pods at spec.replicas, and its status up to date. Collects
/// the inputs of the plans and executes the plans.

#include <memory>
#include <vector>

#include <capstan/controller.h>

#include "batch.h"
#include "creation_backoff.h"
#include "types.h"

namespace capstan::replicaset {

class ReplicaSetReconciler : public Reconciler {
 public:
  /// `backoff` must observe all changes of pods. Null: no backoff.
  explicit ReplicaSetReconciler(PluginContext& context,
                                std::shared_ptr<const CreationBackoff> backoff = nullptr);

  Result<Action> Reconcile(const Request& request) override;

 private:
  struct OwnedPods {
    std::vector<PodPtr> active;
    int64_t terminating = 0;
  };

  Result<OwnedPods> ClaimPods(const ReplicaSet& set, const Selector& selector) const;
  std::vector<PodPtr> RelatedPods(const ReplicaSet& set) const;

  Status ManageReplicas(const ReplicaSet& set, const std::vector<PodPtr>& active, int64_t hold);
  Status CreatePods(const ReplicaSet& set, int64_t count);
  Status DeletePods(const ReplicaSet& set, const std::vector<PodPtr>& pods);
  Status DeletePod(const ReplicaSet& set, const Pod& pod);

  /// Publishes the status and writes it, unless the write should wait. Returns how long to wait
  /// before the next try, or zero.
  Result<Duration> Report(const ReplicaSetPtr& set, const api::apps::v1::ReplicaSetStatus& status,
                          bool is_managed);
  Status WriteStatus(const ReplicaSet& set, const api::apps::v1::ReplicaSetStatus& status);
  Result<ReplicaSetPtr> PatchStatus(const ReplicaSet& set,
                                    const api::apps::v1::ReplicaSetStatus& status);

  const Client client_;
  Runtime& runtime_;
  const Lister<ReplicaSet> sets_;
  const Lister<Pod> pods_;
  const EventRecorder events_;
  const std::shared_ptr<const CreationBackoff> backoff_;
  const Histogram deletion_age_ratio_;
  Callers callers_;
  WriteBudget status_budget_;
  StatusWriter<ReplicaSet> status_writer_;
  StatusPublisher<ReplicaSet> pending_statuses_;
};

}  // namespace capstan::replicaset
