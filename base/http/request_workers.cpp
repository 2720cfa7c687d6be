#include "base/http/request_workers.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include <capstan/log/log.h>

namespace capstan::http {
namespace {

constexpr Duration kIdleWorkerLife = std::chrono::seconds(30);

}  // namespace

RequestWorkers::RequestWorkers(Runtime& runtime, std::string name, size_t threads,
                               size_t local_threads, Deliver deliver)
    : runtime_(runtime),
      name_(std::move(name)),
      deliver_(std::move(deliver)),
      most_(threads),
      most_remote_(threads - std::min(threads - 1, local_threads)),
      changed_(runtime.NewCondition()) {
  StartWorker();
}

RequestWorkers::~RequestWorkers() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_->NotifyAll();
  }
  for (Worker& worker : workers_) worker.thread->Join();
}

void RequestWorkers::Add(uint64_t id, ClientOrigin origin, Answer answer) {
  bool more = false;
  {
    MutexLock lock(mutex_);
    waiting_.push_back({id, std::move(origin), std::move(answer)});
    more = waiting_.size() > idle_ && alive_ < most_;
    changed_->NotifyOne();
  }
  if (!more) return;
  try {
    StartWorker();
  } catch (const std::system_error& error) {
    LogV(2, "Cannot start a thread for a request, it waits for a running one",
         {{"err", error.what()}});
  }
}

void RequestWorkers::Drop(uint64_t id) {
  MutexLock lock(mutex_);
  std::erase_if(waiting_, [&](const Work& work) { return work.id == id; });
}

void RequestWorkers::StartWorker() {
  std::list<Worker> ended;
  {
    MutexLock lock(mutex_);
    for (auto worker = workers_.begin(); worker != workers_.end();) {
      const auto next = std::next(worker);
      if (worker->has_ended) ended.splice(ended.end(), workers_, worker);
      worker = next;
    }
    ++alive_;
    ++idle_;
  }
  ended.clear();
  Worker& worker = workers_.emplace_back();
  try {
    worker.thread = runtime_.Start(name_, [this, &worker] { Run(worker); });
  } catch (...) {
    workers_.pop_back();
    MutexLock lock(mutex_);
    --alive_;
    --idle_;
    throw;
  }
}

void RequestWorkers::Run(Worker& worker) {
  Work work;
  while (Await(work)) {
    ServerResponse response = work.answer();
    work.answer = nullptr;
    // Returns before delivery, so that the client's next request finds this thread idle.
    Return(work.origin);
    deliver_(work.id, std::move(response));
  }
  MutexLock lock(mutex_);
  worker.has_ended = true;
}

bool RequestWorkers::Await(Work& work) {
  MutexLock lock(mutex_);
  MonotonicTime end = runtime_.Now() + kIdleWorkerLife;
  while (!stopping_ && !Take(work)) {
    if (changed_->WaitUntil(mutex_, end)) continue;
    if (Take(work)) break;
    if (alive_ > 1) {
      --alive_;
      --idle_;
      return false;
    }
    end = runtime_.Now() + kIdleWorkerLife;
  }
  --idle_;
  return !stopping_;
}

bool RequestWorkers::Take(Work& work) {
  std::vector<const ClientOrigin*> origins;
  origins.reserve(waiting_.size());
  for (const Work& one : waiting_) origins.push_back(&one.origin);
  const auto next = RequestToAnswer(origins, answered_, answered_remote_ >= most_remote_);
  if (!next) return false;
  const auto chosen = waiting_.begin() + static_cast<std::ptrdiff_t>(*next);
  work = std::move(*chosen);
  waiting_.erase(chosen);
  ++answered_[work.origin.network];
  if (!work.origin.is_local) ++answered_remote_;
  return true;
}

void RequestWorkers::Return(const ClientOrigin& origin) {
  MutexLock lock(mutex_);
  ++idle_;
  const auto found = answered_.find(origin.network);
  if (--found->second == 0) answered_.erase(found);
  if (!origin.is_local) --answered_remote_;
}

}  // namespace capstan::http
