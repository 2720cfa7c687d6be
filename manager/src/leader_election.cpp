#include "leader_election.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>

#include <capstan/log/log.h>

#include "deadline_stop.h"
#include "go_duration.h"

namespace capstan::manager {
namespace {

constexpr double kAcquireJitter = 1.2;
constexpr std::string_view kComponent = "capstan-controller-manager";

std::string_view HolderOf(const api::coordination::v1::Lease* lease) {
  return lease && lease->spec.holderIdentity ? std::string_view(*lease->spec.holderIdentity) : "";
}

int32_t WholeSeconds(Duration duration) {
  return static_cast<int32_t>(std::chrono::duration_cast<std::chrono::seconds>(duration).count());
}

/// Whether somebody wrote to the election between `a` and `b`.
bool SameRecord(const api::coordination::v1::Lease& a, const api::coordination::v1::Lease& b) {
  return Equal(a.spec, b.spec);
}

}  // namespace

std::string NewIdentity(Runtime& runtime) {
  char host[256] = {};
  if (gethostname(host, sizeof(host) - 1) != 0) std::snprintf(host, sizeof(host), "unknown");
  const uint64_t high = (runtime.Random() & ~0xf000ULL) | 0x4000ULL;  // version 4: random
  const uint64_t low = (runtime.Random() & ~(0xc0ULL << 56)) | 0x80ULL << 56;
  char uuid[37];
  std::snprintf(uuid, sizeof(uuid), "%08x-%04x-%04x-%04x-%012llx",
                static_cast<unsigned>(high >> 32), static_cast<unsigned>(high >> 16 & 0xffff),
                static_cast<unsigned>(high & 0xffff), static_cast<unsigned>(low >> 48),
                static_cast<unsigned long long>(low & 0xffffffffffffULL));
  return std::string(host) + "_" + uuid;
}

LeaderElector::LeaderElector(LeaderElectionConfig config, const Client& client, Runtime& runtime,
                             MetricsRegistry& metrics, EventBroadcaster* events,
                             Callbacks callbacks)
    : config_(std::move(config)),
      lease_name_(config_.lease.ToString()),
      client_(client),
      runtime_(runtime),
      events_(events ? std::optional(EventRecorder(*events, std::string(kComponent)))
                     : std::nullopt),
      callbacks_(std::move(callbacks)),
      master_status_(metrics.NewGauge("leader_election_master_status",
                                      "1 while this process holds the lease, else 0.",
                                      {{"name", config_.lease.name}})),
      slow_path_(metrics.NewCounter("leader_election_slowpath_total",
                                    "Renewals that had to read the lease first.",
                                    {{"name", config_.lease.name}})) {
  master_status_.Set(0);
}

LeaderElector::Outcome LeaderElector::Run(const std::stop_token& stop) {
  if (!Acquire(stop)) return Outcome::kStopped;
  if (callbacks_.on_started_leading) callbacks_.on_started_leading();
  const bool kept = Renew(stop);
  SetLeading(false);
  RecordEvent("stopped leading");
  if (!kept) return Outcome::kLost;
  Release();
  return Outcome::kStopped;
}

bool LeaderElector::Acquire(const std::stop_token& stop) {
  LogInfo("Attempting to acquire leader lease", {{"lease", lease_name_}});
  const Client client = client_.WithStop(stop);
  while (!stop.stop_requested()) {
    const bool acquired = TryAcquireOrRenew(client);
    ReportTransition();
    if (acquired) {
      RecordEvent("became leader");
      SetLeading(true);
      LogInfo("Successfully acquired lease", {{"lease", lease_name_}});
      return true;
    }
    LogV(4, "Failed to acquire lease", {{"lease", lease_name_}});
    runtime_.SleepFor(runtime_.Jitter(config_.retry_period, kAcquireJitter), stop);
  }
  return false;
}

bool LeaderElector::Renew(const std::stop_token& stop) {
  while (runtime_.SleepFor(config_.retry_period, stop)) {
    MonotonicTime deadline;
    {
      MutexLock lock(mutex_);
      deadline = renewed_at_ + config_.renew_deadline;
    }
    const bool renewed = RenewUntil(deadline, stop);
    ReportTransition();
    if (renewed) {
      LogV(5, "Successfully renewed lease", {{"lease", lease_name_}});
      continue;
    }
    if (stop.stop_requested()) break;
    const std::string why = IsHolder()
                                ? "not renewed within " + FormatGoDuration(config_.renew_deadline)
                                : "it is held by \"" + Leader() + "\"";
    LogError(Status(StatusReason::kTimeout, why), "Failed to renew lease",
             {{"lease", lease_name_}});
    return false;
  }
  return true;
}

bool LeaderElector::RenewUntil(MonotonicTime deadline, const std::stop_token& stop) {
  if (runtime_.Now() >= deadline) return false;
  const DeadlineStop bounded(runtime_, deadline, stop);
  const std::stop_token token = bounded.token();
  const Client client = client_.WithStop(token);
  while (!token.stop_requested()) {
    if (TryAcquireOrRenew(client)) return true;
    if (!IsHolder()) return false;  // somebody took it; there is nothing to wait for
    runtime_.SleepFor(config_.retry_period, token);
  }
  return false;
}

/// One second of duration is the shortest promise that a Lease can hold: whoever overlooks the
/// empty holder need not wait long.
void LeaderElector::Release() {
  if (!IsHolder()) return;
  const DeadlineStop bounded(runtime_, runtime_.Now() + config_.renew_deadline, {});
  const Client client = client_.WithStop(bounded.token());
  LeasePtr from = Observed();
  for (int attempt = 0; attempt < 2; ++attempt) {
    const api::MicroTime now(runtime_.clock().Now());
    Lease to = *from;
    to.spec.holderIdentity = "";
    to.spec.leaseDurationSeconds = 1;
    to.spec.renewTime = now;
    to.spec.acquireTime = now;
    auto released = client.PatchDifference(*from, to);
    if (released) {
      LogInfo("Released lease", {{"lease", lease_name_}});
      Observe(*released, runtime_.Now());
      return;
    }
    auto current = client.Get<Lease>(config_.lease);
    if (!released.status().IsConflict() || !current ||
        HolderOf(current->get()) != config_.identity) {
      return LogError(released.status(), "Failed to release lease", {{"lease", lease_name_}});
    }
    from = *current;
  }
}

bool LeaderElector::TryAcquireOrRenew(const Client& client) {
  const MonotonicTime start = runtime_.Now();
  if (IsLeading() && IsHolder() && IsValid(start)) {
    if (TryFastPath(client, start)) return true;
    slow_path_.Increment();
  }
  auto current = client.Get<Lease>(config_.lease);
  if (!current) {
    if (current.status().IsNotFound()) return TryCreate(client, start);
    if (!current.status().IsCanceled()) {
      LogError(current.status(), "Error retrieving resource lock", {{"lease", lease_name_}});
    }
    return false;
  }
  const LeasePtr observed = Observed();
  if (!observed || !SameRecord(*observed, **current)) Observe(*current, runtime_.Now());
  const std::string_view holder = HolderOf(current->get());
  if (!holder.empty() && holder != config_.identity && IsValid(runtime_.Now())) {
    LogV(4, "Lock is held by " + std::string(holder) + " and has not yet expired",
         {{"lease", lease_name_}});
    return false;
  }
  return Write(client, *current, Claim(*current), runtime_.Now(), "Failed to update lock");
}

bool LeaderElector::TryFastPath(const Client& client, MonotonicTime start) {
  const LeasePtr observed = Observed();
  return Write(client, observed, Claim(observed), start,
               "Failed to update lease optimistically, falling back to slow path");
}

bool LeaderElector::TryCreate(const Client& client, MonotonicTime start) {
  Lease lease = Claim(nullptr);
  lease.metadata.name = config_.lease.name;
  lease.metadata.namespace_ = config_.lease.namespace_;
  auto created = client.Create(lease);
  if (!created) {
    LogError(created.status(), "Error initially creating lease lock", {{"lease", lease_name_}});
    return false;
  }
  Observe(*created, start);
  MutexLock lock(mutex_);
  renewed_at_ = start;
  return true;
}

/// The Lease that says that this process holds it, from now on or still.
LeaderElector::Lease LeaderElector::Claim(const LeasePtr& from) const {
  const api::MicroTime now(runtime_.clock().Now());
  Lease lease = from ? *from : Lease();
  const bool still = HolderOf(from.get()) == config_.identity;
  lease.spec.holderIdentity = config_.identity;
  lease.spec.leaseDurationSeconds = WholeSeconds(config_.lease_duration);
  lease.spec.renewTime = now;
  if (still) return lease;
  lease.spec.acquireTime = now;
  lease.spec.leaseTransitions = from ? from->spec.leaseTransitions.value_or(0) + 1 : 0;
  return lease;
}

bool LeaderElector::Write(const Client& client, const LeasePtr& from, Lease to, MonotonicTime start,
                          std::string_view failure) {
  auto written = client.PatchDifference(*from, to);
  if (!written) {
    if (!written.status().IsCanceled()) {
      LogError(written.status(), failure, {{"lease", lease_name_}});
    }
    return false;
  }
  // Null: nothing differs, so the Lease says already what it should.
  Observe(*written ? *written : from, start);
  MutexLock lock(mutex_);
  renewed_at_ = start;
  return true;
}

void LeaderElector::Observe(LeasePtr lease, MonotonicTime when) {
  MutexLock lock(mutex_);
  observed_ = std::move(lease);
  observed_at_ = when;
}

LeaderElector::LeasePtr LeaderElector::Observed() const {
  MutexLock lock(mutex_);
  return observed_;
}

/// Whether the holder's promise, as this process saw it made, still stands.
bool LeaderElector::IsValid(MonotonicTime now) const {
  MutexLock lock(mutex_);
  if (!observed_) return false;
  const auto seconds = observed_->spec.leaseDurationSeconds;
  const Duration promised = seconds ? std::chrono::seconds(*seconds) : config_.lease_duration;
  return now < observed_at_ + promised;
}

bool LeaderElector::IsLeading() const {
  MutexLock lock(mutex_);
  return leading_;
}

std::optional<WriteTerm> LeaderElector::Term() const {
  MutexLock lock(mutex_);
  if (!leading_) return std::nullopt;
  return WriteTerm{renewed_at_ + config_.renew_deadline, renewed_at_ + config_.lease_duration};
}

void LeaderElector::SetLeading(bool leading) {
  master_status_.Set(leading ? 1 : 0);
  MutexLock lock(mutex_);
  leading_ = leading;
}

bool LeaderElector::IsHolder() const {
  MutexLock lock(mutex_);
  return HolderOf(observed_.get()) == config_.identity;
}

std::string LeaderElector::Leader() const {
  MutexLock lock(mutex_);
  return std::string(HolderOf(observed_.get()));
}

Status LeaderElector::Check(Duration tolerance) const {
  MutexLock lock(mutex_);
  if (!leading_) return Status::Ok();
  if (runtime_.Now() <= observed_at_ + config_.lease_duration + tolerance) return Status::Ok();
  return Status(StatusReason::kTimeout,
                "failed election to renew leadership on lease " + lease_name_);
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
  const LeasePtr lease = Observed();
  if (!events_ || !lease) return;
  events_->Normal(*lease, "LeaderElection", "{} {}", config_.identity, what);
}

}  // namespace capstan::manager
