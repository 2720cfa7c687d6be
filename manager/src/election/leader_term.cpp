// The part of LeaderElector from the first renewal to the release of its Lease.

#include <algorithm>
#include <utility>

#include <capstan/log/log.h>
#include <capstan/runtime/format.h>

#include "base/cli/go_duration.h"
#include "base/io/deadline_stop.h"
#include "election/leader_election.h"

namespace capstan::manager {
namespace {

/// The last renewal is tried this long before the lease expires, as an outage may be over by then.
constexpr Duration kLastTry = std::chrono::milliseconds(500);

}  // namespace

void LeaderElector::Lead(const std::stop_token& stop) {
  renewal_late_ = false;
  while (AwaitRenewal(stop)) {
    MonotonicTime lease_end;
    {
      MutexLock lock(mutex_);
      lease_end = renewed_at_ + WrittenLeaseDuration();
      if (runtime_.Now() >= lease_end) {
        End(Outcome::kLost, "not renewed within " + cli::FormatGoDuration(WrittenLeaseDuration()));
        return;
      }
    }
    RenewBy(lease_end, stop);
    ReportTransition();
  }
}

/// Returns false when the term has ended or must end.
bool LeaderElector::AwaitRenewal(const std::stop_token& stop) {
  const StopWaker waker(stop, mutex_, *changed_);
  MutexLock lock(mutex_);
  while (!stop.stop_requested() && !ending_) {
    const MonotonicTime due = std::min(renew_at_, renewed_at_ + WrittenLeaseDuration());
    if (runtime_.Now() >= due) return true;
    changed_->WaitUntil(mutex_, due);
  }
  return false;
}

void LeaderElector::RenewBy(MonotonicTime deadline, const std::stop_token& stop) {
  std::stop_source term_stop;
  {
    MutexLock lock(mutex_);
    term_stop = term_stop_;
    renew_at_ = runtime_.Now() + config_.retry_period;
  }
  // Ending or stopping the term must not wait for a response.
  const std::stop_callback forward(stop, [&term_stop] { term_stop.request_stop(); });
  const std::stop_token bounded = renewal_deadline_.Begin(deadline, term_stop.get_token());
  const bool renewed = TryRenew(client_.WithStop(bounded));
  renewal_deadline_.End();
  if (!renewed) {
    MutexLock lock(mutex_);
    const MonotonicTime now = runtime_.Now();
    const MonotonicTime last_try = deadline - kLastTry;
    renew_at_ = std::max(renew_at_, now + config_.retry_period);
    if (now < last_try) renew_at_ = std::min(renew_at_, last_try);
  }
  ReportRenewal(renewed);
}

bool LeaderElector::TryRenew(const Client& client) {
  const Snapshot seen = Seen();
  if (seen.lease && seen.lease->spec.holderIdentity == config_.identity) {
    const Status written = Write(client, seen, false);
    if (written.ok()) {
      ReportAnswer(written, {});
      return true;
    }
    // If this write got no response, a read will not get one either.
    if (written.IsCanceled() || written.IsTransport()) {
      ReportAnswer(written, "Failed to update lease");
      return false;
    }
    LogV(4, "Failed to update lease optimistically, falling back to slow path",
         {{"lease", lease_name_}, {"err", written.ToString()}});
    slow_path_.Increment();
  }
  Status status = Read(client);
  ReportAnswer(status, "Error retrieving resource lock");
  if (!status.ok()) return false;
  Snapshot from;
  {
    MutexLock lock(mutex_);
    from = {view_.lease(), view_.revision()};
    const std::string holder(view_.holder());
    if (ending_) return false;
    if (!holder.empty() && !view_.IsMine()) {
      End(Outcome::kLost, "it is held by \"" + holder + "\"");
      return false;
    }
    if (coordinated_ && (view_.IsUnwanted() || holder.empty())) {
      End(Outcome::kGivenUp, "the server prefers another holder");
      return false;
    }
  }
  status = Write(client, from, false);
  ReportAnswer(status, "Failed to update lease");
  return status.ok();
}

void LeaderElector::ReportRenewal(bool renewed) {
  bool late = false;
  {
    MutexLock lock(mutex_);
    if (ending_) return;
    late = runtime_.Now() >= renewed_at_ + config_.renew_deadline;
  }
  if (renewed) {
    LogV(5, "Successfully renewed lease", {{"lease", lease_name_}});
    if (!std::exchange(renewal_late_, false)) return;
    LogInfo("Renewed lease late, no other process has held it; resuming writes",
            {{"lease", lease_name_}});
  } else if (late && !std::exchange(renewal_late_, true)) {
    LogError(Status(StatusReason::kTimeout,
                    "not renewed within " + cli::FormatGoDuration(config_.renew_deadline)),
             "Lease not renewed in time, suspending writes until it is", {{"lease", lease_name_}});
  }
}

void LeaderElector::GiveUp(const std::string& why) {
  std::stop_source renewals;
  {
    MutexLock lock(mutex_);
    if (!leading_) return;
    renewals = End(Outcome::kGivenUp, why);
    held_back_until_ = runtime_.Now() + config_.lease_duration;
    changed_->NotifyAll();
  }
  renewals.request_stop();
}

/// From here on nothing may be written. Returns the source that stops the renewals. The caller
/// triggers it after it has released the lock.
std::stop_source LeaderElector::End(Outcome outcome, std::string why) {
  leading_ = false;
  if (!ending_) ending_ = Ending{outcome, std::move(why)};
  return term_stop_;
}

LeaderElector::Outcome LeaderElector::EndTerm() {
  Ending ending{Outcome::kStopped, {}};
  {
    MutexLock lock(mutex_);
    leading_ = false;
    if (ending_) ending = *ending_;
  }
  master_status_.Set(0);
  if (ending.outcome == Outcome::kLost) {
    LogError(Status(StatusReason::kTimeout, ending.why), "Failed to renew lease",
             {{"lease", lease_name_}});
  } else if (ending.outcome == Outcome::kGivenUp) {
    LogWarning("Releasing the lease", {{"lease", lease_name_}, {"reason", ending.why}});
  }
  if (callbacks_.on_stopped_leading) callbacks_.on_stopped_leading();
  RecordEvent("stopped leading");
  ReportTransition();
  // Deletes the LeaseCandidate before the release, so that the server does not choose this process
  // again.
  candidacy_.reset();
  if (ending.outcome != Outcome::kLost) Release();
  return ending.outcome;
}

/// One second is the shortest duration that a Lease can store. A process that ignores the empty
/// holder then does not wait long.
void LeaderElector::Release() {
  io::DeadlineStop bounded(runtime_);
  const Client client =
      client_.WithStop(bounded.Begin(runtime_.Now() + config_.renew_deadline, {}));
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Snapshot from = Seen();
    if (!from.lease || from.lease->spec.holderIdentity != config_.identity) return;
    const api::MicroTime now(runtime_.clock().Now());
    Lease to = *from.lease;
    to.spec.holderIdentity = "";
    to.spec.leaseDurationSeconds = 1;
    to.spec.renewTime = now;
    to.spec.acquireTime = now;
    auto released = client.PatchDifference(*from.lease, to);
    if (released) {
      LogInfo("Released lease", {{"lease", lease_name_}});
      MutexLock lock(mutex_);
      view_.Learn(*released, from.revision, runtime_.Now());
      return;
    }
    // An earlier renewal may have succeeded without a response.
    if (!released.status().IsConflict() || !Read(client).ok()) {
      return LogError(released.status(), "Failed to release lease", {{"lease", lease_name_}});
    }
  }
}

}  // namespace capstan::manager
