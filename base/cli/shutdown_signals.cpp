#include "base/cli/shutdown_signals.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include <capstan/log/log.h>

namespace capstan::cli {
namespace {

sigset_t WatchedSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  return set;
}

}  // namespace

void BlockShutdownSignals() {
  const sigset_t set = WatchedSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

ShutdownSignals::ShutdownSignals(Runtime& runtime, std::function<void()> on_hangup)
    : on_hangup_(std::move(on_hangup)) {
  const sigset_t set = WatchedSignals();
  signals_ = signalfd(-1, &set, SFD_CLOEXEC);
  end_ = eventfd(0, EFD_CLOEXEC);
  thread_ = runtime.Start("signals", [this] { Watch(); });
}

ShutdownSignals::~ShutdownSignals() {
  const uint64_t one = 1;
  while (write(end_, &one, sizeof(one)) < 0 && errno == EINTR) {
  }
  thread_->Join();
  close(signals_);
  close(end_);
}

void ShutdownSignals::Watch() {
  pollfd watched[] = {{.fd = signals_, .events = POLLIN, .revents = 0},
                      {.fd = end_, .events = POLLIN, .revents = 0}};
  while (true) {
    if (poll(watched, 2, -1) < 0) continue;  // interrupted
    if (watched[1].revents != 0) return;
    signalfd_siginfo received{};
    if (read(signals_, &received, sizeof(received)) != sizeof(received)) continue;
    const int number = static_cast<int>(received.ssi_signo);
    if (number == SIGHUP) {
      if (on_hangup_) on_hangup_();
      continue;
    }
    if (source_.stop_requested()) {
      LogWarning("Second signal, exiting at once", {{"signal", number}});
      std::_Exit(128 + number);
    }
    LogInfo("Signal received, shutting down", {{"signal", number}});
    source_.request_stop();
  }
}

}  // namespace capstan::cli
