#include "events/event_queue.h"

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace capstan {
namespace {

constexpr size_t kListNode = 2 * sizeof(void*);

size_t ObjectOf(const api::core::v1::Event& event) {
  const api::core::v1::ObjectReference& about = event.involvedObject;
  const std::hash<std::string_view> hash;
  return hash(about.namespace_.view()) * 31 + hash(about.name);
}

// Interned strings are shared.
size_t BytesOf(const api::core::v1::Event& event) {
  static const size_t inside = std::string().capacity();
  size_t bytes = sizeof(EventQueue::Entry) + kListNode;
  for (const std::string* text : {&event.metadata.name, &event.message, &event.involvedObject.name,
                                  &event.involvedObject.resourceVersion}) {
    if (text->capacity() > inside) bytes += text->capacity() + 1;
  }
  return bytes;
}

}  // namespace

bool EventQueue::Push(api::core::v1::Event event) {
  const size_t bytes = BytesOf(event);
  if (bytes_ + bytes > most_bytes_) return false;
  const size_t object = ObjectOf(event);
  waiting_.push_back({std::move(event), bytes, object});
  bytes_ += bytes;
  ++size_;
  return true;
}

std::optional<EventQueue::Entry> EventQueue::Pop() {
  if (!HasNext()) return std::nullopt;
  Entries& from = released_.empty() ? waiting_ : released_;
  Entry entry = std::move(from.front());
  from.pop_front();
  busy_.try_emplace(entry.object);
  bytes_ -= entry.bytes;
  --size_;
  return entry;
}

void EventQueue::Done(const Entry& entry) {
  const auto busy = busy_.find(entry.object);
  if (busy == busy_.end()) return;  // cleared
  Entries& others = busy->second;
  if (others.empty()) {
    busy_.erase(busy);
  } else {
    released_.splice(released_.end(), others, others.begin());
  }
}

bool EventQueue::HasNext() {
  SkipBusy();
  return !released_.empty() || !waiting_.empty();
}

void EventQueue::SkipBusy() {
  while (!waiting_.empty()) {
    const auto busy = busy_.find(waiting_.front().object);
    if (busy == busy_.end()) return;
    busy->second.splice(busy->second.end(), waiting_, waiting_.begin());
  }
}

size_t EventQueue::Clear() {
  waiting_.clear();
  released_.clear();
  busy_.clear();
  bytes_ = 0;
  return std::exchange(size_, 0);
}

}  // namespace capstan
