#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace capstan::e2e {

using Seconds = std::chrono::seconds;
using Milliseconds = std::chrono::milliseconds;

struct CommandResult {
  int exit_code = -1;  // as Process::Wait gives it; 128 + SIGKILL when killed at the deadline
  std::string output;
  std::string errors;
};
// Runs a command to its end.
CommandResult RunCommand(const std::vector<std::string>& argv, const std::string& input,
                         Milliseconds timeout);

// A child process. It dies with the object, and with the test however the test ends: start it from
// a thread that lives as long as the child shall (the kernel ties a child to a thread).
// Not thread-safe. Throws std::system_error when the child cannot be started.
class Process {
 public:
  // argv[0] is the path of the executable; $PATH is not searched. The log gets stdout and stderr,
  // appended.
  Process(const std::vector<std::string>& argv, std::filesystem::path log);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  std::string LogText() const;
  // The end of the log, for a failure message.
  std::string LogTail(size_t lines = 25) const;

  bool IsRunning() { return !Wait(Milliseconds(0)); }
  void Kill(int signal);
  // The exit code, or 128 + the signal that ended it; nothing when it still runs at the deadline.
  std::optional<int> Wait(Milliseconds timeout);

 private:
  friend CommandResult RunCommand(const std::vector<std::string>&, const std::string&,
                                  Milliseconds);
  Process(const std::vector<std::string>& argv, int input, int output, int errors);

  std::filesystem::path log_;
  pid_t pid_ = -1;
  int pid_fd_ = -1;
  std::optional<int> exit_code_;
};

// Free TCP ports of 127.0.0.1, all different. They lie below the kernel's range for outgoing
// connections, so that none of these takes a port while its server is stopped for a while.
std::vector<int> FreePorts(size_t count);

// A directory under $TMPDIR that is removed with the object, unless a test has failed.
class TempDirectory {
 public:
  TempDirectory();
  ~TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string ReadFile(const std::filesystem::path& path);
void WriteFile(const std::filesystem::path& path, const std::string& text);

}  // namespace capstan::e2e
