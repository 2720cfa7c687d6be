#pragma once

/// EventCorrelator: decides which recorded events are written, and how. (client-go tools/record
/// events_cache)

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include <capstan/api/core_v1.h>
#include <capstan/runtime/clock.h>

#include "events/lru_cache.h"
#include "queue/token_bucket.h"

namespace capstan {

/// Names the events of one writer: "<object>.<nanoseconds, in hex>". No name is used twice.
class EventNames {
 public:
  /// `salt` replaces an object's name that is not valid in the name of an Event.
  std::string Next(std::string_view object, WallTime now, uint64_t salt);

 private:
  int64_t last_ = 0;
};

/// Used by one thread at a time.
class EventCorrelator {
 public:
  explicit EventCorrelator(const Clock& clock) : clock_(clock) {}

  struct Observation {
    api::core::v1::Event event;
    std::string patch;  ///< merge patch of the Event written earlier; "" if none
  };
  /// nullopt: there are too many events about the object.
  std::optional<Observation> Correlate(const api::core::v1::Event& event);

 private:
  // Events that differ only in their messages.
  struct Similar {
    std::set<std::string> messages;
    MonotonicTime last;
  };
  struct Written {
    int32_t count;
    api::Time first_timestamp;
    std::string name;
  };

  // If there are many similar events, replaces `event` by the one that stands for all of them.
  // Returns the key under which its observations are counted.
  std::string Aggregate(api::core::v1::Event& event);
  // Counts the event and returns it with the patch for the new count.
  Observation Count(api::core::v1::Event event, std::string key);
  bool IsSpam(const api::core::v1::Event& event);

  static constexpr size_t kCacheSize = 4096;

  const Clock& clock_;
  LruCache<Similar> similar_{kCacheSize};
  LruCache<Written> written_{kCacheSize};
  LruCache<TokenBucket> buckets_{kCacheSize};
};

}  // namespace capstan
