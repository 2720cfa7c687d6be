#pragma once

/// ShutdownSignals: SIGTERM and SIGINT as a stop token, SIGHUP as a call.

#include <functional>
#include <memory>
#include <stop_token>

#include <capstan/runtime/runtime.h>

namespace capstan::cli {

/// Blocks these signals for this thread and those that it starts; SIGPIPE is ignored from now on.
/// Before the first thread is started.
void BlockShutdownSignals();

/// The first signal triggers the token. The second ends the process at once with 128 + its number.
class ShutdownSignals {
 public:
  /// `on_hangup` is called by a thread of its own; without one SIGHUP does nothing.
  explicit ShutdownSignals(Runtime& runtime, std::function<void()> on_hangup = {});
  ~ShutdownSignals();
  ShutdownSignals(const ShutdownSignals&) = delete;
  ShutdownSignals& operator=(const ShutdownSignals&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  void Watch();

  const std::function<void()> on_hangup_;
  std::stop_source source_;
  int signals_;
  int end_;
  std::unique_ptr<Thread> thread_;  // last: it uses all the others
};

}  // namespace capstan::cli
