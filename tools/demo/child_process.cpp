#include "child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

namespace capstan::demo {
namespace {

constexpr std::chrono::milliseconds kLook{10};
constexpr size_t kTail = 2000;  // bytes of a log that are shown

std::string ReadText(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// In the child: only async-signal-safe calls, as the parent may have threads.
[[noreturn]] void Become(char* const* argv, int output, pid_t parent, int report) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  setpgid(0, 0);  // so that Ctrl-C reaches this program alone, which ends the children in order
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int input = open("/dev/null", O_RDONLY);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execv(argv[0], argv);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(report, &error, sizeof(error));
  _exit(127);
}

}  // namespace

Result<ChildProcess> ChildProcess::Start(const std::vector<std::string>& argv, std::string log) {
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (output < 0) return Status::InvalidArgument("cannot write " + log + ": " + strerror(errno));
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) {
    close(output);
    return Status::InvalidArgument(std::string("no pipe: ") + strerror(errno));
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) Become(arguments.data(), output, parent, report[1]);
  int error = errno;
  close(output);
  close(report[1]);
  const bool failed = pid < 0 || read(report[0], &error, sizeof(error)) > 0;
  close(report[0]);
  if (!failed) return ChildProcess(pid, std::move(log));
  if (pid > 0) waitpid(pid, nullptr, 0);
  return Status::InvalidArgument("cannot start " + argv[0] + ": " + strerror(error));
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      log_(std::move(other.log_)),
      exit_code_(other.exit_code_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(log_, other.log_);
  std::swap(exit_code_, other.exit_code_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (pid_ < 0 || exit_code_) return;
  Signal(SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool ChildProcess::HasLogged(const std::string& text) const {
  return ReadText(log_).find(text) != std::string::npos;
}

std::string ChildProcess::LogTail() const {
  std::string text = ReadText(log_);
  if (text.size() <= kTail) return text;
  return text.substr(text.find('\n', text.size() - kTail) + 1);
}

bool ChildProcess::IsRunning() { return !Wait({}).has_value(); }

void ChildProcess::Signal(int signal) {
  if (pid_ > 0 && !exit_code_) kill(pid_, signal);
}

std::optional<int> ChildProcess::Wait(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!exit_code_) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    } else if (std::chrono::steady_clock::now() >= deadline) {
      return std::nullopt;
    } else {
      std::this_thread::sleep_for(kLook);
    }
  }
  return exit_code_;
}

}  // namespace capstan::demo
