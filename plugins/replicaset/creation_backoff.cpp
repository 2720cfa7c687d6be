#include "creation_backoff.h"

#include <algorithm>

#include <capstan/log/log.h>

namespace capstan::replicaset {

bool IsRejected(const Pod& pod) {
  return pod.status.phase == "Failed" && pod.status.containerStatuses.empty() &&
         !pod.metadata.deletionTimestamp;
}

Rejections AfterRejection(const std::optional<Rejections>& before, Time created,
                          MonotonicTime now) {
  Rejections after = before && !IsForgotten(*before, now) ? *before : Rejections();
  after.newest = std::max(after.newest, created);
  if (after.pods > 0 && now < after.over) {
    ++after.pods;
    return after;
  }
  after.delay = std::clamp(2 * after.delay, kFirstDelay, kLongestDelay);
  after.over = now + after.delay;
  after.pods = 1;
  return after;
}

bool IsForgotten(const Rejections& rejections, MonotonicTime now) {
  return now - rejections.over > kForgottenAfter;
}

Hold HoldAt(const Rejections& rejections, MonotonicTime now) {
  if (now >= rejections.over) return {};
  return {.pods = rejections.pods, .wait = rejections.over - now};
}

CreationBackoff::CreationBackoff(const Clock& clock, MetricsRegistry& metrics)
    : clock_(clock),
      rejected_(metrics.NewCounter("capstan_replicaset_rejected_pods_total",
                                   "Pods of ReplicaSets that a kubelet rejected.")) {}

void CreationBackoff::Observe(const Pod* before, const Pod* after) {
  if (!after) return;
  const api::OwnerReference* owner = api::ControllerOf(after->metadata);
  if (!owner || owner->kind != "ReplicaSet") return;
  if (IsRejected(*after)) {
    const bool is_known =
        before && before->metadata.uid == after->metadata.uid && IsRejected(*before);
    if (!is_known) NoteRejection(*owner, *after);
  } else if (IsReady(*after)) {
    NoteReady(owner->uid, after->metadata.creationTimestamp);
  }
}

void CreationBackoff::NoteRejection(const api::OwnerReference& set, const Pod& pod) {
  const Time created = pod.metadata.creationTimestamp;
  if (created && created < Time(clock_.Now() - kForgottenAfter)) return;
  rejected_.Increment();
  const MonotonicTime now = clock_.Monotonic();
  Rejections after;
  {
    MutexLock lock(mutex_);
    const auto known = rejections_.find(set.uid);
    if (known != rejections_.end()) {
      after = known->second = AfterRejection(known->second, created, now);
    } else {
      // The pods of a ReplicaSet may outlive it, and Forget is called only once per ReplicaSet.
      std::erase_if(rejections_, [&](const auto& entry) { return IsForgotten(entry.second, now); });
      after = rejections_[set.uid] = AfterRejection(std::nullopt, created, now);
    }
  }
  if (after.pods == 1 && LogEnabled(2)) {
    LogV(2, "A pod was rejected, backing off its replacement",
         {{"replicaSet", NamespacedName{pod.metadata.namespace_.str(), set.name.str()}},
          {"pod", pod.metadata.name},
          {"seconds", std::chrono::duration<double>(after.delay).count()}});
  }
}

void CreationBackoff::NoteReady(const Uid& set, Time created) {
  MutexLock lock(mutex_);
  const auto known = rejections_.find(set);
  if (known != rejections_.end() && EndedBy(known->second, created)) rejections_.erase(known);
}

Hold CreationBackoff::HoldFor(const Uid& set) const {
  const MonotonicTime now = clock_.Monotonic();
  MutexLock lock(mutex_);
  const auto known = rejections_.find(set);
  return known == rejections_.end() ? Hold() : HoldAt(known->second, now);
}

void CreationBackoff::Forget(const Uid& set) {
  MutexLock lock(mutex_);
  rejections_.erase(set);
}

}  // namespace capstan::replicaset
