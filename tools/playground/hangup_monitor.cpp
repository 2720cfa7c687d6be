#include "playground/hangup_monitor.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace capstan::playground {
namespace {

constexpr uint64_t kEnd = 0;  // no guard has this id

bool Add(int poll, int fd, uint32_t events, uint64_t id) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  return epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event) == 0;
}

}  // namespace

HangupMonitor::HangupMonitor(Runtime& runtime)
    : poll_(epoll_create1(EPOLL_CLOEXEC)), end_(eventfd(0, EFD_CLOEXEC)) {
  Add(poll_, end_, EPOLLIN, kEnd);
  thread_ = runtime.Start("hangups", [this] { Run(); });
}

HangupMonitor::~HangupMonitor() {
  const uint64_t one = 1;
  while (write(end_, &one, sizeof(one)) < 0 && errno == EINTR) {
  }
  thread_->Join();
  close(poll_);
  close(end_);
}

void HangupMonitor::Run() {
  while (true) {
    epoll_event event{};
    if (epoll_wait(poll_, &event, 1, -1) != 1) {
      if (errno != EINTR) return;
      continue;
    }
    if (event.data.u64 == kEnd) return;
    HungUp(event.data.u64);
  }
}

void HangupMonitor::HungUp(uint64_t id) {
  std::stop_source stop(std::nostopstate);
  {
    const MutexLock lock(mutex_);
    const auto found = watched_.find(id);
    if (found == watched_.end()) return;
    stop = found->second;
  }
  stop.request_stop();
}

HangupMonitor::Guard::Guard(HangupMonitor& monitor, int socket, std::stop_source on_hangup)
    : monitor_(monitor), socket_(socket) {
  {
    const MutexLock lock(monitor_.mutex_);
    id_ = ++monitor_.last_id_;
    monitor_.watched_.emplace(id_, std::move(on_hangup));
  }
  // Once is enough, and the event would come again and again otherwise.
  Add(monitor_.poll_, socket_, EPOLLRDHUP | EPOLLONESHOT, id_);
}

HangupMonitor::Guard::~Guard() {
  epoll_ctl(monitor_.poll_, EPOLL_CTL_DEL, socket_, nullptr);
  const MutexLock lock(monitor_.mutex_);
  monitor_.watched_.erase(id_);
}

}  // namespace capstan::playground
