#include "process/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

namespace capstan::tools {
namespace {

using Clock = std::chrono::steady_clock;

Status Failed(const std::string& what) {
  return Status::InvalidArgument(what + ": " + strerror(errno));
}

// Runs in the child. Only async-signal-safe calls are allowed, since the parent may have threads.
[[noreturn]] void Become(char* const* argv, const ChildProcess::Streams& streams, pid_t parent,
                         int report) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // the parent ended before prctl
  setpgid(0, 0);                        // Ctrl-C must not reach the child
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(streams.input, STDIN_FILENO);
  dup2(streams.output, STDOUT_FILENO);
  dup2(streams.errors, STDERR_FILENO);
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  execv(argv[0], argv);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(report, &error, sizeof(error));
  _exit(127);
}

// glibc 2.36 declares pidfd_open without extern "C".
io::UniqueFd OpenPid(pid_t pid) {
  return io::UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

}  // namespace

Result<ChildProcess> ChildProcess::Start(const std::vector<std::string>& argv, std::string log) {
  const io::UniqueFd input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!input.valid()) return Failed("cannot read /dev/null");
  const io::UniqueFd output(open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!output.valid()) return Failed("cannot write " + log);
  Result<ChildProcess> child = Start(argv, Streams{input.get(), output.get(), output.get()});
  if (child) child->log_ = std::move(log);
  return child;
}

Result<ChildProcess> ChildProcess::Start(const std::vector<std::string>& argv,
                                         const Streams& streams) {
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Failed("cannot create a pipe");
  const io::UniqueFd report(ends[0]);
  io::UniqueFd reporter(ends[1]);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) Become(arguments.data(), streams, parent, reporter.get());
  int error = errno;
  reporter.Reset();
  const bool failed = pid < 0 || read(report.get(), &error, sizeof(error)) > 0;
  if (!failed) return ChildProcess(pid, OpenPid(pid));
  if (pid > 0) waitpid(pid, nullptr, 0);
  errno = error;
  return Failed("cannot start " + argv[0]);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : log_(std::move(other.log_)),
      pid_(std::exchange(other.pid_, -1)),
      pid_fd_(std::move(other.pid_fd_)),
      exit_code_(other.exit_code_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(log_, other.log_);
  std::swap(pid_, other.pid_);
  std::swap(pid_fd_, other.pid_fd_);
  std::swap(exit_code_, other.exit_code_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (pid_ < 0 || exit_code_) return;
  Kill(SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::string ChildProcess::LogText() const {
  const std::ifstream file(log_, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string ChildProcess::LogTail(size_t lines) const {
  const std::string text = LogText();
  size_t begin = text.size();
  for (size_t seen = 0; begin > 0; --begin) {
    if (text[begin - 1] == '\n' && begin != text.size() && ++seen == lines) break;
  }
  return log_ + " ends with:\n" + text.substr(begin);
}

void ChildProcess::Kill(int signal) {
  if (pid_ > 0 && !exit_code_) kill(pid_, signal);
}

std::optional<int> ChildProcess::Wait(std::chrono::milliseconds limit) {
  if (exit_code_) return exit_code_;
  const auto deadline = Clock::now() + limit;
  pollfd child{pid_fd_.get(), POLLIN, 0};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    const int ready = poll(&child, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (ready > 0) break;
    if (ready == 0 || errno != EINTR) return std::nullopt;
  }
  int status = 0;
  if (waitpid(pid_, &status, 0) != pid_) return std::nullopt;
  exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return exit_code_;
}

}  // namespace capstan::tools
