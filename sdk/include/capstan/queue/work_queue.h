#pragma once

/// WorkQueue: the keys that want work. (client-go util/workqueue)
///
/// - A key added several times before it is taken is taken once.
/// - A key is worked on by one worker at a time: added meanwhile, it comes again after Done.
/// - Namespaces that have keys ready take turns, so that one with ten thousand keys does not delay
///   another's one. Within a namespace the keys come in the order in which they got ready. Each
///   fourth turn goes to the key that has been ready for longest, of whichever namespace. So a
///   bound is known when a key gets ready, whatever is added after it: the only one of its
///   namespace, with m other namespaces that have some, comes after at most m + m/3 + 1 keys; any
///   key, with k others ready, comes after at most 4k + 3. (client-go has one order for all.)
/// - AddAfter adds it later; of several delays the earliest counts. AddRateLimited asks the
///   limiter.
/// - A key that AddRateLimited delays is in backoff until Forget. Add brings its next try forward,
///   as something may have changed, but to no less than ten seconds after the try before. A try
///   that came early so does not count when it fails: the limiter is not asked, and the key is due
///   when it was anyway. So additions, many as there may be, neither make a failing key spin nor
///   wait for longer. (client-go tries at once, and counts it.)
/// - ShutDown lets the keys that are queued drain, then Get ends. A queue that is shut down ignores
///   what is added.
///
/// Delays need no thread: whoever waits in Get waits until the earliest is due.
///
/// Metrics workqueue_* as client-go's, with the label name=<queue name>. Those of the moment
/// (depth, unfinished work) are gone with the queue; of two queues with one name they tell of the
/// newer.
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
  /// `limiter` null: the default controller rate limiter.
  WorkQueue(std::string name, Runtime& runtime, MetricsRegistry& metrics,
            std::unique_ptr<RateLimiter> limiter = nullptr);
  ~WorkQueue();

  void Add(const NamespacedName& item);
  void AddAfter(const NamespacedName& item, Duration delay);
  /// Adds it when the limiter says so, but not before `at_least` has passed, whatever is added.
  void AddRateLimited(const NamespacedName& item, Duration at_least = {});
  void Forget(const NamespacedName& item);
  int NumRequeues(const NamespacedName& item) const;

  /// Waits for a key and takes it; nullopt when the queue was shut down and is empty. Each key that
  /// was taken must be given back by Done.
  std::optional<NamespacedName> Get();
  void Done(const NamespacedName& item);

  /// No more keys are accepted; what is queued is still handed out, what is delayed is dropped.
  void ShutDown();
  /// As ShutDown, and what is queued or delayed is dropped.
  void ShutDownNow();
  bool ShuttingDown() const;
  /// How many keys could be taken now.
  size_t Length() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // shared with a scrape of the metrics that is under way
};

}  // namespace capstan
