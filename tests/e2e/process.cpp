#include "process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace capstan::e2e {
namespace {

[[noreturn]] void ThrowErrno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

class FileDescriptor {
 public:
  FileDescriptor(int fd, const std::string& what) : fd_(fd) {
    if (fd < 0) ThrowErrno(what);
  }
  ~FileDescriptor() { close(fd_); }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

FileDescriptor Open(const std::filesystem::path& path, int flags) {
  return {open(path.c_str(), flags | O_CLOEXEC, 0644), "open " + path.string()};
}

FileDescriptor InMemory(const char* name) { return {memfd_create(name, MFD_CLOEXEC), name}; }

std::string ReadAll(int fd) {
  std::string text(static_cast<size_t>(lseek(fd, 0, SEEK_END)), '\0');
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t length =
        pread(fd, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (length <= 0) ThrowErrno("pread");
    done += static_cast<size_t>(length);
  }
  return text;
}

void WriteAll(int fd, const std::string& text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t length = write(fd, text.data() + done, text.size() - done);
    if (length <= 0) ThrowErrno("write");
    done += static_cast<size_t>(length);
  }
  lseek(fd, 0, SEEK_SET);
}

// glibc 2.36 declares pidfd_open without extern "C".
int OpenPid(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

// The test has other threads, so that only async-signal-safe calls may stand between fork and
// exec: what allocates is done before.
pid_t Spawn(const std::vector<std::string>& arguments, int input, int output, int errors) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) ThrowErrno("pipe2");
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);  // the test died before the line above
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    execv(argv[0], argv.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t written = write(report[1], &error, sizeof error);
    _exit(127);
  }
  close(report[1]);
  int error = errno;
  const ssize_t length = pid < 0 ? 0 : read(report[0], &error, sizeof error);
  close(report[0]);
  if (pid > 0 && length == 0) return pid;
  if (pid > 0) waitpid(pid, nullptr, 0);
  errno = error;
  ThrowErrno("cannot start " + arguments[0]);
}

// A socket that is bound to `port` of 127.0.0.1, or -1 when the port is taken.
int BindTo(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

}  // namespace

Process::Process(const std::vector<std::string>& argv, std::filesystem::path log)
    : log_(std::move(log)) {
  const FileDescriptor input = Open("/dev/null", O_RDONLY);
  const FileDescriptor output = Open(log_, O_WRONLY | O_CREAT | O_APPEND);
  pid_ = Spawn(argv, input.get(), output.get(), output.get());
  pid_fd_ = OpenPid(pid_);
}

Process::Process(const std::vector<std::string>& argv, int input, int output, int errors)
    : pid_(Spawn(argv, input, output, errors)), pid_fd_(OpenPid(pid_)) {}

Process::~Process() {
  Kill(SIGKILL);
  Wait(Seconds(10));
  close(pid_fd_);
}

std::string Process::LogText() const { return ReadFile(log_); }

std::string Process::LogTail(size_t lines) const {
  const std::string text = LogText();
  size_t begin = text.size();
  for (size_t seen = 0; begin > 0; --begin) {
    if (text[begin - 1] == '\n' && begin != text.size() && ++seen == lines) break;
  }
  return log_.string() + " ends with:\n" + text.substr(begin);
}

void Process::Kill(int signal) {
  if (!exit_code_) kill(pid_, signal);
}

std::optional<int> Process::Wait(Milliseconds timeout) {
  if (exit_code_) return exit_code_;
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  pollfd child{pid_fd_, POLLIN, 0};
  for (;;) {
    const auto left = std::chrono::ceil<Milliseconds>(deadline - std::chrono::steady_clock::now());
    const int ready = poll(&child, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (ready > 0) break;
    if (ready == 0) return std::nullopt;
    if (errno != EINTR) ThrowErrno("poll");
  }
  int status = 0;
  if (waitpid(pid_, &status, 0) != pid_) ThrowErrno("waitpid");
  exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return exit_code_;
}

CommandResult RunCommand(const std::vector<std::string>& argv, const std::string& input,
                         Milliseconds timeout) {
  const FileDescriptor in = InMemory("stdin");
  const FileDescriptor out = InMemory("stdout");
  const FileDescriptor err = InMemory("stderr");
  WriteAll(in.get(), input);
  Process command(argv, in.get(), out.get(), err.get());
  CommandResult result;
  std::optional<int> exit_code = command.Wait(timeout);
  if (!exit_code) {
    command.Kill(SIGKILL);
    exit_code = command.Wait(Seconds(10));
  }
  result.exit_code = exit_code.value_or(-1);
  result.output = ReadAll(out.get());
  result.errors = ReadAll(err.get());
  return result;
}

std::vector<int> FreePorts(size_t count) {
  constexpr int kLowest = 10000;
  int end = 0;
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> end;
  if (end < kLowest + 1000) end = 65536;
  std::mt19937 random{std::random_device{}()};
  std::uniform_int_distribution<int> any_port(kLowest, end - 1);
  std::vector<int> ports;
  std::vector<std::unique_ptr<FileDescriptor>> held;  // until all are found: no port twice
  for (int attempt = 0; ports.size() < count; ++attempt) {
    if (attempt > 1000) throw std::runtime_error("no free TCP port on 127.0.0.1");
    const int port = any_port(random);
    const int fd = BindTo(port);
    if (fd < 0) continue;
    held.push_back(std::make_unique<FileDescriptor>(fd, "socket"));
    ports.push_back(port);
  }
  return ports;
}

TempDirectory::TempDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "capstan-e2e-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) ThrowErrno("mkdtemp " + name);
  path_ = name;
}

TempDirectory::~TempDirectory() {
  if (testing::UnitTest::GetInstance()->Failed()) {
    std::cerr << "The logs are kept in " << path_.string() << "\n";
    return;
  }
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void WriteFile(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace capstan::e2e
