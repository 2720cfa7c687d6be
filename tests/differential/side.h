#pragma once

#include <memory>
#include <string>
#include <vector>

#include <capstan/client/transport.h>

#include "call.h"
#include "memory.h"

namespace capstan::differential {

// One open watch, read by its own thread. Thread-safe only where documented.
class WatchRecorder {
 public:
  // Returns when the server has answered. If the server refuses the watch, its answer is among the
  // events.
  WatchRecorder(Transport& transport, HttpRequest request);
  ~WatchRecorder();  // ends the watch
  WatchRecorder(const WatchRecorder&) = delete;
  WatchRecorder& operator=(const WatchRecorder&) = delete;

  // The events so far. May be called from any thread.
  std::vector<json::Value> Events() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// One of the two servers.
class Side {
 public:
  Side(std::string name, std::shared_ptr<Transport> transport)
      : name_(std::move(name)), transport_(std::move(transport)) {}

  // Throws std::runtime_error when there is no answer.
  Answer Send(const Call& call);
  std::unique_ptr<WatchRecorder> Watch(const Call& call);
  // Removes all objects of a collection that belongs to this test, and forgets them.
  void Clear(const std::string& collection);

  Memory& memory() { return memory_; }
  const std::string& name() const { return name_; }

 private:
  HttpRequest RequestOf(const Call& call) const;
  Answer SendRequest(HttpRequest request);

  std::string name_;
  std::shared_ptr<Transport> transport_;
  Memory memory_;
};

}  // namespace capstan::differential
