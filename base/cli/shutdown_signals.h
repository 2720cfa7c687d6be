#pragma once

/// Signals that a program handles in order: SIGTERM and SIGINT as a stop token, SIGHUP as a call.

#include <functional>
#include <initializer_list>
#include <memory>
#include <stop_token>
#include <string>

#include <capstan/runtime/runtime.h>

#include "base/io/unique_fd.h"

namespace capstan::cli {

/// Calls a function for each signal of a set, on a thread of its own. Every thread of the process
/// must have the signals blocked; one that is pending when the watch begins is handled too.
class SignalWatch {
 public:
  /// `name` is the thread's.
  SignalWatch(Runtime& runtime, std::string name, std::initializer_list<int> signals,
              std::function<void(int)> on_signal);
  ~SignalWatch();  ///< waits for the call that is under way
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  void Watch();

  const std::function<void(int)> on_signal_;
  io::UniqueFd signals_;
  io::UniqueFd end_;
  std::unique_ptr<Thread> thread_;  // last: it uses all the others
};

/// The first SIGTERM or SIGINT triggers the token. The second ends the process at once with 128 +
/// its number.
///
/// Make it first of all, before the process has a second thread: a signal that comes earlier ends
/// the process. SIGHUP stays pending until a HangupSignal takes it, and SIGPIPE is ignored from now
/// on.
class ShutdownSignals {
 public:
  explicit ShutdownSignals(Runtime& runtime);

  std::stop_token token() const { return source_.get_token(); }

 private:
  void Handle(int signal);

  std::stop_source source_;
  SignalWatch watch_;  // last: its thread uses the source
};

/// Calls `on_hangup` for each SIGHUP. Make a ShutdownSignals first.
class HangupSignal {
 public:
  HangupSignal(Runtime& runtime, std::function<void()> on_hangup);

 private:
  SignalWatch watch_;
};

}  // namespace capstan::cli
