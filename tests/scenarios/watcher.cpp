#include "watcher.h"

#include <chrono>
#include <stdexcept>
#include <utility>

namespace capstan::scenarios {
namespace {

constexpr Duration kRetryPeriod = std::chrono::milliseconds(100);

}  // namespace

Watcher::Watcher(const Client& client, Runtime& runtime, const TypeDescriptor& type,
                 std::string namespace_name, OnChange on_change)
    : runtime_(runtime),
      type_(type),
      namespace_(std::move(namespace_name)),
      on_change_(std::move(on_change)),
      client_(client.WithStop(stop_.get_token())) {
  if (Status status = List(); !status.ok()) {
    throw std::runtime_error(
        status.WithContext(std::string("cannot list ") + type_.resource->resource).ToString());
  }
  thread_ = runtime_.Start("watcher", [this] { Run(); });
}

Watcher::~Watcher() {
  stop_.request_stop();
  thread_->Join();
}

void Watcher::Run() {
  const std::stop_token stop = stop_.get_token();
  while (!stop.stop_requested()) {
    const Status status = resource_version_.empty() ? List() : Watch();
    if (status.IsGone()) {
      resource_version_.clear();
    } else if (!status.ok()) {
      runtime_.SleepFor(kRetryPeriod, stop);
    }
  }
}

Status Watcher::List() {
  Result<ObjectList> list = client_.List(type_, namespace_, ListOptions{});
  if (!list) return list.status();
  objects_.clear();
  for (ObjectPtr& object : list->items) {
    objects_[api::NameOf(MetadataOf(type_, object.get()))] = std::move(object);
  }
  resource_version_ = list->resource_version;
  on_change_(objects_);
  return Status::Ok();
}

Status Watcher::Watch() {
  WatchOptions options;
  options.resource_version = resource_version_;
  Result<std::unique_ptr<WatchStream>> stream = client_.Watch(type_, namespace_, options);
  if (!stream) return stream.status();
  for (;;) {
    Result<std::optional<WatchEvent>> next = (*stream)->Next();
    if (!next) return next.status();
    if (!next->has_value()) return Status::Ok();
    WatchEvent& event = **next;
    resource_version_ = event.resource_version;
    if (event.type == WatchEvent::Type::kBookmark) continue;
    NamespacedName name = api::NameOf(MetadataOf(type_, event.object.get()));
    if (event.type == WatchEvent::Type::kDeleted) {
      objects_.erase(name);
    } else {
      objects_[std::move(name)] = std::move(event.object);
    }
    on_change_(objects_);
  }
}

}  // namespace capstan::scenarios
