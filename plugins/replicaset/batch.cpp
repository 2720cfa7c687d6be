#include "batch.h"

#include <algorithm>
#include <atomic>
#include <memory>

namespace capstan::replicaset {
namespace {

constexpr size_t kMaxAtOnce = 16;

}  // namespace

std::vector<Status> CallAll(Runtime& runtime, size_t count,
                            const std::function<Status(size_t)>& call) {
  std::vector<Status> results(count);
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) results[i] = call(i);
  };
  {
    std::vector<std::unique_ptr<Thread>> threads;
    for (size_t i = 1; i < std::min(count, kMaxAtOnce); ++i) {
      threads.push_back(runtime.Start("replicaset-pods", work));
    }
    work();
    for (const auto& thread : threads) thread->Join();
  }
  return results;
}

SlowStartResult SlowStart(Runtime& runtime, size_t count, const std::function<Status()>& call) {
  SlowStartResult result;
  for (size_t batch = 1, left = count; left > 0; batch *= 2) {
    const size_t size = std::min(batch, left);
    left -= size;
    for (const Status& status : CallAll(runtime, size, [&](size_t) { return call(); })) {
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
