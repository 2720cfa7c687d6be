#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/runtime/status.h>

#include "base/io/unique_fd.h"

namespace capstan::tools {

/// A child process. It ends when this object is destroyed, and when this process ends for any
/// reason. The kernel ties a child to the thread that starts it, so that thread must live as long
/// as the child. Ctrl-C reaches only this process, which ends its children in order.
/// Threads: not thread-safe.
class ChildProcess {
 public:
  /// Starts a program. argv[0] is a path; $PATH is not searched. Output is appended to the file
  /// `log`. Errors name the program.
  static Result<ChildProcess> Start(const std::vector<std::string>& argv, std::string log);
  struct Streams {
    int input;
    int output;
    int errors;
  };
  /// Starts a program with file descriptors, which the caller keeps. There is no log.
  static Result<ChildProcess> Start(const std::vector<std::string>& argv, const Streams& streams);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  std::string LogText() const;
  /// The last lines of the log with the heading "... ends with:", for error messages.
  std::string LogTail(size_t lines = 25) const;

  bool IsRunning() { return !Wait({}).has_value(); }
  void Kill(int signal);
  /// The exit code, or 128 + the signal that ended the process. Returns nullopt if it still runs
  /// after `limit`.
  std::optional<int> Wait(std::chrono::milliseconds limit);

 private:
  ChildProcess(pid_t pid, io::UniqueFd pid_fd) : pid_(pid), pid_fd_(std::move(pid_fd)) {}

  std::string log_;
  pid_t pid_ = -1;
  io::UniqueFd pid_fd_;
  std::optional<int> exit_code_;
};

}  // namespace capstan::tools
