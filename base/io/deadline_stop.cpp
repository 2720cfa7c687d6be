#include "base/io/deadline_stop.h"

namespace capstan::io {

DeadlineStop::DeadlineStop(Runtime& runtime)
    : runtime_(runtime), condition_(runtime.NewCondition()) {}

DeadlineStop::~DeadlineStop() {
  End();
  if (!thread_) return;
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    condition_->NotifyAll();
  }
  thread_->Join();
}

std::stop_token DeadlineStop::Begin(MonotonicTime deadline, const std::stop_token& parent) {
  End();
  std::stop_source source;
  {
    MutexLock lock(mutex_);
    source_ = source;
    deadline_ = deadline;
    if (!wakes_at_ || deadline < *wakes_at_) condition_->NotifyAll();
  }
  forward_.emplace(parent, [source]() mutable { source.request_stop(); });
  if (!thread_) thread_ = runtime_.Start("deadline", [this] { Watch(); });
  return source.get_token();
}

void DeadlineStop::End() {
  forward_.reset();
  MutexLock lock(mutex_);
  deadline_.reset();
}

void DeadlineStop::Watch() {
  while (true) {
    std::stop_source due;
    {
      MutexLock lock(mutex_);
      while (!stopped_ && !(deadline_ && runtime_.Now() >= *deadline_)) {
        wakes_at_ = deadline_;
        if (deadline_) {
          condition_->WaitUntil(mutex_, *deadline_);
        } else {
          condition_->Wait(mutex_);
        }
      }
      if (stopped_) return;
      deadline_.reset();
      due = source_;
    }
    due.request_stop();
  }
}

}  // namespace capstan::io
