#include "config/file_watch.h"

#include <utility>

#include "base/io/whole_file.h"

namespace capstan::manager {
namespace {

/// Returns "" if the file cannot be read. The next check may succeed.
std::string ContentOf(const std::string& path) {
  auto content = io::ReadWholeFile(path);
  return content ? *std::move(content) : "";
}

}  // namespace

FileWatch::FileWatch(Runtime& runtime, std::string path, Duration period,
                     std::function<void()> changed)
    : runtime_(runtime),
      path_(std::move(path)),
      period_(period),
      changed_(std::move(changed)),
      content_(ContentOf(path_)),
      woken_(runtime.NewCondition()),
      thread_(runtime.Start("file-watch", [this] { Watch(stop_.get_token()); })) {}

FileWatch::~FileWatch() {
  stop_.request_stop();
  thread_->Join();
}

void FileWatch::CallNow() {
  MutexLock lock(mutex_);
  asked_ = true;
  woken_->NotifyAll();
}

/// Returns true if CallNow was called and false if the period has passed.
bool FileWatch::AwaitTurn(const std::stop_token& stop) {
  const StopWaker waker(stop, mutex_, *woken_);
  const MonotonicTime deadline = runtime_.Now() + period_;
  MutexLock lock(mutex_);
  while (!asked_ && !stop.stop_requested()) {
    if (!woken_->WaitUntil(mutex_, deadline)) break;
  }
  return std::exchange(asked_, false);
}

void FileWatch::Watch(const std::stop_token& stop) {
  while (true) {
    const bool asked = AwaitTurn(stop);
    if (stop.stop_requested()) return;
    std::string content = ContentOf(path_);
    const bool changed = content != content_ && !content.empty();
    if (changed) content_ = std::move(content);
    if (asked || changed) changed_();
  }
}

}  // namespace capstan::manager
