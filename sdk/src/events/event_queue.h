#pragma once

/// EventQueue: recorded events that wait to be written, oldest first. Events about one object are
/// written one after the other, so that their order is kept and a patch follows the creation.
///
/// Threads: not synchronised; the owner's lock guards it.

#include <cstddef>
#include <list>
#include <optional>
#include <unordered_map>

#include <capstan/api/core_v1.h>

namespace capstan {

class EventQueue {
 public:
  /// An event that was taken to be written.
  struct Entry {
    api::core::v1::Event event;
    size_t bytes;
    size_t object;  // hash; objects that share one only wait for each other
  };

  /// `most_bytes` limits the memory of the events that wait.
  explicit EventQueue(size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Returns false if the queue is full.
  bool Push(api::core::v1::Event event);
  /// Takes the oldest event whose object has no event in progress; nullopt if there is none. Call
  /// Done when it is written.
  std::optional<Entry> Pop();
  void Done(const Entry& entry);
  /// Whether Pop would return an event.
  bool HasNext();
  /// Removes the events that wait, and returns their number.
  size_t Clear();

  size_t size() const { return size_; }
  size_t bytes() const { return bytes_; }

 private:
  using Entries = std::list<Entry>;

  // Moves events whose object has one in progress out of the way.
  void SkipBusy();

  const size_t most_bytes_;
  size_t size_ = 0;
  size_t bytes_ = 0;
  Entries waiting_;
  Entries released_;  // waited for another event about their object, and are older than waiting_
  std::unordered_map<size_t, Entries> busy_;  // objects with an event in progress, and their events
};

}  // namespace capstan
