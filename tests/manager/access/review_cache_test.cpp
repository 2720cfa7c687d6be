#include "access/review_cache.h"

#include <capstan/testing/simulated_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace capstan::manager {
namespace {

using Cache = ReviewCache<int>;

class ReviewCacheTest : public ::testing::Test {
 protected:
  // The answer of a review. Counts the reviews.
  Cache::Asked Answer(int value, bool granted = true, Duration ttl = std::chrono::seconds(10)) {
    ++asked_;
    return {.answer = value, .granted = granted, .ttl = ttl};
  }
  int Get(const std::string& key, int value, bool granted = true,
          Duration ttl = std::chrono::seconds(10)) {
    return cache_.Get(key, [&] { return Answer(value, granted, ttl); }).value();
  }

  testing::SimulatedRuntime runtime_;
  Cache cache_{runtime_, 3};
  int asked_ = 0;
};

TEST_F(ReviewCacheTest, AnAnswerIsCachedUntilItsTtl) {
  EXPECT_EQ(Get("a", 1), 1);
  runtime_.AdvanceBy(std::chrono::milliseconds(9999));
  EXPECT_EQ(Get("a", 2), 1);
  runtime_.AdvanceBy(std::chrono::milliseconds(1));
  EXPECT_EQ(Get("a", 2), 2);
  EXPECT_EQ(asked_, 2);
}

TEST_F(ReviewCacheTest, UseDoesNotExtendTheTtl) {
  Get("a", 1);
  for (int i = 0; i < 9; ++i) {
    runtime_.AdvanceBy(std::chrono::seconds(1));
    EXPECT_EQ(Get("a", 2), 1);
  }
  runtime_.AdvanceBy(std::chrono::seconds(1));
  EXPECT_EQ(Get("a", 2), 2);
}

TEST_F(ReviewCacheTest, AnAnswerWithoutATtlIsNotCached) {
  EXPECT_EQ(Get("a", 1, true, {}), 1);
  EXPECT_EQ(Get("a", 2, false, {}), 2);
  EXPECT_EQ(cache_.size(), 0U);
}

TEST_F(ReviewCacheTest, ErrorsAreNotCached) {
  const auto failed = cache_.Get("a", []() -> Cache::Asked {
    return {.answer = Status(StatusReason::kTransport, "refused"), .ttl = std::chrono::seconds(10)};
  });
  EXPECT_TRUE(failed.status().IsTransport());
  EXPECT_EQ(Get("a", 1), 1);
}

TEST_F(ReviewCacheTest, TheLeastRecentlyUsedAnswerIsEvictedFirst) {
  for (const char* key : {"a", "b", "c"}) Get(key, 1);
  Get("a", 2);
  Get("d", 1);
  EXPECT_EQ(cache_.size(), 3U);
  EXPECT_EQ(asked_, 4);
  for (const char* key : {"a", "c", "d"}) EXPECT_EQ(Get(key, 2), 1);
  EXPECT_EQ(Get("b", 2), 2);
}

TEST_F(ReviewCacheTest, RefusalsDoNotEvictGrantedAnswers) {
  Get("good", 1);
  for (int i = 0; i < 1000; ++i) Get("bad" + std::to_string(i), 0, false);
  EXPECT_EQ(cache_.size(), 4U);
  EXPECT_EQ(Get("good", 2), 1);
}

TEST_F(ReviewCacheTest, ConcurrentCallsForOneKeyShareOneRequest) {
  std::vector<std::unique_ptr<Thread>> threads;
  int answered = 0;
  for (int i = 0; i < Cache::kMostInProgress; ++i) {
    threads.push_back(runtime_.Start("ask", [&] {
      const auto answer = cache_.Get("a", [&] {
        runtime_.SleepFor(std::chrono::seconds(1), {});
        return Answer(7, true, {});
      });
      if (answer.ok() && *answer == 7) ++answered;
    }));
  }
  runtime_.AdvanceBy(std::chrono::seconds(2));
  EXPECT_EQ(answered, Cache::kMostInProgress);
  EXPECT_EQ(asked_, 1);
}

TEST_F(ReviewCacheTest, AFailureIsSharedByConcurrentCallsAndNotCached) {
  std::vector<std::unique_ptr<Thread>> threads;
  int failed = 0;
  for (int i = 0; i < 3; ++i) {
    threads.push_back(runtime_.Start("ask", [&] {
      const auto answer = cache_.Get("a", [&]() -> Cache::Asked {
        runtime_.SleepFor(std::chrono::seconds(1), {});
        throw std::runtime_error("broken");
      });
      if (answer.status().message() == "broken") ++failed;
    }));
  }
  runtime_.AdvanceBy(std::chrono::seconds(2));
  EXPECT_EQ(failed, 3);
  EXPECT_EQ(Get("a", 1), 1);
}

TEST_F(ReviewCacheTest, TheNumberOfRequestsInProgressIsLimited) {
  Get("kept", 1);
  std::vector<std::unique_ptr<Thread>> threads;
  for (int i = 0; i < Cache::kMostInProgress; ++i) {
    threads.push_back(runtime_.Start("ask", [&, i] {
      (void)cache_.Get(std::to_string(i), [&] {
        runtime_.SleepFor(std::chrono::seconds(1), {});
        return Answer(1);
      });
    }));
  }
  runtime_.RunUntilIdle();
  const auto refused = cache_.Get("more", [&] { return Answer(1); });
  EXPECT_TRUE(refused.status().IsTooManyRequests());
  EXPECT_TRUE(cache_.Get("0", [&] { return Answer(1); }).status().IsTooManyRequests());
  EXPECT_EQ(Get("kept", 2), 1);
  runtime_.AdvanceBy(std::chrono::seconds(2));
  EXPECT_EQ(Get("more", 2), 2);
}

TEST(ReviewCacheStress, ConcurrentCallsGetTheAnswerOfTheirKey) {
  ReviewCache<int> cache(SystemRuntime(), 4);
  std::atomic<int> wrong = 0;
  std::atomic<int> answered = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < Cache::kMostInProgress; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < 500; ++i) {
          const int key = (thread + i) % 11;
          const auto answer = cache.Get(std::to_string(key), [&] {
            return Cache::Asked{
                .answer = key, .granted = key % 2 == 0, .ttl = std::chrono::microseconds(50)};
          });
          if (answer.ok()) ++answered;
          if (answer.ok() && *answer != key) ++wrong;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(answered, Cache::kMostInProgress * 500);
  EXPECT_LE(cache.size(), 8U);
}

}  // namespace
}  // namespace capstan::manager
