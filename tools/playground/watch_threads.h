#pragma once

/// WatchThreads: a thread for each open watch, since reading a watch blocks until an event arrives.
/// The number of watches is limited, and so is the buffer for a slow client.
///
/// Threads: all methods may be called from any thread.

#include <cstddef>
#include <list>
#include <memory>

#include <capstan/client/transport.h>
#include <capstan/runtime/mutex.h>
#include <capstan/runtime/runtime.h>

#include "base/http/body_stream.h"

namespace capstan::playground {

class WatchThreads {
 public:
  WatchThreads(Runtime& runtime, size_t most) : runtime_(runtime), most_(most) {}
  ~WatchThreads() { Stop(); }
  WatchThreads(const WatchThreads&) = delete;
  WatchThreads& operator=(const WatchThreads&) = delete;

  /// Creates a stream for a new watch. It ends when its reader is destroyed or at Stop.
  std::shared_ptr<http::BodyStream> NewStream() const {
    return std::make_shared<http::BodyStream>(runtime_);
  }
  /// Copies events from `watch` to `stream` until one of them ends. Returns false if there are too
  /// many watches or after Stop.
  bool Start(std::unique_ptr<HttpResponse> watch, std::shared_ptr<http::BodyStream> stream);
  /// Ends all watches and waits for them. No watch can be started afterwards.
  void Stop();

 private:
  struct Pump {
    std::unique_ptr<HttpResponse> watch;
    std::shared_ptr<http::BodyStream> stream;
    std::unique_ptr<Thread> thread;
    bool has_ended = false;
  };

  void Run(Pump& pump);

  Runtime& runtime_;
  const size_t most_;
  Mutex mutex_;
  bool stopped_ CAPSTAN_GUARDED_BY(mutex_) = false;
  std::list<Pump> pumps_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::playground
