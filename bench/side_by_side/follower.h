#pragma once

/// Follower: lists and watches the objects of one type in a namespace, for ever. After a relist it
/// reports the objects that have gone meanwhile.
///
/// Threads: the handlers are called on the follower's own thread. The destructor ends it.

#include <chrono>
#include <functional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include <capstan/client/client.h>

namespace capstan::bench {

template <class T>
class Follower {
 public:
  struct Handlers {
    /// Called for each object of a list, and for each addition and modification.
    std::function<void(const T&)> changed;
    std::function<void(const std::string& name)> gone;
  };

  Follower(const Client& client, std::string namespace_name, Handlers handlers)
      : client_(client.WithStop(stop_.get_token())),
        namespace_(std::move(namespace_name)),
        handlers_(std::move(handlers)),
        thread_([this] { Run(stop_.get_token()); }) {}
  ~Follower() {
    stop_.request_stop();
    thread_.join();
  }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

 private:
  void Run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (!List() || !Watch()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }

  bool List() {
    auto list = client_.List(DescriptorOf<T>(), namespace_, {});
    if (!list) return false;
    version_ = list->resource_version;
    std::set<std::string> names;
    for (const ObjectPtr& object : list->items) {
      names.insert(Change(object));
    }
    for (const std::string& name : std::exchange(known_, names)) {
      if (!names.contains(name)) handlers_.gone(name);
    }
    return true;
  }

  // Returns whether the watch ended in a normal way. It is then begun again by a list.
  bool Watch() {
    auto watch = client_.Watch(DescriptorOf<T>(), namespace_, {.resource_version = version_});
    if (!watch) return false;
    for (;;) {
      auto event = (*watch)->Next();
      if (!event) return false;
      if (!*event) return true;
      if ((*event)->type == WatchEvent::Type::kBookmark || (*event)->object == nullptr) continue;
      if ((*event)->type == WatchEvent::Type::kDeleted) {
        const std::string& name = Cast((*event)->object).metadata.name;
        known_.erase(name);
        handlers_.gone(name);
      } else {
        known_.insert(Change((*event)->object));
      }
    }
  }

  static const T& Cast(const ObjectPtr& object) { return *static_cast<const T*>(object.get()); }
  const std::string& Change(const ObjectPtr& object) {
    handlers_.changed(Cast(object));
    return Cast(object).metadata.name;
  }

  std::stop_source stop_;
  const Client client_;
  const std::string namespace_;
  const Handlers handlers_;
  std::set<std::string> known_;
  std::string version_;
  std::thread thread_;  // last, as it uses the others
};

}  // namespace capstan::bench
