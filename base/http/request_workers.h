#pragma once

/// RequestWorkers: the threads that answer a listener's requests. They start when there is more to
/// do than the others can take, and all but one end when they have been idle for a while.
///
/// Threads: Add and the destructor from one thread, the listener's; Drop from any.

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
  /// Takes the answer of the request that was added as `id`; called by the workers.
  using Deliver = std::function<void(uint64_t id, ServerResponse response)>;

  /// `local_threads` of the `threads` answer only clients on this machine.
  RequestWorkers(Runtime& runtime, std::string name, size_t threads, size_t local_threads,
                 Deliver deliver);
  /// Waits for the requests that are being answered; the others are dropped.
  ~RequestWorkers();
  RequestWorkers(const RequestWorkers&) = delete;
  RequestWorkers& operator=(const RequestWorkers&) = delete;

  /// `answer` does not throw.
  void Add(uint64_t id, ClientOrigin origin, Answer answer);
  /// Forgets the request that was added as `id`, if it has not begun.
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
  /// False when the worker ends.
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
  size_t idle_ CAPSTAN_GUARDED_BY(mutex_) = 0;  // or about to be
  bool stopping_ CAPSTAN_GUARDED_BY(mutex_) = false;
  std::list<Worker> workers_;  // of the listener's thread, but for has_ended, which mutex_ guards
};

}  // namespace capstan::http
