#include "base/cli/shutdown_signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include <capstan/log/log.h>

namespace capstan::cli {
namespace {

sigset_t SetOf(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : signals) sigaddset(&set, number);
  return set;
}

// Threads started after this call inherit the blocked signals.
Runtime& WithSignalsBlocked(Runtime& runtime) {
  const sigset_t set = SetOf({SIGTERM, SIGINT, SIGHUP});
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return runtime;
}

}  // namespace

SignalWatch::SignalWatch(Runtime& runtime, std::string name, std::initializer_list<int> signals,
                         std::function<void(int)> on_signal)
    : on_signal_(std::move(on_signal)) {
  const sigset_t set = SetOf(signals);
  signals_.Reset(signalfd(-1, &set, SFD_CLOEXEC));
  end_.Reset(eventfd(0, EFD_CLOEXEC));
  thread_ = runtime.Start(std::move(name), [this] { Watch(); });
}

SignalWatch::~SignalWatch() {
  const uint64_t one = 1;
  while (write(end_.get(), &one, sizeof(one)) < 0 && errno == EINTR) {
  }
  thread_->Join();
}

void SignalWatch::Watch() {
  pollfd watched[] = {{.fd = signals_.get(), .events = POLLIN, .revents = 0},
                      {.fd = end_.get(), .events = POLLIN, .revents = 0}};
  while (true) {
    if (poll(watched, 2, -1) < 0) continue;  // interrupted
    if (watched[1].revents != 0) return;
    signalfd_siginfo received{};
    if (read(signals_.get(), &received, sizeof(received)) != sizeof(received)) continue;
    on_signal_(static_cast<int>(received.ssi_signo));
  }
}

ShutdownSignals::ShutdownSignals(Runtime& runtime)
    : watch_(WithSignalsBlocked(runtime), "signals", {SIGTERM, SIGINT},
             [this](int number) { Handle(number); }) {}

void ShutdownSignals::Handle(int signal) {
  if (source_.stop_requested()) {
    LogWarning("Second signal received, exiting immediately", {{"signal", signal}});
    std::_Exit(128 + signal);
  }
  LogInfo("Signal received, shutting down", {{"signal", signal}});
  source_.request_stop();
}

HangupSignal::HangupSignal(Runtime& runtime, std::function<void()> on_hangup)
    : watch_(runtime, "hangup", {SIGHUP}, [call = std::move(on_hangup)](int) { call(); }) {}

}  // namespace capstan::cli
