#pragma once

/// Keeps the number of a ReplicaSet's pods at spec.replicas, and its status true. Gathers what the
/// plans need and carries out what they say.

#include <memory>
#include <vector>

#include <capstan/controller.h>

#include "creation_backoff.h"
#include "types.h"

namespace capstan::replicaset {

class ReplicaSetReconciler : public Reconciler {
 public:
  /// `backoff` is told of all changes of pods; null for none.
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

  /// How long this status has to wait for the sake of others.
  Duration StatusWait(const ReplicaSet& set, const api::apps::v1::ReplicaSetStatus& status);
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
  StatusBudget status_budget_;
  StatusWriter<ReplicaSet> status_writer_;
};

}  // namespace capstan::replicaset
