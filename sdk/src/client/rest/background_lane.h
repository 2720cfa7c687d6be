#pragma once

/// BackgroundLane: admits requests that can wait, such as events, behind all others.
///
/// - While other requests are in progress, or were within the last 50 ms, background requests are
///   sent one at a time. They take at most a tenth of the rate, and at most a tenth of the time of
///   one connection: after a request the lane pauses for nine times as long as the request took,
///   but for no more than a second.
/// - Otherwise they have the whole rate. They leave half of the burst to others. After a second
///   without other requests four are sent at a time.
///
/// Threads: all methods may be called from any thread; a Seat is used by one thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "client/rest/flow_control.h"
#include "client/rest/request_activity.h"

#include <capstan/runtime/mutex.h>
#include <capstan/runtime/runtime.h>

namespace capstan {

class BackgroundLane {
 public:
  /// `runtime`, `budget` and `activity` are borrowed.
  BackgroundLane(Runtime& runtime, RequestBudget& budget, const RequestActivity& activity);

  /// A request's place in the lane.
  class Seat {
   public:
    explicit Seat(BackgroundLane& lane) : lane_(lane) {}
    ~Seat() { Leave(); }
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;

    /// Waits until the request may be sent, and takes a token of the budget for it. Returns false,
    /// and takes none, if `stop` is triggered or `until` comes first.
    bool Enter(const std::string& flow, const std::stop_token& stop,
               std::optional<MonotonicTime> until = {});
    /// Ends the request. Does nothing if it has not entered.
    void Leave();

   private:
    BackgroundLane& lane_;
    std::optional<MonotonicTime> entered_;
  };

 private:
  enum class Turn : uint8_t { kNone, kAmongOthers, kAlone };

  Turn AwaitTurn(const std::stop_token& stop, std::optional<MonotonicTime> until);
  // If there is no turn now, may bring `again` forward, the time at which to try again.
  Turn TakeTurn(MonotonicTime now, MonotonicTime& again) CAPSTAN_REQUIRES(mutex_);
  void Leave(Duration took);

  Runtime& runtime_;
  RequestBudget& budget_;
  const RequestActivity& activity_;
  Mutex mutex_;
  const std::unique_ptr<Condition> timer_;   // of the waiter that tries again by the clock
  const std::unique_ptr<Condition> others_;  // of those that wait for it
  int in_progress_ CAPSTAN_GUARDED_BY(mutex_) = 0;
  // The earliest time of the next request among others.
  MonotonicTime next_ CAPSTAN_GUARDED_BY(mutex_) = MonotonicTime::min();
  // Whether a waiter tries again by the clock. Then one of the others does, and so on: each change
  // wakes one thread.
  bool has_timer_ CAPSTAN_GUARDED_BY(mutex_) = false;
};

}  // namespace capstan
