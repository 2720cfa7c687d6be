#pragma once

/// The initial events of a watch: what a Reflector needs for a list by watch.
/// https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists

#include <atomic>
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <capstan/api/object.h>
#include <capstan/client/client.h>
#include <capstan/runtime/runtime.h>

namespace capstan {

/// Collects the objects that exist, until the initial events are complete.
class InitialObjects {
 public:
  explicit InitialObjects(const TypeDescriptor& type) : type_(type) {}

  void Take(WatchEvent event);
  /// Applies the changes that came between the objects. Call it once, before reading the results.
  void Finish();
  /// The first event that is not ADDED, and all after it, for a caller that applies them itself.
  std::vector<WatchEvent> TakeChanges() { return std::move(changes_); }

  std::vector<ObjectPtr> objects;
  /// The names of objects that exist but do not decode.
  std::vector<NamespacedName> unread;

 private:
  const TypeDescriptor& type_;
  std::vector<WatchEvent> changes_;
};

/// Warns while initial events are missing, and stops their watch if they stay away. A server that
/// does not know the parameter never sends the bookmark at their end.
class InitialEventsTimer {
 public:
  /// Stops `watch`, at the latest until Expired is called.
  InitialEventsTimer(Runtime& runtime, std::string resource, std::stop_source watch);
  ~InitialEventsTimer();
  InitialEventsTimer(const InitialEventsTimer&) = delete;
  InitialEventsTimer& operator=(const InitialEventsTimer&) = delete;

  /// The watch is open, or an object has arrived.
  void Progress();
  /// Ends the timer. Returns whether it has stopped the watch.
  bool Expired();

 private:
  void Run();

  Runtime& runtime_;
  const std::string resource_;
  std::stop_source watch_;
  std::stop_source end_;
  std::atomic<MonotonicTime> last_;
  std::atomic<bool> is_open_ = false;
  std::atomic<bool> expired_ = false;
  std::unique_ptr<Thread> thread_;
};

}  // namespace capstan
