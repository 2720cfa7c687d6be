#pragma once

/// LeaseFence: the write fence of a term. Controllers write only while the lease is held. Events
/// are written a little longer if the lease was released, but not if it was lost.
///
/// Threads: all methods may be called from any thread.

#include <atomic>
#include <optional>

#include <capstan/client/write_fence.h>
#include <capstan/runtime/runtime.h>

#include "election/leader_election.h"

namespace capstan::manager {

class LeaseFence final : public WriteFence {
 public:
  /// `elector` is borrowed.
  LeaseFence(const LeaderElector& elector, Runtime& runtime)
      : elector_(elector), runtime_(runtime) {}

  std::optional<WriteTerm> Term() const override {
    if (auto term = elector_.Term()) return term;
    if (!open_) return std::nullopt;
    const MonotonicTime now = runtime_.Now();
    return WriteTerm{now + kOpenFor, now + kOpenFor};
  }
  /// From now on allows writes without the lease, for the events that remain after a term.
  void Open() { open_ = true; }

 private:
  static constexpr Duration kOpenFor = std::chrono::seconds(5);

  const LeaderElector& elector_;
  Runtime& runtime_;
  std::atomic<bool> open_ = false;
};

}  // namespace capstan::manager
