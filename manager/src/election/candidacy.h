#pragma once

/// Candidacy: maintains a LeaseCandidate, so that the server may choose this process to hold a
/// Lease.
///
/// It creates the LeaseCandidate and renews it every five minutes. It also renews it at once when
/// the server asks whether the process is alive (the server waits for 5 s). A deleted
/// LeaseCandidate is created again. If it cannot be watched, it is read every retry period.
///
/// Threads: the Candidacy starts its own thread, which does the work. The destructor stops that
/// thread and then deletes the LeaseCandidate. It waits at most one second for the deletion.

#include <memory>
#include <stop_token>
#include <string>

#include <capstan/client/client.h>
#include <capstan/runtime/runtime.h>

#include "election/lease_candidate.h"
#include "election/object_watch.h"

namespace capstan::manager {

class Candidacy {
 public:
  struct Config {
    NamespacedName candidate;  ///< in the namespace of the Lease
    std::string lease_name;
    std::string binary_version;
    std::string emulation_version;
    Duration retry_period;
  };

  /// `type` is a result of ServedLeaseCandidate.
  Candidacy(const Client& client, const TypeDescriptor& type, Config config, Runtime& runtime);
  ~Candidacy();
  Candidacy(const Candidacy&) = delete;
  Candidacy& operator=(const Candidacy&) = delete;

 private:
  using CandidatePtr = std::shared_ptr<const LeaseCandidate>;

  void Run(const std::stop_token& stop);
  bool AwaitTurn(const std::stop_token& stop);
  /// Creates, renews or reads the LeaseCandidate, whichever is due.
  Status Keep(const Client& client);
  Status Create(const Client& client);
  Status Read(const Client& client);
  Status Renew(const Client& client, const LeaseCandidate& from);
  void See(ObjectPtr object, const std::string& version);
  void Report(const Status& status);
  void Withdraw();

  const Client client_;
  const TypeDescriptor& type_;
  const Config config_;
  Runtime& runtime_;
  bool failing_ = false;  // used only by the thread

  Mutex mutex_;
  std::unique_ptr<Condition> changed_;
  bool is_known_ CAPSTAN_GUARDED_BY(mutex_) = false;
  bool following_ CAPSTAN_GUARDED_BY(mutex_) = false;
  CandidatePtr candidate_ CAPSTAN_GUARDED_BY(mutex_);  ///< null if it does not exist
  MonotonicTime renew_at_ CAPSTAN_GUARDED_BY(mutex_){};
  MonotonicTime read_at_ CAPSTAN_GUARDED_BY(mutex_){};  ///< used while it is not watched

  std::stop_source stop_;
  std::unique_ptr<ObjectWatch> watch_;
  std::unique_ptr<Thread> thread_;  // last: it uses all other members
};

}  // namespace capstan::manager
