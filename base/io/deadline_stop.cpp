#include "base/io/deadline_stop.h"

namespace capstan::io {

DeadlineStop::DeadlineStop(Runtime& runtime, MonotonicTime deadline, const std::stop_token& parent)
    : condition_(runtime.NewCondition()),
      thread_(runtime.Start("deadline", [this, deadline, parent] { Watch(deadline, parent); })) {}

DeadlineStop::~DeadlineStop() {
  {
    MutexLock lock(mutex_);
    done_ = true;
    condition_->NotifyAll();
  }
  thread_->Join();
}

void DeadlineStop::Watch(MonotonicTime deadline, const std::stop_token& parent) {
  StopWaker waker(parent, mutex_, *condition_);
  {
    MutexLock lock(mutex_);
    while (!done_ && !parent.stop_requested()) {
      if (!condition_->WaitUntil(mutex_, deadline)) break;
    }
    if (done_) return;
  }
  source_.request_stop();
}

}  // namespace capstan::io
