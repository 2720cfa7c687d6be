#pragma once

/// DeadlineStop: stop tokens that trigger at a deadline or when a parent token triggers.
///
///     io::DeadlineStop bounded(runtime);
///     client.WithStop(bounded.Begin(deadline, parent)).Get(type, name);
///
/// Its thread starts with the first deadline. It sleeps through deadlines that are ended and begun
/// again later, so that a request that is repeated all the time does not wake it each time.
///
/// Threads: Begin and End are called by one thread at a time.

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include <capstan/runtime/runtime.h>

namespace capstan::io {

class DeadlineStop {
 public:
  explicit DeadlineStop(Runtime& runtime);
  ~DeadlineStop();  ///< ends the deadline
  DeadlineStop(const DeadlineStop&) = delete;
  DeadlineStop& operator=(const DeadlineStop&) = delete;

  /// Ends the deadline before, if any. Returns the token of this one.
  std::stop_token Begin(MonotonicTime deadline, const std::stop_token& parent);
  /// The token no longer triggers.
  void End();

 private:
  void Watch();

  Runtime& runtime_;
  Mutex mutex_;
  std::unique_ptr<Condition> condition_;
  std::stop_source source_ CAPSTAN_GUARDED_BY(mutex_);
  std::optional<MonotonicTime> deadline_ CAPSTAN_GUARDED_BY(mutex_);
  // When the thread wakes by itself. None: only when it is notified.
  std::optional<MonotonicTime> wakes_at_ CAPSTAN_GUARDED_BY(mutex_);
  bool stopped_ CAPSTAN_GUARDED_BY(mutex_) = false;
  std::optional<std::stop_callback<std::function<void()>>> forward_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace capstan::io
