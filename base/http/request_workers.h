#pragma once

/// RequestWorkers: a thread pool that answers a listener's requests. A thread is started when no
/// thread is idle for a request. A thread ends after it has been idle for a while; the last one
/// stays.
///
/// Threads: Add and the destructor are called from the listener's thread. Drop may be called from
/// any thread.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

#include <capstan/runtime/runtime.h>

#include "base/http/fair_choice.h"
#include "base/http/mux.h"

namespace capstan::http {

class RequestWorkers {
 public:
  using Answer = std::function<ServerResponse()>;
  /// Receives the response to the request added as `id`. Called by the worker threads.
  using Deliver = std::function<void(uint64_t id, ServerResponse response)>;

  /// Of `threads` threads, `local_threads` are reserved for clients on this machine.
  RequestWorkers(Runtime& runtime, std::string name, size_t threads, size_t local_threads,
                 Deliver deliver);
  /// Waits for the requests that are being answered. Waiting requests are dropped.
  ~RequestWorkers();
  RequestWorkers(const RequestWorkers&) = delete;
  RequestWorkers& operator=(const RequestWorkers&) = delete;

  /// `answer` must not throw.
  void Add(uint64_t id, ClientOrigin origin, Answer answer);
  /// Removes the request added as `id` if no worker has started it.
  void Drop(uint64_t id);

 private:
  struct Work {
    uint64_t id;
    ClientOrigin origin;
    Answer answer;
  };
  struct Worker {
    std::unique_ptr<Thread> thread;
    bool has_ended = false;
  };

  void StartWorker();
  void Run(Worker& worker);
  /// Returns false if the worker must end.
  bool Await(Work& work);
  bool Take(Work& work) CAPSTAN_REQUIRES(mutex_);
  void Return(const ClientOrigin& origin);

  Runtime& runtime_;
  const std::string name_;
  const Deliver deliver_;
  const size_t most_;
  const size_t most_remote_;
  Mutex mutex_;
  const std::unique_ptr<Condition> changed_;
  std::deque<Work> waiting_ CAPSTAN_GUARDED_BY(mutex_);
  std::map<std::string, size_t> answered_ CAPSTAN_GUARDED_BY(mutex_);  // by network
  size_t answered_remote_ CAPSTAN_GUARDED_BY(mutex_) = 0;
  size_t alive_ CAPSTAN_GUARDED_BY(mutex_) = 0;
  size_t idle_ CAPSTAN_GUARDED_BY(mutex_) = 0;  // or about to become idle
  bool stopping_ CAPSTAN_GUARDED_BY(mutex_) = false;
  std::list<Worker> workers_;  // used by the listener's thread; mutex_ guards has_ended
};

}  // namespace capstan::http
