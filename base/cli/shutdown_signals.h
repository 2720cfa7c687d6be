#pragma once

/// Signal handling: SIGTERM and SIGINT trigger a stop token, SIGHUP calls a function.

#include <functional>
#include <initializer_list>
#include <memory>
#include <stop_token>
#include <string>

#include <capstan/runtime/runtime.h>

#include "base/io/unique_fd.h"

namespace capstan::cli {

/// Calls a function for each received signal of a set, on a dedicated thread. Every thread of the
/// process must have the signals blocked. A signal that is pending when the watch starts is handled
/// too.
class SignalWatch {
 public:
  /// `name` is the name of the thread.
  SignalWatch(Runtime& runtime, std::string name, std::initializer_list<int> signals,
              std::function<void(int)> on_signal);
  ~SignalWatch();  ///< waits for a running call
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  void Watch();

  const std::function<void(int)> on_signal_;
  io::UniqueFd signals_;
  io::UniqueFd end_;
  std::unique_ptr<Thread> thread_;  // declared last: it uses all other members
};

/// The first SIGTERM or SIGINT triggers the token. The second one ends the process immediately with
/// exit code 128 + its number.
///
/// Create it first, before the process has a second thread. A signal that arrives earlier ends
/// the process. SIGHUP stays pending until a HangupSignal handles it. SIGPIPE is ignored from then
/// on.
/// on.
class ShutdownSignals {
 public:
  explicit ShutdownSignals(Runtime& runtime);

  std::stop_token token() const { return source_.get_token(); }

 private:
  void Handle(int signal);

  std::stop_source source_;
  SignalWatch watch_;  // declared last: its thread uses the source
};

/// Calls `on_hangup` for each SIGHUP. A ShutdownSignals must exist before it.
class HangupSignal {
 public:
  HangupSignal(Runtime& runtime, std::function<void()> on_hangup);

 private:
  SignalWatch watch_;
};

}  // namespace capstan::cli
