#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <capstan/runtime/status.h>

namespace capstan::demo {

// A program that runs beside, with its output in a file. It dies with the object, and with this
// process however that ends.
class ChildProcess {
 public:
  // argv[0] is a path. Errors name the program.
  static Result<ChildProcess> Start(const std::vector<std::string>& argv, std::string log);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  const std::string& log() const { return log_; }
  bool HasLogged(const std::string& text) const;
  // The end of the log, for people.
  std::string LogTail() const;

  bool IsRunning();
  void Signal(int signal);
  // The exit code, or 128 + the signal; nothing when it still runs after `limit`.
  std::optional<int> Wait(std::chrono::milliseconds limit);

 private:
  ChildProcess(pid_t pid, std::string log) : pid_(pid), log_(std::move(log)) {}

  pid_t pid_ = -1;
  std::string log_;
  std::optional<int> exit_code_;
};

}  // namespace capstan::demo
