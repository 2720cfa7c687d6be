#pragma once

/// LeaseView: what this process knows about a Lease, and when the lease of another holder expires.
///
/// The times in a Lease are informational. A lease duration counts from when this process observed
/// the Lease. Responses and watch events update the view, in any order. The resourceVersion tells
/// which is newer (https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions).
///
/// Threads: not thread-safe; the owner must lock.

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

  /// `default_duration` applies to a Lease without leaseDurationSeconds.
  LeaseView(std::string identity, Duration default_duration);

  /// Applies a watch event. Null means that `version` deleted the Lease. Returns false if the event
  /// is not newer than the view.
  bool Observe(LeasePtr lease, const std::string& version, MonotonicTime now);
  /// Applies the response to a request that was sent at `revision`. Null means that there is no
  /// Lease. The response is accepted even if its resourceVersion is smaller (after a restore of the
  /// server), unless something newer was observed since `revision`.
  void Learn(LeasePtr lease, uint64_t revision, MonotonicTime now);

  /// The number of updates of this view.
  uint64_t revision() const { return revision_; }
  bool is_known() const { return is_known_; }
  const LeasePtr& lease() const { return lease_; }  ///< null if it does not exist or is not known
  std::string_view holder() const;                  ///< "" if nobody holds it
  bool IsMine() const { return holder() == identity_; }
  /// The server prefers another holder to this process (coordinated election).
  bool IsUnwanted() const;
  /// When the lease of the last other holder expires or has expired. Deleting the Lease does not
  /// change it.
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
