#pragma once

/// LeaderElector: of all processes that try, at most one holds the Lease.
/// (client-go tools/leaderelection; https://kubernetes.io/docs/concepts/architecture/leases/)
///
/// A candidate watches the Lease. It takes it a few milliseconds after its holder gave it back, or
/// after it has not changed, by the candidate's own monotonic clock, for as long as its holder
/// promised; the delay is random, so that rivals do not collide. Where the Lease cannot be watched
/// it is read every retry period (with jitter). The leader writes a new renewTime every retry
/// period, and watches too whether somebody takes or deletes the Lease.
///
/// Three rules are stricter than client-go's. The renew deadline counts from the start of the last
/// renewal that succeeded, not from the first that failed: from then on Term() lets nothing be
/// written any more. The leader goes on trying until the lease itself ends, as a renewal that
/// succeeds proves that nobody else has held it meanwhile; so an outage that is shorter than the
/// lease costs no more than a pause. And a Lease that was deleted is made anew at once by its
/// leader, but by a candidate only when the promise that it saw has ended.
///
/// With `coordinated` the server chooses who holds the Lease (KEP-4355): the process keeps a
/// LeaseCandidate, holds the Lease once the server has put its name there, and gives it up when the
/// server would rather have another. A server without LeaseCandidates means a plain Lease.
///
/// Threads: Run from one thread at a time, any number of times; all others from any.

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

#include "election/candidacy.h"
#include "election/identity.h"
#include "election/lease_view.h"
#include "election/object_watch.h"

namespace capstan::manager {

struct LeaderElectionConfig {
  NamespacedName lease;
  std::string identity;  ///< of this process, unlike any other's
  Duration lease_duration;
  Duration renew_deadline;
  Duration retry_period;
  /// Lets the server choose, if it can. The identity is made DnsSafe then.
  bool coordinated = false;
  std::string binary_version = {};     ///< coordinated: "1.2.0"
  std::string emulation_version = {};  ///< coordinated: at most the binary version
};

class LeaderElector {
 public:
  /// All are called by the thread of Run, with no lock held.
  struct Callbacks {
    std::function<void()> on_started_leading;
    /// Called when the holder seen in the Lease is another one than before.
    std::function<void(const std::string& identity)> on_new_leader;
    /// The term has ended, whyever: Term() says nullopt. Where the lease is given back, that
    /// happens after this has returned; so what is still under way is to be ended here. (After a
    /// stop there is nothing any more.)
    std::function<void()> on_stopped_leading;
  };
  enum class Outcome {
    kStopped,  ///< by the stop token; given back if it was held
    kLost,     ///< taken by another, or not renewed in time; not written any more
    kGivenUp,  ///< by GiveUp, or for another whom the server prefers; given back
  };

  /// `events` may be null: then none are recorded.
  LeaderElector(LeaderElectionConfig config, const Client& client, Runtime& runtime,
                MetricsRegistry& metrics, EventBroadcaster* events, Callbacks callbacks = {});

  /// Acquires and renews until `stop` is triggered, or until the term ends otherwise. `stop` says
  /// too that the controllers have stopped: the lease is given back.
  Outcome Run(const std::stop_token& stop);

  /// The leader cannot do its work: it stops leading, and gives the lease back, so that another
  /// may take it at once. This process does not try again for one lease duration. Nothing happens
  /// when it does not lead.
  void GiveUp(const std::string& why);

  /// Whether Run is between winning the lease and losing it or giving it back.
  bool IsLeading() const;
  /// Until when what the leader sends is covered by the lease; nullopt while it does not lead.
  std::optional<WriteTerm> Term() const;
  /// The holder that was seen last, or "".
  std::string Leader() const;
  const std::string& identity() const { return config_.identity; }
  /// For health checks: an error when this process is leading and has not renewed for longer than
  /// the lease duration and `tolerance`, that is, when it hangs.
  Status Check(Duration tolerance) const;

 private:
  using Lease = LeaseView::Lease;
  using LeasePtr = LeaseView::LeasePtr;
  struct Ending {
    Outcome outcome;
    std::string why;
  };
  /// What a request starts from.
  struct Snapshot {
    LeasePtr lease;
    uint64_t revision;
  };

  // Becoming the leader (leader_election.cpp).
  bool Acquire(const std::stop_token& stop);
  bool PrepareCandidacy(const Client& client, const std::stop_token& stop);
  bool TryAcquire(const Client& client);
  void AwaitTurn(uint64_t revision, const std::stop_token& stop);
  bool IsDue() const;
  MonotonicTime Due() const CAPSTAN_REQUIRES(mutex_);
  bool IsOffered() const CAPSTAN_REQUIRES(mutex_);
  /// The Lease as it may be written now.
  std::optional<Snapshot> Free() const;
  void PlanTurn() CAPSTAN_REQUIRES(mutex_);

  // Being it, and the end of it (leader_term.cpp).
  void Lead(const std::stop_token& stop);
  bool AwaitRenewal(const std::stop_token& stop);
  void RenewBy(MonotonicTime deadline, const std::stop_token& stop);
  bool TryRenew(const Client& client);
  void ReportRenewal(bool renewed);
  Outcome EndTerm();
  void Release();
  std::stop_source End(Outcome outcome, std::string why) CAPSTAN_REQUIRES(mutex_);

  // The Lease (leader_lease.cpp).
  void WatchLease();
  void Hear(LeasePtr lease, const std::string& version);
  Status Read(const Client& client);
  Status Write(const Client& client, const Snapshot& from, bool acquire);
  Lease Claim(const LeasePtr& from) const;
  Snapshot Seen() const;
  void ReportAnswer(const Status& status, std::string_view failure);
  void ReportTransition();
  void RecordEvent(std::string_view what) const;
  Duration Promise() const;  ///< the lease duration as a Lease can say it: in whole seconds

  const LeaderElectionConfig config_;
  const std::string lease_name_;
  const Client client_;
  Runtime& runtime_;
  const std::optional<EventRecorder> events_;
  const Callbacks callbacks_;
  Gauge master_status_;
  Counter slow_path_;

  // Of Run's thread.
  std::string reported_leader_;
  bool answers_failed_ = false;  ///< and it was said
  bool renewal_late_ = false;    ///< and it was said

  mutable Mutex mutex_;
  std::unique_ptr<Condition> changed_;
  LeaseView view_ CAPSTAN_GUARDED_BY(mutex_);
  bool coordinated_ CAPSTAN_GUARDED_BY(mutex_) = false;  ///< asked for, and the server can
  bool following_ CAPSTAN_GUARDED_BY(mutex_) = false;    ///< changes are told by the watch
  bool doubtful_ CAPSTAN_GUARDED_BY(mutex_) = false;     ///< a request failed: read before writing
  MonotonicTime take_at_ CAPSTAN_GUARDED_BY(mutex_){};
  MonotonicTime read_at_ CAPSTAN_GUARDED_BY(mutex_){};
  MonotonicTime held_back_until_ CAPSTAN_GUARDED_BY(mutex_){};  ///< after GiveUp
  bool leading_ CAPSTAN_GUARDED_BY(mutex_) = false;
  MonotonicTime renew_at_ CAPSTAN_GUARDED_BY(mutex_){};
  /// Start of the last write that succeeded.
  MonotonicTime renewed_at_ CAPSTAN_GUARDED_BY(mutex_){};
  std::optional<Ending> ending_ CAPSTAN_GUARDED_BY(mutex_);  ///< of the term
  std::stop_source term_stop_ CAPSTAN_GUARDED_BY(mutex_);    ///< ends its renewals

  // Of Run's thread; they end before anything above.
  std::unique_ptr<Candidacy> candidacy_;
  std::unique_ptr<ObjectWatch> watch_;
};

}  // namespace capstan::manager
