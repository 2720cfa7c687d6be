#pragma once

// RequestBudget: how often requests may be sent to a server.
//
// Requests that have to wait are let through in turns by their flows (see FairOrder), so that one
// with many workers leaves the others their shares. (client-go util/flowcontrol has one order.)
//
// With `max_qps` above `qps` the rate adapts to the server (see AdaptiveRate), and the burst with
// it in the same proportion. When the rate shrinks, what was saved for a burst is given up.
//
// Threads: all methods may be called from any thread.

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
  // `qps` <= 0: no limit.
  RequestBudget(Runtime& runtime, double qps, int burst, double max_qps = 0);

  // Takes the leave to send one request of `flow`, waiting for it when there is none. False when
  // `stop` was triggered, or `until` came, first: nothing is taken then.
  bool Accept(const std::string& flow, const std::stop_token& stop,
              std::optional<MonotonicTime> until = {});

  bool adapts() const { return adapts_; }
  // How a request that was accepted was answered; tells whether and why the rate is another now.
  AdaptiveRate::Change Answered(const AdaptiveRate::Answer& answer);
  // Requests in a second at present; 0 = no limit.
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
  // Who of those in line waits for the next token, whoever may get it.
  Waiter* timer_ CAPSTAN_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace capstan
