#pragma once

/// WorkQueue: a queue of keys to process. (client-go util/workqueue)
///
/// - A key that is added several times before Get is returned once.
/// - Only one worker processes a key at a time. A key added meanwhile is queued again after Done.
/// - Namespaces with ready keys take turns, so that a namespace with ten thousand keys does not
///   delay the single key of another. Keys of one namespace are ordered by the time at which they
///   became ready. Every fourth turn goes to the key that has been ready longest, in any namespace.
///   Therefore a key has a bound from the moment it becomes ready, whatever is added later.
///   The only key of its namespace comes after at most m + m/3 + 1 keys, where m is the number of
///   other namespaces with ready keys. Any key comes after at most 4k + 3 keys, where k is the
///   number of other ready keys. (client-go has one order for all keys.)
/// - AddAfter adds a key after a delay. Of several delays the earliest applies. AddRateLimited gets
///   the delay from the limiter.
/// - A key that AddRateLimited delays is in backoff until Forget. Add moves its next try forward,
///   because something may have changed, but not to less than ten seconds after the previous try.
///   If such an early try fails, it does not count: the limiter is not asked, and the key stays due
///   at its original time. Additions, however many, therefore neither make a failing key spin nor
///   lengthen its wait. (client-go tries at once, and counts the try.)
/// - After ShutDown, Get returns the queued keys and then ends. A queue that is shut down ignores
///   additions.
///
/// Delays need no thread: a caller that waits in Get waits until the earliest delay ends.
///
/// Metrics: workqueue_*, as in client-go, with the label name=<queue name>. Gauges (depth,
/// unfinished work) disappear with the queue. If two queues have the same name, they show the newer
/// queue.
///
/// Threads: all methods may be called from any thread.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <capstan/api/meta_v1.h>
#include <capstan/export.h>
#include <capstan/metrics/metrics.h>
#include <capstan/queue/rate_limiter.h>
#include <capstan/runtime/runtime.h>

namespace capstan {

class CAPSTAN_EXPORT WorkQueue {
 public:
  /// If `limiter` is null, the default controller rate limiter is used.
  WorkQueue(std::string name, Runtime& runtime, MetricsRegistry& metrics,
            std::unique_ptr<RateLimiter> limiter = nullptr);
  ~WorkQueue();

  void Add(const NamespacedName& item);
  void AddAfter(const NamespacedName& item, Duration delay);
  /// Adds `item` after the limiter's delay, but not before `at_least` has passed, even if the key
  /// is added otherwise.
  void AddRateLimited(const NamespacedName& item, Duration at_least = {});
  void Forget(const NamespacedName& item);
  int NumRequeues(const NamespacedName& item) const;

  /// Waits for a key and takes it. Returns nullopt when the queue is shut down and empty. The
  /// caller must call Done for each key.
  std::optional<NamespacedName> Get();
  void Done(const NamespacedName& item);

  /// Stops accepting keys. Queued keys are still returned by Get. Delayed keys are dropped.
  void ShutDown();
  /// Like ShutDown, but also drops the queued keys.
  void ShutDownNow();
  bool ShuttingDown() const;
  /// The number of keys that Get could return now.
  size_t Length() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // shared with metric scrapes in progress
};

}  // namespace capstan
