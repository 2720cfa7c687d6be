#include "batch.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <utility>

#include <capstan/log/log.h>

namespace capstan::replicaset {
namespace {

constexpr size_t kMaxAtOnce = 16;

}  // namespace

struct Callers::Batch {
  const std::function<Status(size_t)>& call;
  std::vector<Status> results;
  std::atomic<size_t> next = 0;
  size_t helpers = 0;  // that work on it; guarded by the mutex

  void Work() {
    for (size_t i = next++; i < results.size(); i = next++) results[i] = call(i);
  }
};

struct Callers::Awaiting {
  Callers& callers;
  Batch& batch;
  ~Awaiting() {
    batch.next = batch.results.size();
    callers.AwaitHelpers(batch);
  }
};

Callers::Callers(Runtime& runtime)
    : runtime_(runtime), asked_(runtime.NewCondition()), helped_(runtime.NewCondition()) {}

Callers::~Callers() {
  std::vector<std::unique_ptr<Thread>> threads;
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    asked_->NotifyAll();
    threads.swap(threads_);
  }
  for (const auto& thread : threads) thread->Join();
}

void Callers::Run() {
  while (Batch* const batch = AwaitRequest()) {
    batch->Work();
    MutexLock lock(mutex_);
    --busy_;
    if (--batch->helpers == 0) helped_->NotifyAll();
  }
}

// Returns null when the thread has to end.
Callers::Batch* Callers::AwaitRequest() {
  MutexLock lock(mutex_);
  while (requests_.empty() && !stopped_) asked_->Wait(mutex_);
  if (requests_.empty()) return nullptr;
  Batch* const batch = requests_.back();
  requests_.pop_back();
  ++batch->helpers;
  ++busy_;
  return batch;
}

void Callers::AskForHelp(Batch& batch, size_t helpers) {
  size_t missing = 0;
  {
    MutexLock lock(mutex_);
    requests_.insert(requests_.end(), helpers, &batch);
    for (size_t i = 0; i < helpers; ++i) asked_->NotifyOne();
    const size_t free = started_ - busy_;
    missing = requests_.size() - std::min(requests_.size(), free);
    started_ += missing;
  }
  try {
    for (; missing > 0; --missing) {
      auto thread = runtime_.Start("replicaset-pods", [this] { Run(); });
      MutexLock lock(mutex_);
      threads_.push_back(std::move(thread));
    }
  } catch (const std::system_error& error) {
    // The caller makes the calls alone.
    LogWarning("Cannot start a thread for the requests of pods", {{"err", error.what()}});
    MutexLock lock(mutex_);
    started_ -= missing;
  }
}

void Callers::AwaitHelpers(const Batch& batch) {
  MutexLock lock(mutex_);
  // Whoever has not come yet is not needed.
  std::erase(requests_, &batch);
  while (batch.helpers > 0) helped_->Wait(mutex_);
}

std::vector<Status> Callers::CallAll(size_t count, const std::function<Status(size_t)>& call) {
  Batch batch{.call = call, .results = std::vector<Status>(count)};
  const size_t helpers = std::min(count, kMaxAtOnce);
  {
    // Also when a call throws: the others still use the batch.
    const Awaiting awaiting{*this, batch};
    if (helpers > 1) AskForHelp(batch, helpers - 1);
    batch.Work();
  }
  return std::move(batch.results);
}

SlowStartResult Callers::SlowStart(size_t count, const std::function<Status()>& call) {
  SlowStartResult result;
  for (size_t batch = 1, left = count; left > 0; batch *= 2) {
    const size_t size = std::min(batch, left);
    left -= size;
    for (const Status& status : CallAll(size, [&](size_t) { return call(); })) {
      if (status.ok()) {
        ++result.succeeded;
      } else if (result.error.ok()) {
        result.error = status;
      }
    }
    if (!result.error.ok()) break;
  }
  return result;
}

}  // namespace capstan::replicaset
