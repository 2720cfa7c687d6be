#pragma once

/// Runs several calls to the API server concurrently.

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include <capstan/runtime/mutex.h>
#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

namespace capstan::replicaset {

struct SlowStartResult {
  size_t succeeded = 0;
  Status error;  ///< the first error of the failed batch
};

/// Keeps the threads that make the calls: batches are small and frequent, and a thread costs as
/// much as a call. The thread that asks for a batch takes part in it, so the others are at most 15
/// for each thread that asks.
///
/// Threads: all methods may be called from any thread, also at the same time.
class Callers {
 public:
  /// `runtime` is borrowed.
  explicit Callers(Runtime& runtime);
  /// No batch may be in progress.
  ~Callers();
  Callers(const Callers&) = delete;
  Callers& operator=(const Callers&) = delete;

  /// Calls call(0) to call(count - 1), several concurrently, and waits for all. Returns their
  /// results.
  std::vector<Status> CallAll(size_t count, const std::function<Status(size_t)>& call);

  /// Like CallAll, but in batches of 1, 2, 4, ... calls. After a batch with a failure the remaining
  /// calls are skipped, so that an exhausted quota costs a few requests, not hundreds.
  SlowStartResult SlowStart(size_t count, const std::function<Status()>& call);

 private:
  struct Batch;
  struct Awaiting;

  void Run();
  Batch* AwaitRequest() CAPSTAN_EXCLUDES(mutex_);
  void AskForHelp(Batch& batch, size_t helpers) CAPSTAN_EXCLUDES(mutex_);
  void AwaitHelpers(const Batch& batch) CAPSTAN_EXCLUDES(mutex_);

  Runtime& runtime_;
  const std::unique_ptr<Condition> asked_;
  const std::unique_ptr<Condition> helped_;
  Mutex mutex_;
  std::vector<Batch*> requests_ CAPSTAN_GUARDED_BY(mutex_);  // one for each thread asked for
  size_t started_ CAPSTAN_GUARDED_BY(mutex_) =
      0;                                        // threads, also those that are not in threads_ yet
  size_t busy_ CAPSTAN_GUARDED_BY(mutex_) = 0;  // threads that work on a batch
  bool stopped_ CAPSTAN_GUARDED_BY(mutex_) = false;
  std::vector<std::unique_ptr<Thread>> threads_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::replicaset
