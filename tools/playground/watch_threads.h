#pragma once

/// WatchThreads: read open watches for a listener, each with a thread of its own, as reading waits
/// for events. How many there may be is bounded, and so is what is kept for a client that is slow.
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

  /// A stream for a new watch, which ends when its reader goes or at Stop.
  std::shared_ptr<http::BodyStream> NewStream() const {
    return std::make_shared<http::BodyStream>(runtime_);
  }
  /// Writes what `watch` says to `stream` until one of the two ends. False: there are too many, or
  /// it has been stopped.
  bool Start(std::unique_ptr<HttpResponse> watch, std::shared_ptr<http::BodyStream> stream);
  /// Ends all watches and waits for them. None can be started any more.
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
