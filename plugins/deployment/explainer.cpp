#include "explainer.h"

#include <algorithm>
#include <utility>

#include "blocking_plan.h"
#include "detailed_pod.h"
#include "wake.h"

namespace capstan::deployment {
namespace {

constexpr int64_t kPageSize = 250;
constexpr size_t kMostPods = 1000;

// Reads the first thousand pods that match the Deployment's selector. They are enough to find the
// causes.
Result<DetailedPods> ReadPods(const Client& client, const Deployment& deployment) {
  const Result<Selector> selector = Selector::From(deployment.spec.selector);
  if (!selector) return selector.status();
  ListOptions options{.label_selector = selector->ToString(), .limit = kPageSize};
  DetailedPods pods;
  do {
    const auto page =
        client.List(DescriptorOf<DetailedPod>(), deployment.metadata.namespace_.view(), options);
    if (!page) return page.status();
    for (const ObjectPtr& item : page->items) {
      pods.push_back(std::static_pointer_cast<const DetailedPod>(item));
    }
    options.continue_token = page->continue_token;
  } while (!options.continue_token.empty() && pods.size() < kMostPods);
  return pods;
}

bool IsOwned(const Deployment& deployment, const Result<Selector>& selector,
             const ReplicaSet& set) {
  return selector && selector->Matches(set.metadata.labels) &&
         api::IsControlledBy(set.metadata, deployment.metadata.uid);
}

// Diagnoses the Deployment. Reads the pods only if they add information.
Explanation DiagnoseWith(const Client& client, const Snapshot& snapshot) {
  Diagnosis diagnosis = Diagnose(snapshot, nullptr);
  if (!diagnosis.pods_have_details) return std::move(diagnosis.explanation);
  const Result<DetailedPods> pods = ReadPods(client, snapshot.deployment);
  if (pods) return Diagnose(snapshot, &*pods).explanation;
  diagnosis.explanation.notes.push_back("The pods could not be read: " + pods.status().message());
  return std::move(diagnosis.explanation);
}

bool HasUnfinishedPods(const ReplicaSet& set, const DetailedPods& pods) {
  return std::any_of(pods.begin(), pods.end(), [&](const auto& pod) {
    return api::IsControlledBy(pod->metadata, set.metadata.uid) && !IsFinished(*pod);
  });
}

// Without permission to read pods, the counts of the ReplicaSets must suffice.
void LookForOldPods(const Client& client, Snapshot& snapshot) {
  const Result<DetailedPods> pods = ReadPods(client, snapshot.deployment);
  if (!pods) return;
  for (OwnedSet& owned : snapshot.sets) {
    owned.has_unfinished_pods = HasUnfinishedPods(*owned.set, *pods);
  }
}

Snapshot SnapshotOf(const Deployment& deployment, const std::vector<ReplicaSetPtr>& candidates,
                    WallTime now) {
  Snapshot snapshot{.deployment = deployment, .sets = {}, .now = now};
  const Result<Selector> selector = Selector::From(deployment.spec.selector);
  for (const ReplicaSetPtr& set : candidates) {
    if (IsOwned(deployment, selector, *set)) snapshot.sets.push_back({.set = set});
  }
  return snapshot;
}

}  // namespace

DeploymentExplainer::DeploymentExplainer(PluginContext& context,
                                         std::shared_ptr<const SyncFailures> failures)
    : clock_(context.clock()),
      failures_(std::move(failures)),
      deployments_(context.ListerFor<Deployment>()),
      sets_(context.ListerFor<ReplicaSet>()),
      pending_statuses_(context.PendingStatusesOf<ReplicaSet>()),
      pods_(context.ListerFor<Pod>()) {}

Snapshot DeploymentExplainer::CachedSnapshot(const Deployment& deployment, WallTime now) const {
  Snapshot snapshot = SnapshotOf(deployment, sets_.OwnedBy(deployment.metadata.uid), now);
  for (OwnedSet& owned : snapshot.sets) {
    owned.set = pending_statuses_.Latest(owned.set);
    if (deployment.spec.strategy.type == "Recreate") {
      owned.has_unfinished_pods = deployment::HasUnfinishedPods(*owned.set, pods_);
    }
  }
  return snapshot;
}

Result<Explanation> DeploymentExplainer::Explain(const NamespacedName& name, const Client& client) {
  const auto deployment = deployments_.Get(name);
  if (!deployment) {
    return Status(StatusReason::kNotFound,
                  Format("there is no Deployment {} in namespace {}", name.name, name.namespace_));
  }
  Explanation explanation = DiagnoseWith(client, CachedSnapshot(*deployment, clock_.Now()));
  if (const auto failure = failures_->Find(name)) AddFailure(*failure, explanation);
  return explanation;
}

std::vector<ExplainedObject> DeploymentExplainer::Unsettled() {
  std::vector<ExplainedObject> unsettled;
  const WallTime now = clock_.Now();
  for (const auto& deployment : deployments_.List()) {
    const auto failure = failures_->Find(api::NameOf(deployment->metadata));
    if (!failure && IsPlainlySettled(*deployment)) continue;
    Explanation explanation = Diagnose(CachedSnapshot(*deployment, now), nullptr).explanation;
    if (failure) AddFailure(*failure, explanation);
    if (explanation.state == Explanation::State::kSettled) continue;
    unsettled.push_back({"Deployment", api::NameOf(deployment->metadata), std::move(explanation)});
  }
  return unsettled;
}

Result<Explanation> ExplainFromApi(const Client& client, const NamespacedName& name, WallTime now) {
  const auto deployment = client.Get<Deployment>(name);
  if (!deployment) return deployment.status();
  // List by label: the Deployment does not own a ReplicaSet that does not match its selector.
  const Result<Selector> selector = Selector::From((*deployment)->spec.selector);
  std::vector<ReplicaSetPtr> candidates;
  if (selector) {
    auto sets = client.ListAll<ReplicaSet>(name.namespace_,
                                           {.label_selector = selector->ToString(), .limit = 500});
    if (!sets) return sets.status();
    candidates = *std::move(sets);
  }
  Snapshot snapshot = SnapshotOf(**deployment, candidates, now);
  if ((*deployment)->spec.strategy.type == "Recreate") LookForOldPods(client, snapshot);
  return DiagnoseWith(client, snapshot);
}

}  // namespace capstan::deployment
