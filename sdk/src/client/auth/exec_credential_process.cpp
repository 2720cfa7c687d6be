#include "client/auth/exec_credential_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <stop_token>

#include <capstan/runtime/format.h>

#include "client/auth/exec_metrics.h"
#include "client/http/failure.h"

extern char** environ;

namespace capstan::client {
namespace {

constexpr size_t kMaxOutput = 1 << 20;

std::vector<std::string> Environment(const ProcessOptions& options) {
  std::vector<std::string> all;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    const bool replaced =
        std::ranges::any_of(options.env, [&](const auto& own) { return own.first == name; });
    if (!replaced) all.emplace_back(text);
  }
  for (const auto& [name, value] : options.env) all.push_back(Format("{}={}", name, value));
  return all;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

// The program gets the pipe as its output and no other descriptor of this process. It starts with
// no signal blocked or ignored.
class SpawnSettings {
 public:
  SpawnSettings(int output, bool keep_stdin) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    if (!keep_stdin) {
      posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    // A separate process group can be killed as a whole, but cannot read from the terminal.
    if (!keep_stdin) flags |= POSIX_SPAWN_SETPGROUP;
    posix_spawnattr_setflags(&attributes_, flags);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// A started program. The destructor kills it if it has not ended.
class Child {
 public:
  Child(pid_t pid, bool own_group) : pid_(pid), own_group_(own_group) {}
  ~Child() {
    if (pid_ <= 0) return;
    kill(own_group_ ? -pid_ : pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // The wait status, once the program has ended.
  std::optional<int> Poll() {
    int status = 0;
    const pid_t ended = waitpid(pid_, &status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR)) return std::nullopt;
    pid_ = -1;
    return ended < 0 ? 0 : status;
  }

 private:
  pid_t pid_;
  const bool own_group_;
};

Result<pid_t> Spawn(const ProcessOptions& options, int output) {
  std::vector<std::string> arguments = {options.command};
  arguments.insert(arguments.end(), options.args.begin(), options.args.end());
  std::vector<std::string> environment = Environment(options);
  const SpawnSettings settings(output, options.keep_stdin);
  pid_t pid = -1;
  const int error =
      posix_spawnp(&pid, options.command.c_str(), settings.actions(), settings.attributes(),
                   Pointers(arguments).data(), Pointers(environment).data());
  if (error == 0) return pid;
  const std::string text = Format("cannot run \"{}\": {}", options.command, ErrorText(error));
  if (error == ENOENT || error == EACCES || error == ENOTDIR) {
    return Status(StatusReason::kNotFound, text);
  }
  return TransportError(text);
}

Status ReadOutput(int fd, const ProcessOptions& options, const RequestScope& scope,
                  MonotonicTime limit, std::string& output) {
  std::array<char, 4096> buffer;
  while (true) {
    const Result<bool> ready = scope.Wait(fd, POLLIN, limit);
    if (!ready) return ready.status();
    if (!*ready) return TransportError(Format("\"{}\" took too long", options.command));
    const ssize_t count = read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return TransportError(ErrorText(errno));
    if (count == 0) return Status::Ok();
    output.append(buffer.data(), static_cast<size_t>(count));
    if (output.size() > kMaxOutput) {
      return TransportError(Format("\"{}\" wrote more than {} bytes", options.command, kMaxOutput));
    }
  }
}

Status Judge(const std::string& command, int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Status::Ok();
  if (WIFSIGNALED(status)) {
    return TransportError(Format("\"{}\" was terminated by signal {}", command, WTERMSIG(status)));
  }
  return TransportError(Format("\"{}\" failed with exit code {}", command, WEXITSTATUS(status)));
}

// Sets `exit_code` if the program ended by itself.
Result<std::string> RunToEnd(const ProcessOptions& options, Runtime& runtime,
                             const RequestScope& scope, std::optional<int>& exit_code) {
  constexpr Duration kPollPeriod = std::chrono::milliseconds(2);
  const MonotonicTime limit = scope.Now() + options.time_limit;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return TransportError(ErrorText(errno));
  const io::UniqueFd output_end(ends[0]);
  io::UniqueFd child_end(ends[1]);
  const Result<pid_t> pid = Spawn(options, child_end.get());
  if (!pid) return pid.status();
  Child child(*pid, !options.keep_stdin);
  child_end.Reset();
  std::string output;
  Status status = ReadOutput(output_end.get(), options, scope, limit, output);
  if (!status.ok()) return status;
  // The output has ended, so the program has ended or is about to end.
  while (true) {
    if (const std::optional<int> ended = child.Poll()) {
      if (WIFEXITED(*ended)) exit_code = WEXITSTATUS(*ended);
      status = Judge(options.command, *ended);
      if (!status.ok()) return status;
      return output;
    }
    if (status = scope.Check(); !status.ok()) return status;
    if (scope.Now() >= limit)
      return TransportError(Format("\"{}\" took too long", options.command));
    runtime.SleepFor(kPollPeriod, std::stop_token());
  }
}

}  // namespace

Result<std::string> RunProcess(const ProcessOptions& options, Runtime& runtime,
                               const RequestScope& scope) {
  std::optional<int> exit_code;
  Result<std::string> output = RunToEnd(options, runtime, scope, exit_code);
  CountExecCall(output.status(), exit_code);
  return output;
}

}  // namespace capstan::client
