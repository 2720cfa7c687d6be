#pragma once

/// LeaseView: what one process knows of a Lease, and until when somebody else's promise stands.
///
/// The times in a Lease are for people: a promise counts from when it was seen here. What is known
/// comes from answers and from a watch, in any order; the resourceVersion says which is newer
/// (https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions).
///
/// Threads: none; whoever owns it locks.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <capstan/api/coordination_v1.h>
#include <capstan/runtime/clock.h>

namespace capstan::manager {

class LeaseView {
 public:
  using Lease = api::coordination::v1::Lease;
  using LeasePtr = std::shared_ptr<const Lease>;

  /// `default_duration` is that of a Lease which does not say its own.
  LeaseView(std::string identity, Duration default_duration);

  /// What a watch tells; null: `version` deleted it. False when it is nothing new.
  bool Hear(LeasePtr lease, const std::string& version, MonotonicTime now);
  /// The answer to a request that was sent at `revision`; null: there is no Lease. It is the truth,
  /// even if its version is smaller (a restored server), unless something newer was seen meanwhile.
  void Learn(LeasePtr lease, uint64_t revision, MonotonicTime now);

  /// Counts what was seen.
  uint64_t revision() const { return revision_; }
  bool is_known() const { return is_known_; }
  const LeasePtr& lease() const { return lease_; }  ///< null: there is none, or it is not known
  std::string_view holder() const;                  ///< "": nobody
  bool IsMine() const { return holder() == identity_; }
  /// The server would rather have another one than this process (coordinated election).
  bool IsUnwanted() const;
  /// When the promise of whoever else held it ends, or ended. A deletion ends none.
  MonotonicTime free_at() const { return free_at_; }

 private:
  void Take(LeasePtr lease, std::string version, MonotonicTime now);

  const std::string identity_;
  const Duration default_duration_;
  uint64_t revision_ = 0;
  bool is_known_ = false;
  LeasePtr lease_;
  std::string version_;
  MonotonicTime free_at_{};
};

}  // namespace capstan::manager
