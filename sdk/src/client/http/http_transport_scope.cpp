#include "client/http/http_transport_scope.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include <capstan/runtime/format.h>
#include <capstan/runtime/mutex.h>

namespace capstan::client {
namespace {

std::string Seconds(Duration duration) {
  return Format("{}s", std::chrono::duration<double>(duration).count());
}

// Rounded up, so that a wait does not end just before its deadline and spin.
int PollMilliseconds(Duration left) {
  constexpr Duration kMost = std::chrono::minutes(1);
  if (left <= Duration::zero()) return 0;
  return static_cast<int>(
      std::chrono::ceil<std::chrono::milliseconds>(std::min(left, kMost)).count());
}

// Eventfds of ended requests, for the next ones: one is made and closed for a tenth of the cost of
// a small request.
class SpareEventFds {
 public:
  io::UniqueFd Take() CAPSTAN_EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      if (!spares_.empty()) {
        io::UniqueFd fd = std::move(spares_.back());
        spares_.pop_back();
        return fd;
      }
    }
    return io::UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  }

  void Put(io::UniqueFd fd) CAPSTAN_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (spares_.size() < kMost) spares_.push_back(std::move(fd));
  }

 private:
  static constexpr size_t kMost = 32;

  Mutex mutex_;
  std::vector<io::UniqueFd> spares_ CAPSTAN_GUARDED_BY(mutex_);
};

SpareEventFds& Spares() {
  // Never destroyed: threads may still end requests while the process exits.
  static auto* const spares = new SpareEventFds;
  return *spares;
}

}  // namespace

RequestScope::RequestScope(const Clock& clock, std::stop_token stop,
                           std::optional<Duration> timeout)
    : clock_(clock), stop_(std::move(stop)), timeout_(timeout) {
  if (timeout_) deadline_ = clock_.Monotonic() + *timeout_;
  if (!stop_.stop_possible()) return;
  wake_fd_ = Spares().Take();
  if (wake_fd_.valid()) callback_.emplace(stop_, Wake{wake_fd_.get()});
}

RequestScope::~RequestScope() {
  callback_.reset();
  // An eventfd that may have been written to is not used again.
  if (wake_fd_.valid() && !stop_.stop_requested()) Spares().Put(std::move(wake_fd_));
}

void RequestScope::Wake::operator()() const {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(fd, &one, sizeof(one));
}

Status RequestScope::Check() const {
  if (stop_.stop_requested()) return Status::Canceled();
  if (deadline_ && clock_.Monotonic() >= *deadline_) {
    return {StatusReason::kDeadlineExceeded, "not finished within " + Seconds(*timeout_)};
  }
  if (stop_.stop_possible() && !wake_fd_.valid()) {
    return {StatusReason::kTransport, "cannot create an eventfd: too many open files"};
  }
  return Status::Ok();
}

Result<bool> RequestScope::Wait(int fd, short events, std::optional<MonotonicTime> limit) const {
  std::optional<MonotonicTime> until = deadline_;
  if (limit && (!until || *limit < *until)) until = limit;
  while (true) {
    if (Status status = Check(); !status.ok()) return status;
    if (limit && clock_.Monotonic() >= *limit) return false;
    pollfd fds[2] = {{fd, events, 0}, {wake_fd_.get(), POLLIN, 0}};
    const int ready = poll(fds, 2, until ? PollMilliseconds(*until - clock_.Monotonic()) : -1);
    if (ready < 0 && errno != EINTR) return Status(StatusReason::kTransport, "poll failed");
    if (ready > 0 && fds[0].revents != 0) {
      if (Status status = Check(); !status.ok()) return status;
      return true;
    }
  }
}

}  // namespace capstan::client
