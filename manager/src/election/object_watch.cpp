#include "election/object_watch.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <capstan/log/log.h>

namespace capstan::manager {
namespace {

constexpr Duration kShortestLimit = std::chrono::minutes(5);  // plus up to 100 % jitter
// A stream shorter than this is a failure, even if it ended without an error.
constexpr Duration kVeryShortStream = std::chrono::seconds(1);
constexpr Duration kFirstPause = std::chrono::seconds(1);
constexpr Duration kLongestPause = std::chrono::minutes(1);

}  // namespace

ObjectWatch::ObjectWatch(const Client& client, const TypeDescriptor& type, NamespacedName name,
                         Runtime& runtime, Listener listener)
    : client_(client),
      type_(type),
      name_(std::move(name)),
      runtime_(runtime),
      listener_(std::move(listener)),
      changed_(runtime.NewCondition()),
      thread_(runtime.Start("object-watch", [this] { Run(stop_.get_token()); })) {}

ObjectWatch::~ObjectWatch() {
  stop_.request_stop();
  EndStream();
  thread_->Join();
}

void ObjectWatch::Follow(const std::string& version) {
  MutexLock lock(mutex_);
  if (following_) return;
  version_ = version;
  changed_->NotifyAll();
}

void ObjectWatch::EndStream() {
  std::stop_source stream;
  {
    MutexLock lock(mutex_);
    stream = stream_stop_;
  }
  stream.request_stop();
}

std::optional<std::string> ObjectWatch::AwaitVersion(const std::stop_token& stop) {
  const StopWaker waker(stop, mutex_, *changed_);
  MutexLock lock(mutex_);
  while (!version_ && !stop.stop_requested()) changed_->Wait(mutex_);
  if (stop.stop_requested()) return std::nullopt;
  return std::exchange(version_, std::nullopt);
}

void ObjectWatch::Run(const std::stop_token& stop) {
  while (true) {
    const std::optional<std::string> version = AwaitVersion(stop);
    if (!version) return;
    const Status end = FollowFrom(from_now_ ? "" : *version, stop);
    if (stop.stop_requested()) return;
    const bool is_recoverable = end.IsGone() && !from_now_;
    from_now_ = end.IsGone();
    SetFollowing(false);
    ReportEnd(end, is_recoverable);
    // After the first failure it suffices to read the object again.
    if (failures_ > 1 && !is_recoverable) {
      const Duration pause =
          std::min(kFirstPause * (1 << std::min(failures_ - 2, 10)), kLongestPause);
      runtime_.SleepFor(runtime_.Jitter(pause, 0.5), stop);
    }
  }
}

Status ObjectWatch::FollowFrom(std::string version, const std::stop_token& stop) {
  ++failures_;
  while (!stop.stop_requested()) {
    WatchOptions options;
    options.field_selector = "metadata.name=" + name_.name;
    options.resource_version = version;
    options.timeout = runtime_.Jitter(kShortestLimit, 1.0);
    const std::stop_token stream_stop = NewStream();
    const MonotonicTime begin = runtime_.Now();
    auto stream = client_.WithStop(stream_stop).Watch(type_, name_.namespace_, options);
    if (!stream) return stream.status();
    SetFollowing(true);
    Status end = Receive(**stream, version);
    const bool lasted = runtime_.Now() - begin >= kVeryShortStream;
    if (lasted) failures_ = 1;
    if (stream_stop.stop_requested()) {
      return {StatusReason::kUnknown, "it did not report a change"};
    }
    if (!end.ok() && !end.IsTransport()) return end;
    if (!lasted) {
      return end.ok() ? Status(StatusReason::kUnknown, "it ended within a second") : end;
    }
    LogV(4, "Watch close, resuming", {{"object", name_.ToString()}, {"err", end.ToString()}});
  }
  return Status::Canceled();
}

Status ObjectWatch::Receive(WatchStream& stream, std::string& version) {
  while (true) {
    auto event = stream.Next();
    if (!event) return event.status();
    if (!*event) return Status::Ok();
    if (!(*event)->resource_version.empty()) version = (*event)->resource_version;
    switch ((*event)->type) {
      case WatchEvent::Type::kAdded:
      case WatchEvent::Type::kModified:
        listener_.on_change((*event)->object, version);
        break;
      case WatchEvent::Type::kDeleted:
        listener_.on_change(nullptr, version);
        break;
      case WatchEvent::Type::kBookmark:
        break;
    }
  }
}

std::stop_token ObjectWatch::NewStream() {
  MutexLock lock(mutex_);
  stream_stop_ = std::stop_source();
  // The destructor requests the stop first. Either it finds this source, or the check below sees
  // the stop.
  if (stop_.stop_requested()) stream_stop_.request_stop();
  return stream_stop_.get_token();
}

void ObjectWatch::SetFollowing(bool following) {
  {
    MutexLock lock(mutex_);
    if (following_ == following) return;
    following_ = following;
    version_.reset();
  }
  if (following && std::exchange(reported_failure_, false)) {
    LogInfo("Watch resumed", {{"object", name_.ToString()}});
  }
  listener_.on_following(following);
}

/// A resourceVersion that is too old is not logged as a failure: the next watch starts with the
/// current object.
void ObjectWatch::ReportEnd(const Status& end, bool is_recoverable) {
  if (reported_failure_ || is_recoverable) {
    LogV(4, "Watch failed", {{"object", name_.ToString()}, {"err", end.ToString()}});
    return;
  }
  reported_failure_ = true;
  LogWarning("Watch failed, polling the object instead",
             {{"object", name_.ToString()}, {"err", end.ToString()}});
}

}  // namespace capstan::manager
