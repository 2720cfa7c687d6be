#pragma once

/// ReviewCache: a bounded cache of review answers. Concurrent calls for the same key share one
/// review.
///
/// Granting and refusing answers are stored separately, so that a flood of refused tokens or paths
/// does not evict a granted one. The number of waiting calls is bounded too, because each call
/// holds a thread that health checks need.
///
/// Threads: Get may be called from any thread. A call that joins the review of another call waits
/// on a Condition of the Runtime.

#include <cstddef>
#include <exception>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

namespace capstan::manager {

template <class Answer>
class ReviewCache {
 public:
  /// Small compared to the number of the listener's threads.
  static constexpr int kMostInProgress = 4;

  struct Asked {
    Result<Answer> answer;
    bool granted = false;
    Duration ttl = {};  ///< not cached if zero, or if there is no answer
  };

  /// `capacity` applies to granting and to refusing answers each.
  ReviewCache(Runtime& runtime, size_t capacity)
      : runtime_(runtime),
        answered_(runtime.NewCondition()),
        granted_(capacity),
        refused_(capacity) {}

  /// Returns the cached answer to `key`, or the result of `ask`. TooManyRequests when too many
  /// calls wait already.
  Result<Answer> Get(const std::string& key, const std::function<Asked()>& ask) {
    std::shared_ptr<Flight> flight;
    {
      MutexLock lock(mutex_);
      if (const Answer* answer = granted_.Find(key, runtime_.Now())) return *answer;
      if (const Answer* answer = refused_.Find(key, runtime_.Now())) return *answer;
      if (in_progress_ >= kMostInProgress) {
        return Status(StatusReason::kTooManyRequests,
                      "too many requests are waiting for the API server");
      }
      ++in_progress_;
      std::shared_ptr<Flight>& known = flights_[key];
      if (known) return Join(known);
      flight = known = std::make_shared<Flight>();
    }
    const Asked asked = Ask(ask);
    MutexLock lock(mutex_);
    if (asked.answer && asked.ttl > Duration::zero()) {
      (asked.granted ? granted_ : refused_).Put(key, *asked.answer, runtime_.Now() + asked.ttl);
    }
    flight->answer = asked.answer;
    flights_.erase(key);
    --in_progress_;
    answered_->NotifyAll();
    return asked.answer;
  }

  /// The number of cached answers, including expired ones.
  size_t size() const {
    MutexLock lock(mutex_);
    return granted_.size() + refused_.size();
  }

 private:
  struct Flight {
    std::optional<Result<Answer>> answer;
  };

  /// An LRU cache.
  class Room {
   public:
    explicit Room(size_t capacity) : capacity_(capacity) {}

    const Answer* Find(const std::string& key, MonotonicTime now) {
      const auto found = by_key_.find(key);
      if (found == by_key_.end()) return nullptr;
      if (found->second->expires <= now) {
        order_.erase(found->second);
        by_key_.erase(found);
        return nullptr;
      }
      order_.splice(order_.begin(), order_, found->second);
      return &found->second->answer;
    }
    void Put(const std::string& key, const Answer& answer, MonotonicTime expires) {
      if (by_key_.size() >= capacity_) {
        by_key_.erase(order_.back().key);
        order_.pop_back();
      }
      order_.push_front({key, answer, expires});
      by_key_[key] = order_.begin();
    }
    size_t size() const { return by_key_.size(); }

   private:
    struct Entry {
      std::string key;
      Answer answer;
      MonotonicTime expires;
    };
    const size_t capacity_;
    std::list<Entry> order_;
    std::unordered_map<std::string, typename std::list<Entry>::iterator> by_key_;
  };

  Result<Answer> Join(std::shared_ptr<Flight> flight) CAPSTAN_REQUIRES(mutex_) {
    while (!flight->answer) answered_->Wait(mutex_);
    --in_progress_;
    return *flight->answer;
  }

  /// Catches exceptions, because the joined calls would otherwise wait forever.
  static Asked Ask(const std::function<Asked()>& ask) {
    try {
      return ask();
    } catch (const std::exception& error) {
      return {.answer = Status(StatusReason::kInternalError, error.what())};
    }
  }

  Runtime& runtime_;
  const std::unique_ptr<Condition> answered_;
  mutable Mutex mutex_;
  Room granted_ CAPSTAN_GUARDED_BY(mutex_);
  Room refused_ CAPSTAN_GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<Flight>> flights_ CAPSTAN_GUARDED_BY(mutex_);
  int in_progress_ CAPSTAN_GUARDED_BY(mutex_) = 0;
};

}  // namespace capstan::manager
