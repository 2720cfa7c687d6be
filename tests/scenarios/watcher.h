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

// Follows the objects of one type in one namespace ("" = all) across failures and restarts of the
// server. `on_change` receives the first list and then every single event, in the order of the
// server, so it sees every state of the objects. (An informer is not suitable: it batches the
// changes of an object and so does not keep the order between objects.)
class Watcher {
 public:
  using OnChange = std::function<void(const Objects& objects)>;

  // Returns after `on_change` has received the first list. Calls it from the watcher's own thread.
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
  std::string resource_version_;  // "" = the next request is a list
  std::unique_ptr<Thread> thread_;
};

}  // namespace capstan::scenarios
