#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include <capstan/client/client.h>
#include <capstan/runtime/runtime.h>

namespace capstan::scenarios {

using Objects = std::map<NamespacedName, ObjectPtr>;

// Follows the objects of one type in one namespace ("" = all), over failures and restarts of the
// server. `on_change` is told of the first list and then of every single event, in the order of the
// server: it sees each state that the objects went through. (An informer would not do: it hands out
// an object's changes together, and so mixes the order between objects.)
class Watcher {
 public:
  using OnChange = std::function<void(const Objects& objects)>;

  // Returns when `on_change` has been told of the first list. Calls it from a thread of its own.
  Watcher(const Client& client, Runtime& runtime, const TypeDescriptor& type,
          std::string namespace_name, OnChange on_change);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

 private:
  Status List();
  Status Watch();
  void Run();

  Runtime& runtime_;
  const TypeDescriptor& type_;
  const std::string namespace_;
  const OnChange on_change_;
  std::stop_source stop_;
  Client client_;
  Objects objects_;
  std::string resource_version_;  // "" = a list is due
  std::unique_ptr<Thread> thread_;
};

}  // namespace capstan::scenarios
