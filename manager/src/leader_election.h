#pragma once

/// LeaderElector: of all processes that try, at most one holds the Lease.
/// (client-go tools/leaderelection; https://kubernetes.io/docs/concepts/architecture/leases/)
///
/// A candidate watches when the Lease changes by its own monotonic clock; the times in the Lease
/// are for people. It takes the Lease when that has not changed for as long as its holder promised,
/// or when the holder gave it back. The leader writes a new renewTime every retry period.
///
/// One rule is stricter than client-go's: the renew deadline counts from the start of the last
/// renewal that succeeded, not from the first that failed, so a leader has always stopped before
/// anybody else may begin, and a process that was suspended for longer never writes again.
///
/// Threads: Run from one thread at a time, any number of times; the getters from any.

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include <capstan/api/coordination_v1.h>
#include <capstan/client/client.h>
#include <capstan/events/event_recorder.h>
#include <capstan/metrics/metrics.h>
#include <capstan/runtime/runtime.h>

namespace capstan::manager {

struct LeaderElectionConfig {
  NamespacedName lease;
  std::string identity;  ///< of this process, unlike any other's
  Duration lease_duration;
  Duration renew_deadline;
  Duration retry_period;
};

/// "<hostname>_<random UUID>".
std::string NewIdentity(Runtime& runtime);

class LeaderElector {
 public:
  struct Callbacks {
    std::function<void()> on_started_leading;
    /// Called when the holder seen in the Lease is another one than before.
    std::function<void(const std::string& identity)> on_new_leader;
  };
  enum class Outcome { kStopped, kLost };

  /// `events` may be null: then none are recorded.
  LeaderElector(LeaderElectionConfig config, const Client& client, Runtime& runtime,
                MetricsRegistry& metrics, EventBroadcaster* events, Callbacks callbacks = {});

  /// Acquires and renews until `stop` is triggered, then gives the lease back (kStopped), or until
  /// the lease is lost (kLost); a lost lease is not written any more.
  Outcome Run(const std::stop_token& stop);

  /// Whether Run is between winning the lease and losing it or giving it back.
  bool IsLeading() const;
  /// Until when what the leader sends is covered by the lease; nullopt while it does not lead.
  std::optional<WriteTerm> Term() const;
  /// The holder that was seen last, or "".
  std::string Leader() const;
  /// For health checks: an error when this process is leading and has not renewed for longer than
  /// the lease duration and `tolerance`, that is, when it hangs.
  Status Check(Duration tolerance) const;

 private:
  using Lease = api::coordination::v1::Lease;
  using LeasePtr = std::shared_ptr<const Lease>;

  bool Acquire(const std::stop_token& stop);
  bool Renew(const std::stop_token& stop);
  bool RenewUntil(MonotonicTime deadline, const std::stop_token& stop);
  void Release();

  bool TryAcquireOrRenew(const Client& client);
  bool TryFastPath(const Client& client, MonotonicTime start);
  bool TryCreate(const Client& client, MonotonicTime start);
  bool Write(const Client& client, const LeasePtr& from, Lease to, MonotonicTime start,
             std::string_view failure);
  Lease Claim(const LeasePtr& from) const;

  void Observe(LeasePtr lease, MonotonicTime when);
  bool IsValid(MonotonicTime now) const;
  bool IsHolder() const;  ///< by what was observed last
  void SetLeading(bool leading);
  LeasePtr Observed() const;
  void ReportTransition();
  void RecordEvent(std::string_view what) const;

  const LeaderElectionConfig config_;
  const std::string lease_name_;
  const Client client_;
  Runtime& runtime_;
  const std::optional<EventRecorder> events_;
  const Callbacks callbacks_;
  Gauge master_status_;
  Counter slow_path_;

  std::string reported_leader_;
  mutable Mutex mutex_;
  bool leading_ CAPSTAN_GUARDED_BY(mutex_) = false;
  LeasePtr observed_ CAPSTAN_GUARDED_BY(mutex_);
  MonotonicTime observed_at_ CAPSTAN_GUARDED_BY(mutex_){};
  MonotonicTime renewed_at_
      CAPSTAN_GUARDED_BY(mutex_){};  ///< start of the last write that succeeded
};

}  // namespace capstan::manager
