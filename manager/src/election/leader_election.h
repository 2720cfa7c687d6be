#pragma once

/// LeaderElector: leader election with a Lease. At most one process holds the Lease at a time.
/// (client-go tools/leaderelection; https://kubernetes.io/docs/concepts/architecture/leases/)
///
/// A candidate watches the Lease. It acquires the Lease a few milliseconds after the holder
/// releases it, or after the Lease has not changed for the lease duration of its holder. The
/// candidate measures that duration by its own monotonic clock. The delay is random, so that
/// candidates do not collide. If the Lease cannot be watched, the candidate reads it every retry
/// period (with jitter). The leader writes a new renewTime every retry period. It also watches
/// whether somebody takes or deletes the Lease.
///
/// Three rules are stricter than client-go's:
/// - The renew deadline counts from the start of the last successful renewal, not from the first
///   failed one. After the deadline, Term() allows no new writes.
/// - The leader keeps trying to renew until the lease expires, because a successful renewal proves
///   that no other process has held the Lease meanwhile. An outage that is shorter than the lease
///   only pauses the writes.
/// - The leader creates a deleted Lease again at once. A candidate creates it only after the lease
///   duration that it last saw has expired.
///
/// With `coordinated`, the server chooses who holds the Lease (KEP-4355). The process maintains a
/// LeaseCandidate and holds the Lease once the server has written its name there. It releases the
/// Lease when the server prefers another process. If the server has no LeaseCandidates, a plain
/// Lease is used.
///
/// Threads: Run may be called any number of times, from one thread at a time. All other methods may
/// be called from any thread.

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

#include "base/io/deadline_stop.h"
#include "election/candidacy.h"
#include "election/identity.h"
#include "election/lease_view.h"
#include "election/object_watch.h"

namespace capstan::manager {

struct LeaderElectionConfig {
  NamespacedName lease;
  std::string identity;  ///< of this process; unique
  Duration lease_duration;
  Duration renew_deadline;
  Duration retry_period;
  /// Lets the server choose the leader, if it can. The identity is then converted with DnsSafe.
  bool coordinated = false;
  std::string binary_version = {};     ///< for coordinated: "1.2.0"
  std::string emulation_version = {};  ///< for coordinated: at most the binary version
};

class LeaderElector {
 public:
  /// All callbacks are called by the thread of Run, with no lock held.
  struct Callbacks {
    std::function<void()> on_started_leading;
    /// Called when the observed holder of the Lease has changed.
    std::function<void(const std::string& identity)> on_new_leader;
    /// The term has ended, for any reason, and Term() returns nullopt. If the lease is released,
    /// this happens after the callback returns. The callback must therefore end the calls that are
    /// under way. (After a stop there are none.)
    std::function<void()> on_stopped_leading;
  };
  enum class Outcome {
    kStopped,  ///< by the stop token; the lease is released if it was held
    kLost,     ///< taken by another process, or not renewed in time; not written again
    kGivenUp,  ///< by GiveUp, or because the server prefers another; released
  };

  /// If `events` is null, no events are recorded.
  LeaderElector(LeaderElectionConfig config, const Client& client, Runtime& runtime,
                MetricsRegistry& metrics, EventBroadcaster* events, Callbacks callbacks = {});

  /// Acquires and renews the lease until `stop` is triggered or the term ends for another reason.
  /// The caller triggers `stop` only after the controllers have stopped, because the lease is then
  /// released.
  Outcome Run(const std::stop_token& stop);

  /// Ends the term because the leader cannot do its work. The lease is released, so that another
  /// process may acquire it at once. This process does not try again for one lease duration. Does
  /// nothing when this process does not lead.
  void GiveUp(const std::string& why);

  /// Whether this process leads: from acquiring the lease until losing or releasing it.
  bool IsLeading() const;
  /// Until when the lease covers the writes of the leader; nullopt while this process does not
  /// lead.
  std::optional<WriteTerm> Term() const;
  /// The last observed holder, or "".
  std::string Leader() const;
  const std::string& identity() const { return config_.identity; }
  /// For health checks. Returns an error when this process leads and has not renewed the lease for
  /// longer than the lease duration plus `tolerance`, which means that it hangs.
  Status Check(Duration tolerance) const;

 private:
  using Lease = LeaseView::Lease;
  using LeasePtr = LeaseView::LeasePtr;
  struct Ending {
    Outcome outcome;
    std::string why;
  };
  /// The state of the Lease that a request is based on.
  struct Snapshot {
    LeasePtr lease;
    uint64_t revision;
  };

  // Acquiring the lease (leader_election.cpp).
  bool Acquire(const std::stop_token& stop);
  bool PrepareCandidacy(const Client& client, const std::stop_token& stop);
  bool TryAcquire(const Client& client);
  void AwaitTurn(uint64_t revision, const std::stop_token& stop);
  bool IsDue() const;
  MonotonicTime Due() const CAPSTAN_REQUIRES(mutex_);
  bool IsOffered() const CAPSTAN_REQUIRES(mutex_);
  /// The Lease, if this process may acquire it now.
  std::optional<Snapshot> Free() const;
  void PlanTurn() CAPSTAN_REQUIRES(mutex_);

  // Renewing the lease and ending the term (leader_term.cpp).
  void Lead(const std::stop_token& stop);
  bool AwaitRenewal(const std::stop_token& stop);
  void RenewBy(MonotonicTime deadline, const std::stop_token& stop);
  bool TryRenew(const Client& client);
  void ReportRenewal(bool renewed);
  Outcome EndTerm();
  void Release();
  std::stop_source End(Outcome outcome, std::string why) CAPSTAN_REQUIRES(mutex_);

  // Watching, reading and writing the Lease (leader_lease.cpp).
  void WatchLease();
  void Observe(LeasePtr lease, const std::string& version);
  Status Read(const Client& client);
  Status Write(const Client& client, const Snapshot& from, bool acquire);
  Lease Claim(const LeasePtr& from) const;
  Snapshot Seen() const;
  void ReportAnswer(const Status& status, std::string_view failure);
  void ReportTransition();
  void RecordEvent(std::string_view what) const;
  /// The lease duration in whole seconds, as the Lease stores it.
  Duration WrittenLeaseDuration() const;

  const LeaderElectionConfig config_;
  const std::string lease_name_;
  const Client client_;
  Runtime& runtime_;
  const std::optional<EventRecorder> events_;
  const Callbacks callbacks_;
  Gauge master_status_;
  Counter slow_path_;

  // Used only by the thread of Run.
  std::string reported_leader_;
  bool answers_failed_ = false;  ///< and this was logged
  bool renewal_late_ = false;    ///< and this was logged

  mutable Mutex mutex_;
  std::unique_ptr<Condition> changed_;
  LeaseView view_ CAPSTAN_GUARDED_BY(mutex_);
  bool coordinated_ CAPSTAN_GUARDED_BY(mutex_) = false;  ///< configured, and the server supports it
  bool following_ CAPSTAN_GUARDED_BY(mutex_) = false;    ///< the watch reports changes
  bool doubtful_ CAPSTAN_GUARDED_BY(mutex_) = false;     ///< a request failed: read before writing
  MonotonicTime take_at_ CAPSTAN_GUARDED_BY(mutex_){};
  MonotonicTime read_at_ CAPSTAN_GUARDED_BY(mutex_){};
  MonotonicTime held_back_until_ CAPSTAN_GUARDED_BY(mutex_){};  ///< after GiveUp
  bool leading_ CAPSTAN_GUARDED_BY(mutex_) = false;
  MonotonicTime renew_at_ CAPSTAN_GUARDED_BY(mutex_){};
  /// When the last successful write started.
  MonotonicTime renewed_at_ CAPSTAN_GUARDED_BY(mutex_){};
  std::optional<Ending> ending_ CAPSTAN_GUARDED_BY(mutex_);  ///< why the term ended
  std::stop_source term_stop_ CAPSTAN_GUARDED_BY(mutex_);    ///< stops the term's renewals

  // Used only by the thread of Run. They are destroyed before the members above.
  io::DeadlineStop renewal_deadline_;
  std::unique_ptr<Candidacy> candidacy_;
  std::unique_ptr<ObjectWatch> watch_;
};

}  // namespace capstan::manager
