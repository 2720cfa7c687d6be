#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "process/child_process.h"

namespace capstan::e2e {

using Seconds = std::chrono::seconds;
using Milliseconds = std::chrono::milliseconds;

struct CommandResult {
  // as returned by ChildProcess::Wait; 128 + SIGKILL when killed at the deadline
  int exit_code = -1;
  std::string output;
  std::string errors;
};
// Runs a command until it exits.
CommandResult RunCommand(const std::vector<std::string>& argv, const std::string& input,
                         Milliseconds timeout);

// A child process whose constructor throws std::runtime_error when it cannot be started.
class Process : public tools::ChildProcess {
 public:
  Process(const std::vector<std::string>& argv, const std::filesystem::path& log);
};

// Free TCP ports of 127.0.0.1, all different. They are below the kernel's range for outgoing
// connections, so that no connection takes a port while its server is stopped.
std::vector<int> FreePorts(size_t count);

// A directory under $TMPDIR. The destructor removes it unless a test has failed.
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
