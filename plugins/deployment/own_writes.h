#pragma once

/// OwnWrites: what a Deployment's syncs have written and the cache may not show yet. A sync that
/// worked on older states would exceed the surge, or run into conflicts; it waits instead, and the
/// events of the writes wake it.
///
/// Threads: all methods may be called from any thread; for one Deployment from one at a time.

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <capstan/api/meta_v1.h>
#include <capstan/runtime/clock.h>
#include <capstan/runtime/mutex.h>

namespace capstan::deployment {

class OwnWrites {
 public:
  explicit OwnWrites(const Clock& clock) : clock_(clock) {}

  struct Write {
    NamespacedName name;
    Uid uid;
    std::string resource_version;
    bool is_deployment = false;
    bool is_creation = false;  ///< not seen = not yet there; otherwise not seen = gone
    MonotonicTime deadline;    ///< given up then: set by Record
  };
  void Record(const Uid& deployment, Write write);

  /// What the cache holds of an object that was written, or null.
  using Look = std::function<const api::ObjectMeta*(const Write& write)>;
  /// How long to wait at most; nullopt when the cache shows all writes.
  std::optional<Duration> Pending(const Uid& deployment, const Look& look);

 private:
  const Clock& clock_;
  Mutex mutex_;
  std::unordered_map<Uid, std::vector<Write>> writes_ CAPSTAN_GUARDED_BY(mutex_);
  MonotonicTime next_sweep_ CAPSTAN_GUARDED_BY(mutex_);
};

/// Whether a cached object is at least as new as what was written.
bool IsAsNew(const api::ObjectMeta& cached, const std::string& resource_version);

}  // namespace capstan::deployment
