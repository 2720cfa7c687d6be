#include <capstan/queue/work_queue.h>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace capstan {
namespace {

using std::chrono::microseconds;

// Free-threaded, for the race detector: many producers and workers. Only one worker has a key at a
// time, and no addition is lost.
TEST(WorkQueueStress, LosesNoAdditionAndGivesAKeyToOneThreadAtATime) {
  constexpr int kKeys = 17;
  constexpr int kProducers = 4;
  constexpr int kWorkers = 4;
  constexpr int kRounds = 2000;
  MetricsRegistry metrics;
  WorkQueue queue("stress", SystemRuntime(), metrics,
                  NewItemExponentialRateLimiter(microseconds(10), microseconds(100)));

  std::array<std::atomic<int>, kKeys> holders{};
  std::array<std::atomic<int>, kKeys> wanted{};  // additions so far
  std::array<std::atomic<int>, kKeys> seen{};    // additions before the last work
  std::atomic<bool> shared = false;
  std::vector<std::thread> workers;
  for (int i = 0; i < kWorkers; ++i) {
    workers.emplace_back([&] {
      while (const auto key = queue.Get()) {
        const auto index = static_cast<size_t>(std::stoi(key->name));
        if (holders[index].fetch_add(1) != 0) shared = true;
        seen[index] = wanted[index].load();
        holders[index].fetch_sub(1);
        queue.Forget(*key);
        queue.Done(*key);
      }
    });
  }
  std::thread scraper([&] {
    while (!queue.ShuttingDown()) (void)metrics.Serialize();
  });

  std::vector<std::thread> producers;
  for (int p = 0; p < kProducers; ++p) {
    producers.emplace_back([&, p] {
      for (int i = 0; i < kRounds; ++i) {
        const auto index = static_cast<size_t>((i * 7 + p) % kKeys);
        const NamespacedName key{"ns", std::to_string(index)};
        wanted[index].fetch_add(1);
        if (i % 3 == 0) queue.Add(key);
        if (i % 3 == 1) queue.AddAfter(key, microseconds(i % 200));
        if (i % 3 == 2) queue.AddRateLimited(key);
      }
    });
  }
  for (std::thread& producer : producers) producer.join();

  const auto all_seen = [&] {
    for (size_t i = 0; i < kKeys; ++i) {
      if (seen[i] != wanted[i]) return false;
    }
    return true;
  };
  while (!all_seen()) std::this_thread::yield();
  queue.ShutDown();
  for (std::thread& worker : workers) worker.join();
  scraper.join();
  EXPECT_FALSE(shared);
  EXPECT_EQ(queue.Length(), 0u);
}

}  // namespace
}  // namespace capstan
