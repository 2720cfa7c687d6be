#include "reconciler.h"

#include <algorithm>
#include <string>
#include <utility>

#include "deletion_age.h"
#include "plan.h"
#include "status_plan.h"

namespace capstan::replicaset {
namespace {

// While there are many, a status is written when its ReplicaSet has come to rest. The Deployment
// controller does not wait for it, because it is published.
constexpr WriteBudget::Options kStatusBudget{.per_second = 5,
                                             .burst = 20,
                                             .settle = std::chrono::seconds(5),
                                             .wait = std::chrono::seconds(10)};
// A status that is written at once is shown by the written object, unless the write takes longer
// than this.
constexpr Duration kWriteTakes = std::chrono::milliseconds(50);
// The pods of a ReplicaSet are not managed while its status is written.
constexpr Duration kSlowWrite = std::chrono::seconds(1);

}  // namespace

ReplicaSetReconciler::ReplicaSetReconciler(PluginContext& context,
                                           std::shared_ptr<const CreationBackoff> backoff)
    : client_(context.client()),
      runtime_(context.runtime()),
      sets_(context.ListerFor<ReplicaSet>()),
      pods_(context.ListerFor<Pod>()),
      events_(context.EventRecorder("replicaset-controller")),
      backoff_(std::move(backoff)),
      deletion_age_ratio_(
          context.metrics().NewHistogram("replicaset_controller_sorting_deletion_age_ratio",
                                         "Age of a ready pod chosen for deletion, divided by the "
                                         "age of the youngest ready pod. Should be below 2.",
                                         ExponentialBuckets(0.25, 2, 6))),
      callers_(context.runtime()),
      status_budget_(context.clock(), kStatusBudget),
      // Some servers, e.g. 1.34, do not know this field.
      status_writer_(context.client(), {&ReplicaSetStatus::terminatingReplicas}),
      pending_statuses_(context.NewStatusPublisher<ReplicaSet>()) {}

Result<Action> ReplicaSetReconciler::Reconcile(const Request& request) {
  const ReplicaSetPtr set = sets_.Get(request.name);
  if (!set) return Action::AwaitChange();
  const Result<Selector> selector = Selector::From(set->spec.selector);
  if (!selector) return Status::Terminal("spec.selector: " + selector.status().message());

  Result<OwnedPods> pods = ClaimPods(*set, *selector);
  if (!pods) return pods.status();

  const Hold hold = backoff_ ? backoff_->HoldFor(set->metadata.uid) : Hold();
  Status managed;
  if (!set->metadata.deletionTimestamp) managed = ManageReplicas(*set, pods->active, hold.pods);
  // The write was not permitted. This is not a failure to report.
  if (managed.IsCanceled()) return managed;

  const WallTime now = runtime_.clock().Now();
  std::optional<std::string> failure;
  if (!managed.ok()) failure = managed.message();
  const ReplicaSetStatus status = CalculateStatus({.set = *set,
                                                   .active = pods->active,
                                                   .terminating = pods->terminating,
                                                   .failure = std::move(failure),
                                                   .now = now});
  const Result<Duration> wait = Report(set, status, managed.ok());
  if (!wait) return wait.status();
  if (!managed.ok()) return managed;
  auto again = NextAvailabilityCheck(*set, pods->active, now);
  if (*wait > Duration::zero()) again = std::min(again.value_or(*wait), *wait);
  if (hold.pods > 0) again = std::min(again.value_or(hold.wait), hold.wait);
  return again ? Action::RequeueAfter(*again) : Action::AwaitChange();
}

Result<ReplicaSetReconciler::OwnedPods> ReplicaSetReconciler::ClaimPods(
    const ReplicaSet& set, const Selector& selector) const {
  OwnedPods owned;
  std::vector<PodPtr> candidates = CandidatesFor(pods_, set);
  // Pods that are not active are not changed.
  std::erase_if(candidates, [&](const PodPtr& pod) {
    if (IsActive(*pod)) return false;
    const Ownership ownership = OwnershipOf(set.metadata, selector, pod->metadata);
    if (ownership == Ownership::kOwned && IsTerminating(*pod)) ++owned.terminating;
    return true;
  });
  Result<std::vector<PodPtr>> active = Claim(client_, set, selector, candidates);
  if (!active) return active.status();
  owned.active = *std::move(active);
  return owned;
}

std::vector<PodPtr> ReplicaSetReconciler::RelatedPods(const ReplicaSet& set) const {
  const api::OwnerReference* owner = api::ControllerOf(set.metadata);
  if (!owner) return {};
  std::vector<Selector> selectors;
  std::vector<PodPtr> related = pods_.Orphans(set.metadata.namespace_);
  for (const ReplicaSetPtr& sibling : sets_.OwnedBy(owner->uid)) {
    Result<Selector> selector = Selector::From(sibling->spec.selector);
    if (!selector) continue;
    selectors.push_back(std::move(*selector));
    for (PodPtr& pod : pods_.OwnedBy(sibling->metadata.uid)) related.push_back(std::move(pod));
  }
  std::erase_if(related, [&](const PodPtr& pod) {
    return pod->metadata.namespace_ != set.metadata.namespace_ ||
           std::none_of(selectors.begin(), selectors.end(), [&](const Selector& selector) {
             return selector.Matches(pod->metadata.labels);
           });
  });
  return related;
}

Status ReplicaSetReconciler::ManageReplicas(const ReplicaSet& set,
                                            const std::vector<PodPtr>& active, int64_t hold) {
  const bool chooses = NeedsRelatedPods(set, active);
  const std::vector<PodPtr> related = chooses ? RelatedPods(set) : std::vector<PodPtr>();
  const WallTime now = runtime_.clock().Now();
  const ReplicasPlan plan = PlanReplicas(set, active, related, now, hold);
  if (chooses) {
    for (const double ratio : DeletionAgeRatios(active, plan.remove, now)) {
      deletion_age_ratio_.Observe(ratio);
    }
  }
  if (plan.create > 0) return CreatePods(set, plan.create);
  if (!plan.remove.empty()) return DeletePods(set, plan.remove);
  return Status::Ok();
}

Status ReplicaSetReconciler::CreatePods(const ReplicaSet& set, int64_t count) {
  const api::core::v1::PodFromTemplate pod = MakePod(set);
  if (pod.metadata.labels.empty()) {
    return Status::InvalidArgument("unable to create pods, no labels");
  }
  const std::string json = ToJson(pod);
  const TypeDescriptor& type = DescriptorOf<api::core::v1::PodFromTemplate>();
  return callers_
      .SlowStart(static_cast<size_t>(count),
                 [&]() -> Status {
                   const Result<ObjectPtr> answer =
                       client_.Create(type, set.metadata.namespace_, json, &DescriptorOf<Pod>());
                   if (answer) {
                     events_.Normal(set, "SuccessfulCreate", "Created pod: {}",
                                    std::static_pointer_cast<const Pod>(*answer)->metadata.name);
                     return Status::Ok();
                   }
                   // Nothing can be created any more, and nothing needs to be.
                   if (answer.status().HasCause(kNamespaceTerminating)) return Status::Ok();
                   if (!answer.status().IsCanceled()) {
                     events_.Warning(set, "FailedCreate", "Error creating: {}",
                                     answer.status().message());
                   }
                   return answer.status();
                 })
      .error;
}

Status ReplicaSetReconciler::DeletePods(const ReplicaSet& set, const std::vector<PodPtr>& pods) {
  for (const Status& status :
       callers_.CallAll(pods.size(), [&](size_t i) { return DeletePod(set, *pods[i]); })) {
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status ReplicaSetReconciler::DeletePod(const ReplicaSet& set, const Pod& pod) {
  DeleteOptions options;
  options.uid = pod.metadata.uid;
  Status status = client_.Delete<Pod>(api::NameOf(pod.metadata), options);
  if (status.ok()) {
    events_.Normal(set, "SuccessfulDelete", "Deleted pod: {}", pod.metadata.name);
    return status;
  }
  // A conflict concerns the UID precondition: this pod is gone and another pod has its name.
  if (status.IsNotFound() || status.IsConflict()) return Status::Ok();
  if (status.IsCanceled()) return status;
  events_.Warning(set, "FailedDelete", "Error deleting: {}", status.message());
  return status.WithContext("unable to delete pods");
}

Result<Duration> ReplicaSetReconciler::Report(const ReplicaSetPtr& set,
                                              const ReplicaSetStatus& status, bool is_managed) {
  const NamespacedName name = api::NameOf(set->metadata);
  ReplicaSet after = *set;
  after.status = status;
  if (!status_writer_.Differs(*set, after)) {
    pending_statuses_.Withdraw(set);
    status_budget_.Forget(name);
    return Duration::zero();
  }
  // Other processes do not see a status that waits, e.g. a kube-controller-manager that takes over.
  // They must not count available pods that are gone. After a failure there is no next sync at a
  // known time.
  const bool only_counts = OnlyCountsDiffer(set->status, status);
  const bool may_wait =
      only_counts && is_managed && status.availableReplicas >= set->status.availableReplicas;
  if (may_wait) {
    const uint64_t state = HashObject(DescriptorOf<ReplicaSetStatus>(), &status);
    const Duration wait = status_budget_.WaitFor(name, state);
    pending_statuses_.Publish(set, status, wait > Duration::zero() ? Duration() : kWriteTakes);
    if (wait > Duration::zero()) return wait;
  } else {
    pending_statuses_.Publish(set, status, kWriteTakes);
  }
  const MonotonicTime start = runtime_.Now();
  const Status written = WriteStatus(*set, status);
  if (written.ok()) {
    if (runtime_.Now() - start > kSlowWrite) status_budget_.Postpone(name);
    return Duration::zero();
  }
  if (!only_counts || written.IsCanceled()) return written;
  // The pods are managed, and the Deployment controller sees the counts. An error would delay both.
  LogError(written, "Failed to write the status of a replica set; it is written later",
           {{"replicaSet", name}});
  return status_budget_.Postpone(name);
}

Status ReplicaSetReconciler::WriteStatus(const ReplicaSet& set, const ReplicaSetStatus& status) {
  Status written = PatchStatus(set, status).status();
  if (written.IsConflict()) {
    const Result<ReplicaSetPtr> fresh = client_.Get<ReplicaSet>(api::NameOf(set.metadata));
    if (!fresh) {
      written = fresh.status();
    } else if ((*fresh)->metadata.uid == set.metadata.uid) {
      written = PatchStatus(**fresh, status).status();
    }
  }
  return written.IsNotFound() ? Status::Ok() : written;
}

Result<ReplicaSetPtr> ReplicaSetReconciler::PatchStatus(const ReplicaSet& set,
                                                        const ReplicaSetStatus& status) {
  ReplicaSet after = set;
  after.status = status;
  return status_writer_.Write(set, after);
}

}  // namespace capstan::replicaset
