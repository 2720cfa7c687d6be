#pragma once

/// RequestBudget: limits the rate of requests to a server.
///
/// Waiting requests are admitted in turns by flow (see FairOrder), so that a flow with many workers
/// leaves the others their shares. (client-go util/flowcontrol has one order for all.)
///
/// If `max_qps` is above `qps`, the rate adapts to the server (see AdaptiveRate), and the burst
/// changes in the same proportion. When the rate shrinks, saved tokens are discarded.
///
/// Threads: all methods may be called from any thread.

#include <optional>
#include <stop_token>
#include <string>

#include "client/rest/adaptive_rate.h"
#include "queue/fair_order.h"
#include "queue/token_bucket.h"

#include <capstan/runtime/mutex.h>
#include <capstan/runtime/runtime.h>

namespace capstan {

class RequestBudget {
 public:
  /// `qps` <= 0: no limit.
  RequestBudget(Runtime& runtime, double qps, int burst, double max_qps = 0);

  /// Takes a token for one request of `flow`, and waits until one is available. Returns false, and
  /// takes none, if `stop` is triggered or `until` comes first.
  bool Accept(const std::string& flow, const std::stop_token& stop,
              std::optional<MonotonicTime> until = {});

  /// Takes a token if no request waits and more than half of the burst is saved, and returns
  /// nullopt. Otherwise returns the time at which to try again.
  std::optional<MonotonicTime> TakeSpare();

  bool adapts() const { return adapts_; }
  /// Reports the response to an accepted request. Returns whether and why the rate changed.
  AdaptiveRate::Change Answered(const AdaptiveRate::Answer& answer);
  /// The current rate in requests per second; 0: no limit.
  double Rate() const;

 private:
  struct Waiter;

  bool TakeNow();
  bool WaitInLine(const std::string& flow, const std::stop_token& stop,
                  std::optional<MonotonicTime> until);
  void ServeLine() CAPSTAN_REQUIRES(mutex_);

  Runtime& runtime_;
  const bool adapts_;
  const double qps_;
  const double burst_;
  mutable Mutex mutex_;
  TokenBucket bucket_ CAPSTAN_GUARDED_BY(mutex_);
  std::optional<AdaptiveRate> rate_ CAPSTAN_GUARDED_BY(mutex_);
  FairOrder line_ CAPSTAN_GUARDED_BY(mutex_);
  // The one waiter that sleeps until the next token is available. Another waiter may get the token.
  Waiter* timer_ CAPSTAN_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace capstan
