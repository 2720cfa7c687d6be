#pragma once

/// Collects the data that explains a Deployment, from the cache or from the API server only.

#include <memory>
#include <vector>

#include <capstan/controller.h>

#include "plan.h"
#include "sync_failures.h"
#include "types.h"

namespace capstan::deployment {

/// Deployments and ReplicaSets are read from the cache, ReplicaSets with their pending statuses,
/// because the controller acts on this state. Pods are read from the API server, and only for one
/// Deployment at a time.
class DeploymentExplainer final : public Explainer {
 public:
  DeploymentExplainer(PluginContext& context, std::shared_ptr<const SyncFailures> failures);

  Result<Explanation> Explain(const NamespacedName& name, const Client& client) override;
  std::vector<ExplainedObject> Unsettled() override;

 private:
  Snapshot CachedSnapshot(const Deployment& deployment, WallTime now) const;

  const Clock& clock_;
  const std::shared_ptr<const SyncFailures> failures_;
  const Lister<Deployment> deployments_;
  const Lister<ReplicaSet> sets_;
  const PendingStatuses<ReplicaSet> pending_statuses_;
  const Lister<api::core::v1::Pod> pods_;
};

/// For a caller without a cache. Requires `get` on deployments and `list` on replicasets. Without
/// `list` on pods the explanation says so and is less detailed.
Result<Explanation> ExplainFromApi(const Client& client, const NamespacedName& name, WallTime now);

}  // namespace capstan::deployment
