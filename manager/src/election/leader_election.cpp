#include "election/leader_election.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <capstan/log/log.h>

namespace capstan::manager {
namespace {

constexpr double kAcquireJitter = 1.2;
constexpr std::string_view kComponent = "capstan-controller-manager";

// The delay after a release or an expiry is random. Candidates then do not write at the same time,
// and usually see who was first.
constexpr Duration kShortestTurn = std::chrono::milliseconds(1);
constexpr double kReleaseSpread = 40;
constexpr double kExpirySpread = 15;

/// With coordinated election, the identity is the name of the LeaseCandidate.
LeaderElectionConfig WithName(LeaderElectionConfig config) {
  if (config.coordinated) config.identity = DnsSafe(config.identity);
  return config;
}

}  // namespace

LeaderElector::LeaderElector(LeaderElectionConfig config, const Client& client, Runtime& runtime,
                             MetricsRegistry& metrics, EventBroadcaster* events,
                             Callbacks callbacks)
    : config_(WithName(std::move(config))),
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
                                    {{"name", config_.lease.name}})),
      changed_(runtime.NewCondition()),
      view_(config_.identity, config_.lease_duration),
      renewal_deadline_(runtime) {
  master_status_.Set(0);
}

LeaderElector::Outcome LeaderElector::Run(const std::stop_token& stop) {
  WatchLease();
  Outcome outcome = Outcome::kStopped;
  if (Acquire(stop)) {
    if (callbacks_.on_started_leading) callbacks_.on_started_leading();
    Lead(stop);
    outcome = EndTerm();
  }
  candidacy_.reset();
  watch_.reset();
  return outcome;
}

bool LeaderElector::Acquire(const std::stop_token& stop) {
  LogInfo("Attempting to acquire leader lease", {{"lease", lease_name_}});
  const Client client = client_.WithStop(stop);
  if (config_.coordinated && !PrepareCandidacy(client, stop)) return false;
  {
    MutexLock lock(mutex_);
    doubtful_ = true;  // the view may date from an earlier term
    read_at_ = runtime_.Now();
  }
  while (!stop.stop_requested()) {
    const uint64_t revision = Seen().revision;
    if (IsDue()) {
      const bool acquired = TryAcquire(client);
      ReportTransition();
      if (acquired) {
        RecordEvent("became leader");
        master_status_.Set(1);
        LogInfo("Successfully acquired lease", {{"lease", lease_name_}});
        return true;
      }
      LogV(4, "Failed to acquire lease", {{"lease", lease_name_}});
    }
    ReportTransition();
    AwaitTurn(revision, stop);
  }
  return false;
}

/// Asks the server whether it serves LeaseCandidates, until it answers.
bool LeaderElector::PrepareCandidacy(const Client& client, const std::stop_token& stop) {
  Result<const TypeDescriptor*> type = ServedLeaseCandidate(client);
  ReportAnswer(type.status(), "Error checking whether the server serves LeaseCandidates");
  while (!type) {
    if (!runtime_.SleepFor(runtime_.Jitter(config_.retry_period, kAcquireJitter), stop)) {
      return false;
    }
    type = ServedLeaseCandidate(client);
    ReportAnswer(type.status(), "Error checking whether the server serves LeaseCandidates");
  }
  Duration pause{};
  {
    MutexLock lock(mutex_);
    coordinated_ = *type != nullptr;
    pause = held_back_until_ - runtime_.Now();
  }
  if (!*type) {
    LogInfo("The server does not serve LeaseCandidates, using a plain lease",
            {{"lease", lease_name_}});
    return true;
  }
  // The server does not choose a process without a LeaseCandidate.
  if (pause > Duration::zero() && !runtime_.SleepFor(pause, stop)) return false;
  candidacy_ = std::make_unique<Candidacy>(
      client_, **type,
      Candidacy::Config{.candidate = {config_.lease.namespace_, config_.identity},
                        .lease_name = config_.lease.name,
                        .binary_version = config_.binary_version,
                        .emulation_version = config_.emulation_version,
                        .retry_period = config_.retry_period},
      runtime_);
  return true;
}

/// Writes the Lease if it is known to be free. Reads it first if its state is not known.
bool LeaderElector::TryAcquire(const Client& client) {
  std::optional<Snapshot> free = Free();
  if (!free) {
    const Status read = Read(client);
    ReportAnswer(read, "Error retrieving resource lock");
    {
      MutexLock lock(mutex_);
      doubtful_ = !read.ok();
      const bool is_watching = following_ && !doubtful_;
      read_at_ =
          runtime_.Now() + (is_watching ? config_.lease_duration
                                        : runtime_.Jitter(config_.retry_period, kAcquireJitter));
    }
    free = Free();
    if (!free) return false;
  }
  const Status written = Write(client, *free, true);
  if (written.ok()) {
    ReportAnswer(written, {});
    return true;
  }
  if (written.IsConflict() || written.IsAlreadyExists() || written.IsNotFound()) {
    LogV(4, "Failed to update lock, another process updated it first",
         {{"lease", lease_name_}, {"err", written.ToString()}});
  } else {
    ReportAnswer(written, "Failed to update lock");
  }
  MutexLock lock(mutex_);
  doubtful_ = true;
  read_at_ = runtime_.Now() + runtime_.Jitter(config_.retry_period, kAcquireJitter);
  return false;
}

/// Waits until a request is due, or until the view has changed since `revision`.
void LeaderElector::AwaitTurn(uint64_t revision, const std::stop_token& stop) {
  const StopWaker waker(stop, mutex_, *changed_);
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    const MonotonicTime due = Due();
    if (runtime_.Now() >= due || view_.revision() != revision) return;
    changed_->WaitUntil(mutex_, due);
  }
}

bool LeaderElector::IsDue() const {
  MutexLock lock(mutex_);
  return runtime_.Now() >= Due();
}

/// A Lease that is watched is read only if its state is in doubt or the election is coordinated:
/// then nothing else might wake this process.
MonotonicTime LeaderElector::Due() const {
  const bool reads = !following_ || doubtful_ || coordinated_;
  MonotonicTime due = reads ? read_at_ : MonotonicTime::max();
  if (!doubtful_ && IsOffered()) {
    due = std::min(due, std::max(take_at_, held_back_until_));
  }
  return due;
}

/// With coordinated election, the holder that the server named renews, even late. The write shows
/// whether it still holds the Lease.
bool LeaderElector::IsOffered() const {
  return !coordinated_ || (view_.IsMine() && !view_.IsUnwanted());
}

std::optional<LeaderElector::Snapshot> LeaderElector::Free() const {
  MutexLock lock(mutex_);
  const MonotonicTime now = runtime_.Now();
  if (doubtful_ || !view_.is_known() || !IsOffered()) return std::nullopt;
  if (now < held_back_until_ || now < view_.free_at()) return std::nullopt;
  return Snapshot{view_.lease(), view_.revision()};
}

/// Sets when to acquire the Lease that was just observed.
void LeaderElector::PlanTurn() {
  const MonotonicTime now = runtime_.Now();
  if (view_.IsMine()) {
    take_at_ = now;
    return;
  }
  const bool expires = view_.free_at() > now;
  take_at_ = std::max(view_.free_at(), now) +
             runtime_.Jitter(kShortestTurn, expires ? kExpirySpread : kReleaseSpread);
}

bool LeaderElector::IsLeading() const {
  MutexLock lock(mutex_);
  return leading_;
}

std::string LeaderElector::Leader() const {
  MutexLock lock(mutex_);
  return std::string(view_.holder());
}

std::optional<WriteTerm> LeaderElector::Term() const {
  MutexLock lock(mutex_);
  if (!leading_) return std::nullopt;
  return WriteTerm{renewed_at_ + config_.renew_deadline, renewed_at_ + WrittenLeaseDuration()};
}

Status LeaderElector::Check(Duration tolerance) const {
  MutexLock lock(mutex_);
  if (!leading_) return Status::Ok();
  if (runtime_.Now() <= renewed_at_ + config_.lease_duration + tolerance) return Status::Ok();
  return Status(StatusReason::kTimeout,
                "failed election to renew leadership on lease " + lease_name_);
}

}  // namespace capstan::manager
