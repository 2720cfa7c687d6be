// The part of LeaderElector that watches, reads and writes its Lease.

#include <cstdint>
#include <utility>

#include <capstan/log/log.h>

#include "election/leader_election.h"

namespace capstan::manager {

void LeaderElector::WatchLease() {
  ObjectWatch::Listener listener;
  listener.on_change = [this](ObjectPtr object, const std::string& version) {
    Observe(std::static_pointer_cast<const Lease>(std::move(object)), version);
  };
  listener.on_following = [this](bool following) {
    MutexLock lock(mutex_);
    following_ = following;
    if (!following) read_at_ = runtime_.Now();
    changed_->NotifyAll();
  };
  {
    MutexLock lock(mutex_);
    following_ = false;
  }
  watch_ = std::make_unique<ObjectWatch>(client_, DescriptorOf<Lease>(), config_.lease, runtime_,
                                         std::move(listener));
}

/// Called by the watch's thread. Events of the leader's own writes are not new to the view.
void LeaderElector::Observe(LeasePtr lease, const std::string& version) {
  std::optional<std::stop_source> ended;
  {
    MutexLock lock(mutex_);
    if (!view_.Observe(std::move(lease), version, runtime_.Now())) return;
    doubtful_ = false;
    PlanTurn();
    const std::string_view holder = view_.holder();
    if (leading_ && !holder.empty() && !view_.IsMine()) {
      ended = End(Outcome::kLost, "it is held by \"" + std::string(holder) + "\"");
    } else if (leading_ && coordinated_ && view_.IsUnwanted()) {
      ended = End(Outcome::kGivenUp,
                  "the server prefers \"" + *view_.lease()->spec.preferredHolder + "\"");
    } else if (leading_ && holder.empty()) {
      renew_at_ = runtime_.Now();  // somebody deleted it or cleared its holder
    }
    changed_->NotifyAll();
  }
  if (ended) ended->request_stop();
}

LeaderElector::Snapshot LeaderElector::Seen() const {
  MutexLock lock(mutex_);
  return {view_.lease(), view_.revision()};
}

Status LeaderElector::Read(const Client& client) {
  const Snapshot before = Seen();
  auto read = client.Get<Lease>(config_.lease);
  if (!read && !read.status().IsNotFound()) return read.status();
  const LeasePtr lease = read ? *read : nullptr;
  // If there is no Lease, a watch from "" starts with its creation.
  const std::string version = lease ? lease->metadata.resourceVersion : "";
  bool is_stalled = false;
  {
    MutexLock lock(mutex_);
    // A working watch is expected to report each change before a read returns it.
    is_stalled = following_ && !leading_ && before.revision == view_.revision() && before.lease &&
                 lease && before.lease->metadata.resourceVersion != version;
    view_.Learn(lease, before.revision, runtime_.Now());
    PlanTurn();
  }
  if (is_stalled) watch_->EndStream();
  watch_->Follow(version);
  return Status::Ok();
}

Status LeaderElector::Write(const Client& client, const Snapshot& from, bool acquire) {
  const MonotonicTime start = runtime_.Now();
  const Lease to = Claim(from.lease);
  auto written = from.lease ? client.PatchDifference(*from.lease, to) : client.Create(to);
  if (!written) return written.status();
  // Null means an empty patch: the Lease already has the wanted content.
  const LeasePtr lease = *written ? *written : from.lease;
  {
    MutexLock lock(mutex_);
    view_.Learn(lease, from.revision, runtime_.Now());
    if (!view_.IsMine()) return {StatusReason::kConflict, "another process took it immediately"};
    if (acquire) {
      leading_ = true;
      ending_.reset();
      term_stop_ = std::stop_source();
    }
    if (leading_) {
      renewed_at_ = start;
      renew_at_ = runtime_.Now() + config_.retry_period;
    }
  }
  watch_->Follow(lease->metadata.resourceVersion);
  return Status::Ok();
}

/// The Lease with this process as its holder, newly or still.
LeaderElector::Lease LeaderElector::Claim(const LeasePtr& from) const {
  const api::MicroTime now(runtime_.clock().Now());
  Lease lease = from ? *from : Lease();
  lease.metadata.name = config_.lease.name;
  lease.metadata.namespace_ = config_.lease.namespace_;
  const bool still = lease.spec.holderIdentity == config_.identity;
  lease.spec.holderIdentity = config_.identity;
  lease.spec.leaseDurationSeconds = static_cast<int32_t>(
      std::chrono::duration_cast<std::chrono::seconds>(WrittenLeaseDuration()).count());
  lease.spec.renewTime = now;
  if (!still || !lease.spec.acquireTime) lease.spec.acquireTime = now;
  if (!still) lease.spec.leaseTransitions = from ? lease.spec.leaseTransitions.value_or(0) + 1 : 0;
  return lease;
}

Duration LeaderElector::WrittenLeaseDuration() const {
  return std::chrono::floor<std::chrono::seconds>(config_.lease_duration);
}

/// Logs once when requests begin to fail, and once when they succeed again.
void LeaderElector::ReportAnswer(const Status& status, std::string_view failure) {
  if (status.IsCanceled()) return;
  if (status.ok()) {
    if (std::exchange(answers_failed_, false)) {
      LogInfo("The API server responds to leader election again", {{"lease", lease_name_}});
    }
    return;
  }
  if (std::exchange(answers_failed_, true)) {
    LogV(4, failure, {{"lease", lease_name_}, {"err", status.ToString()}});
  } else {
    LogError(status, failure, {{"lease", lease_name_}});
  }
}

void LeaderElector::ReportTransition() {
  std::string leader = Leader();
  if (leader == reported_leader_) return;
  reported_leader_ = std::move(leader);
  if (reported_leader_.empty()) return;
  if (reported_leader_ != config_.identity) {
    LogInfo("New leader elected", {{"identity", reported_leader_}, {"lease", lease_name_}});
  }
  if (callbacks_.on_new_leader) callbacks_.on_new_leader(reported_leader_);
}

void LeaderElector::RecordEvent(std::string_view what) const {
  const LeasePtr lease = Seen().lease;
  if (!events_ || !lease) return;
  events_->Normal(*lease, "LeaderElection", "{} {}", config_.identity, what);
}

}  // namespace capstan::manager
