#include "client/rest/background_lane.h"

#include <algorithm>
#include <chrono>

namespace capstan {
namespace {

constexpr Duration kQuiet = std::chrono::milliseconds(50);
constexpr Duration kLongQuiet = std::chrono::seconds(1);
constexpr Duration kLongestPause = std::chrono::seconds(1);
constexpr int kShare = 10;  // one part in so many
constexpr int kMostAtATime = 4;

}  // namespace

BackgroundLane::BackgroundLane(Runtime& runtime, RequestBudget& budget,
                               const RequestActivity& activity)
    : runtime_(runtime),
      budget_(budget),
      activity_(activity),
      timer_(runtime.NewCondition()),
      others_(runtime.NewCondition()) {}

bool BackgroundLane::Seat::Enter(const std::string& flow, const std::stop_token& stop,
                                 std::optional<MonotonicTime> until) {
  const Turn turn = lane_.AwaitTurn(stop, until);
  if (turn == Turn::kNone) return false;
  // The others may be waiting for the budget too.
  if (turn == Turn::kAmongOthers && !lane_.budget_.Accept(flow, stop, until)) {
    lane_.Leave({});
    return false;
  }
  entered_ = lane_.runtime_.Now();
  return true;
}

void BackgroundLane::Seat::Leave() {
  if (!entered_) return;
  lane_.Leave(lane_.runtime_.Now() - *entered_);
  entered_.reset();
}

BackgroundLane::Turn BackgroundLane::AwaitTurn(const std::stop_token& stop,
                                               std::optional<MonotonicTime> until) {
  const StopWaker timer_waker(stop, mutex_, *timer_);
  const StopWaker others_waker(stop, mutex_, *others_);
  Turn turn = Turn::kNone;
  bool timer = false;
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    const MonotonicTime now = runtime_.Now();
    if (until && now >= *until) break;
    MonotonicTime again = now + kQuiet;
    turn = TakeTurn(now, again);
    if (turn != Turn::kNone) break;
    if (!has_timer_) timer = has_timer_ = true;
    if (timer) {
      (void)timer_->WaitUntil(mutex_, until ? std::min(again, *until) : again);
    } else if (until) {
      (void)others_->WaitUntil(mutex_, *until);
    } else {
      others_->Wait(mutex_);
    }
  }
  if (timer) has_timer_ = false;
  if (!has_timer_) others_->NotifyOne();
  return turn;
}

BackgroundLane::Turn BackgroundLane::TakeTurn(MonotonicTime now, MonotonicTime& again) {
  const Duration idle = activity_.IdleFor(now);
  if (in_progress_ >= (idle >= kLongQuiet ? kMostAtATime : 1)) return Turn::kNone;
  if (idle < kQuiet) {
    again = std::min(now + (kQuiet - idle), std::max(next_, now));
    if (now < next_) return Turn::kNone;
    const double rate = budget_.Rate();
    if (rate > 0) {
      next_ = now + std::chrono::ceil<Duration>(std::chrono::duration<double>(kShare / rate));
    }
    ++in_progress_;
    return Turn::kAmongOthers;
  }
  if (const std::optional<MonotonicTime> spare = budget_.TakeSpare()) {
    again = *spare;
    return Turn::kNone;
  }
  ++in_progress_;
  return Turn::kAlone;
}

void BackgroundLane::Leave(Duration took) {
  const Duration pause = std::min<Duration>(took, kLongestPause) * (kShare - 1);
  const MonotonicTime next = runtime_.Now() + std::min<Duration>(pause, kLongestPause);
  MutexLock lock(mutex_);
  --in_progress_;
  next_ = std::max(next_, next);
  timer_->NotifyOne();
}

}  // namespace capstan
