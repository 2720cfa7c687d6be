#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <capstan/runtime/status.h>

namespace capstan::tools {

// A program that runs beside. It dies with the object, and with this process however that ends:
// start it from a thread that lives as long as the child shall (the kernel ties a child to a
// thread). Ctrl-C reaches this process alone, which ends its children in order.
// Not thread-safe.
class ChildProcess {
 public:
  // argv[0] is a path; $PATH is not searched. What it says is appended to `log`. Errors name the
  // program.
  static Result<ChildProcess> Start(const std::vector<std::string>& argv, std::string log);
  struct Streams {
    int input;
    int output;
    int errors;
  };
  // The same with file descriptors, which stay the caller's; it has no log.
  static Result<ChildProcess> Start(const std::vector<std::string>& argv, const Streams& streams);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  std::string LogText() const;
  // "... ends with:" and the last lines of the log, for people.
  std::string LogTail(size_t lines = 25) const;

  bool IsRunning() { return !Wait({}).has_value(); }
  void Kill(int signal);
  // The exit code, or 128 + the signal that ended it; nothing when it still runs after `limit`.
  std::optional<int> Wait(std::chrono::milliseconds limit);

 private:
  ChildProcess(pid_t pid, int pid_fd) : pid_(pid), pid_fd_(pid_fd) {}

  std::string log_;
  pid_t pid_ = -1;
  int pid_fd_ = -1;
  std::optional<int> exit_code_;
};

}  // namespace capstan::tools
