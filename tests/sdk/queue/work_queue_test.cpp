#include <capstan/queue/work_queue.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <capstan/testing/simulated_runtime.h>

namespace capstan {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::SimulatedRuntime;

NamespacedName Key(std::string name) { return {"default", std::move(name)}; }

class WorkQueueTest : public ::testing::Test {
 protected:
  // Workers that take keys without marking them done, and record the keys and times.
  std::unique_ptr<Thread> StartTaker() {
    return runtime.Start("taker", [this] {
      while (auto key = queue.Get()) {
        taken.push_back(key->name);
        times.push_back(runtime.Now() - start);
      }
    });
  }

  SimulatedRuntime runtime;
  MetricsRegistry metrics;
  WorkQueue queue{"q", runtime, metrics};
  const MonotonicTime start = runtime.Now();
  std::vector<std::string> taken;
  std::vector<Duration> times;
};

TEST_F(WorkQueueTest, ReturnsKeysInTheOrderOfTheirAddition) {
  for (const char* name : {"c", "a", "b"}) queue.Add(Key(name));
  EXPECT_EQ(queue.Length(), 3u);
  EXPECT_EQ(queue.Get(), Key("c"));
  EXPECT_EQ(queue.Get(), Key("a"));
  EXPECT_EQ(queue.Get(), Key("b"));
}

TEST_F(WorkQueueTest, ReturnsAKeyAddedTwiceOnce) {
  queue.Add(Key("a"));
  queue.Add(Key("b"));
  queue.Add(Key("a"));
  EXPECT_EQ(queue.Length(), 2u);
  EXPECT_EQ(queue.Get(), Key("a"));
  EXPECT_EQ(queue.Get(), Key("b"));
  EXPECT_EQ(queue.Length(), 0u);
}

TEST_F(WorkQueueTest, GivesAKeyToOneWorkerAtATime) {
  queue.Add(Key("a"));
  ASSERT_EQ(queue.Get(), Key("a"));
  queue.Add(Key("a"));
  queue.Add(Key("a"));
  EXPECT_EQ(queue.Length(), 0u);
  queue.Done(Key("a"));
  EXPECT_EQ(queue.Length(), 1u);
  EXPECT_EQ(queue.Get(), Key("a"));
  queue.Done(Key("a"));
  EXPECT_EQ(queue.Length(), 0u);
}

TEST_F(WorkQueueTest, IgnoresDoneForAKeyThatIsNotBeingProcessed) {
  queue.Done(Key("a"));
  queue.Add(Key("a"));
  queue.Done(Key("a"));
  EXPECT_EQ(queue.Length(), 1u);
}

TEST_F(WorkQueueTest, WakesAWaitingWorker) {
  const auto taker = StartTaker();
  runtime.RunUntilIdle();
  EXPECT_THAT(taken, ElementsAre());
  queue.Add(Key("a"));
  runtime.RunUntilIdle();
  EXPECT_THAT(taken, ElementsAre("a"));
  queue.ShutDown();
}

TEST_F(WorkQueueTest, ReturnsADelayedKeyExactlyWhenItIsDue) {
  const auto taker = StartTaker();
  runtime.RunUntilIdle();
  queue.AddAfter(Key("later"), seconds(20));
  queue.AddAfter(Key("sooner"), seconds(10));
  runtime.AdvanceBy(seconds(60));
  EXPECT_THAT(taken, ElementsAre("sooner", "later"));
  EXPECT_THAT(times, ElementsAre(seconds(10), seconds(20)));
  queue.ShutDown();
}

TEST_F(WorkQueueTest, LengthIncludesADelayedKeyOnceItIsDue) {
  queue.AddAfter(Key("a"), seconds(10));
  runtime.AdvanceBy(milliseconds(9999));
  EXPECT_EQ(queue.Length(), 0u);
  runtime.AdvanceBy(milliseconds(1));
  EXPECT_EQ(queue.Length(), 1u);
}

TEST_F(WorkQueueTest, AddsAKeyWithAZeroDelayAtOnce) {
  queue.AddAfter(Key("a"), Duration::zero());
  queue.AddAfter(Key("b"), seconds(-3));
  EXPECT_EQ(queue.Length(), 2u);
}

TEST_F(WorkQueueTest, UsesTheEarliestOfSeveralDelays) {
  queue.AddAfter(Key("a"), seconds(10));
  queue.AddAfter(Key("a"), seconds(5));
  queue.AddAfter(Key("a"), seconds(20));
  runtime.AdvanceBy(seconds(5));
  EXPECT_EQ(queue.Get(), Key("a"));
  queue.Done(Key("a"));
  runtime.AdvanceBy(seconds(60));
  EXPECT_EQ(queue.Length(), 0u);
}

TEST_F(WorkQueueTest, AnAdditionDoesNotCancelADelay) {
  queue.AddAfter(Key("a"), seconds(10));
  queue.Add(Key("a"));
  EXPECT_EQ(queue.Get(), Key("a"));
  queue.Done(Key("a"));
  runtime.AdvanceBy(seconds(10));
  EXPECT_EQ(queue.Length(), 1u);
}

TEST_F(WorkQueueTest, QueuesAKeyOnceThatBecomesDueDuringProcessing) {
  queue.Add(Key("a"));
  ASSERT_EQ(queue.Get(), Key("a"));
  queue.AddAfter(Key("a"), seconds(10));
  runtime.AdvanceBy(seconds(20));
  queue.Done(Key("a"));
  EXPECT_EQ(queue.Length(), 1u);
  EXPECT_EQ(queue.Get(), Key("a"));
  queue.Done(Key("a"));
  EXPECT_EQ(queue.Length(), 0u);
}

TEST_F(WorkQueueTest, KeepsTheOrderInWhichKeysBecameReady) {
  queue.AddAfter(Key("due"), seconds(10));
  runtime.AdvanceBy(seconds(11));
  queue.Add(Key("added later"));
  EXPECT_EQ(queue.Get(), Key("due"));
  EXPECT_EQ(queue.Get(), Key("added later"));
}

TEST_F(WorkQueueTest, HandlesTheMaximumDelay) {
  const auto taker = StartTaker();
  runtime.RunUntilIdle();
  queue.AddAfter(Key("never"), Duration::max());
  queue.Add(Key("a"));
  runtime.RunUntilIdle();
  EXPECT_THAT(taken, ElementsAre("a"));
  queue.ShutDown();
}

// The worker that waits for the delay may take the next key and be busy when the delay ends. Then
// another worker must take over.
TEST(WorkQueue, ServesADelayedKeyWithAnyIdleWorker) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SimulatedRuntime runtime(seed);
    MetricsRegistry metrics;
    WorkQueue queue("q", runtime, metrics);
    const MonotonicTime start = runtime.Now();
    std::vector<std::pair<std::string, Duration>> taken;
    std::vector<std::unique_ptr<Thread>> workers;
    for (int i = 0; i < 2; ++i) {
      workers.push_back(runtime.Start("worker", [&] {
        while (auto key = queue.Get()) {
          taken.emplace_back(key->name, runtime.Now() - start);
          if (key->name == "slow") (void)runtime.SleepFor(seconds(100), {});
          queue.Done(*key);
        }
      }));
    }
    runtime.RunUntilIdle();
    queue.AddAfter(Key("delayed"), seconds(10));
    runtime.RunUntilIdle();
    queue.Add(Key("slow"));
    runtime.AdvanceBy(seconds(200));
    EXPECT_THAT(taken, ElementsAre(std::pair<std::string, Duration>("slow", seconds(0)),
                                   std::pair<std::string, Duration>("delayed", seconds(10))))
        << "seed " << seed;
    queue.ShutDown();
  }
}

TEST(WorkQueue, ServesKeysThatAreDueTogetherWithAllWorkers) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SimulatedRuntime runtime(seed);
    MetricsRegistry metrics;
    WorkQueue queue("q", runtime, metrics);
    const MonotonicTime start = runtime.Now();
    std::vector<Duration> times;
    std::vector<std::unique_ptr<Thread>> workers;
    for (int i = 0; i < 3; ++i) {
      workers.push_back(runtime.Start("worker", [&] {
        while (auto key = queue.Get()) {
          times.push_back(runtime.Now() - start);
          (void)runtime.SleepFor(seconds(100), {});
          queue.Done(*key);
        }
      }));
    }
    for (const char* name : {"a", "b", "c"}) queue.AddAfter(Key(name), seconds(10));
    runtime.AdvanceBy(seconds(200));
    EXPECT_THAT(times, ElementsAre(seconds(10), seconds(10), seconds(10))) << "seed " << seed;
    queue.ShutDown();
  }
}

TEST_F(WorkQueueTest, DelaysARateLimitedKeyWithBackoff) {
  const auto taker = StartTaker();
  runtime.RunUntilIdle();
  queue.AddRateLimited(Key("a"));
  runtime.AdvanceBy(seconds(1));
  EXPECT_EQ(queue.NumRequeues(Key("a")), 1);
  EXPECT_THAT(times, ElementsAre(milliseconds(5)));
  queue.Forget(Key("a"));
  EXPECT_EQ(queue.NumRequeues(Key("a")), 0);
  queue.ShutDown();
}

TEST_F(WorkQueueTest, DelaysARateLimitedKeyByAtLeastTheGivenMinimum) {
  const auto taker = StartTaker();
  runtime.RunUntilIdle();
  queue.AddRateLimited(Key("a"), seconds(7));
  queue.AddRateLimited(Key("b"), milliseconds(1));
  runtime.AdvanceBy(seconds(10));
  EXPECT_THAT(taken, ElementsAre("b", "a"));
  EXPECT_THAT(times, ElementsAre(milliseconds(5), seconds(7)));
  queue.ShutDown();
}

// A queue whose keys fail as the test specifies, with delays of 1 s, 2 s, 4 s, ...
class WorkQueueBackoffTest : public ::testing::Test {
 protected:
  // A worker that fails every key it takes.
  std::unique_ptr<Thread> StartFailing() {
    return runtime.Start("failing", [this] {
      while (auto key = queue.Get()) {
        tries.push_back(runtime.Now() - start);
        if (while_working) while_working(*key);
        queue.AddRateLimited(*key, at_least);
        queue.Done(*key);
      }
    });
  }
  // Adds the key every `period` for this long.
  void AddEvery(Duration period, Duration for_as_long) {
    for (Duration passed{}; passed < for_as_long; passed += period) {
      runtime.AdvanceBy(period);
      queue.Add(Key("a"));
      runtime.RunUntilIdle();
    }
  }

  SimulatedRuntime runtime;
  MetricsRegistry metrics;
  WorkQueue queue{"q", runtime, metrics, NewItemExponentialRateLimiter(seconds(1), seconds(1000))};
  const MonotonicTime start = runtime.Now();
  Duration at_least{};
  std::function<void(const NamespacedName&)> while_working;
  std::vector<Duration> tries;
};

TEST_F(WorkQueueBackoffTest, IsNotChangedByAStreamOfAdditions) {
  const auto worker = StartFailing();
  queue.Add(Key("a"));
  runtime.AdvanceBy(seconds(600));
  const size_t alone = tries.size();
  const int counted = queue.NumRequeues(Key("a"));
  EXPECT_EQ(alone, 10u);
  queue.Forget(Key("a"));
  runtime.AdvanceBy(seconds(600));
  tries.clear();

  queue.Forget(Key("a"));
  AddEvery(milliseconds(100), seconds(600));
  EXPECT_EQ(queue.NumRequeues(Key("a")), counted);
  EXPECT_LE(tries.size(), alone + 60) << "once in ten seconds";
  queue.ShutDown();
}

TEST_F(WorkQueueBackoffTest, IsLimitedByAnAdditionToTenSecondsAfterTheLastTry) {
  const auto worker = StartFailing();
  queue.Add(Key("a"));
  runtime.AdvanceBy(seconds(64));  // tries at 0, 1, 3, 7, 15, 31 and 63; the next at 127
  tries.clear();
  queue.Add(Key("a"));
  runtime.AdvanceBy(seconds(20));
  EXPECT_THAT(tries, ElementsAre(seconds(73)));
  queue.Add(Key("a"));
  runtime.RunUntilIdle();
  EXPECT_THAT(tries, ElementsAre(seconds(73), seconds(84))) << "at once when it is long ago";
  queue.ShutDown();
}

TEST_F(WorkQueueBackoffTest, ContinuesAfterAnEarlyTry) {
  const auto worker = StartFailing();
  queue.Add(Key("a"));
  runtime.AdvanceBy(seconds(80));
  const int counted = queue.NumRequeues(Key("a"));
  tries.clear();
  queue.Add(Key("a"));
  runtime.RunUntilIdle();
  EXPECT_EQ(queue.NumRequeues(Key("a")), counted);
  runtime.AdvanceBy(seconds(200));
  EXPECT_THAT(tries, ElementsAre(seconds(80), seconds(127), seconds(255)));
  queue.ShutDown();
}

TEST_F(WorkQueueBackoffTest, IsNotBypassedByAnAdditionDuringTheFailingTry) {
  while_working = [this](const NamespacedName& key) {
    queue.Add(key);
    (void)runtime.SleepFor(milliseconds(1), {});
    queue.Add(key);
  };
  const auto worker = StartFailing();
  queue.Add(Key("a"));
  runtime.AdvanceBy(seconds(600));
  EXPECT_LE(tries.size(), 10u + 60u);
  EXPECT_GE(tries.size(), 10u);
  queue.ShutDown();
}

TEST_F(WorkQueueBackoffTest, KeepsAnExplicitDelayDespiteAdditions) {
  at_least = seconds(30);
  const auto worker = StartFailing();
  queue.Add(Key("a"));
  AddEvery(seconds(1), seconds(50));
  EXPECT_THAT(tries, ElementsAre(seconds(0), seconds(30)));
  queue.ShutDown();
}

TEST_F(WorkQueueBackoffTest, KeepsAnExplicitDelayOfAnEarlyTry) {
  const auto worker = StartFailing();
  queue.Add(Key("a"));
  runtime.AdvanceBy(seconds(120));  // the next try is at 127
  at_least = seconds(60);
  tries.clear();
  queue.Add(Key("a"));
  AddEvery(seconds(1), seconds(100));
  EXPECT_THAT(tries, ElementsAre(seconds(120), seconds(180)));
  queue.ShutDown();
}

TEST_F(WorkQueueBackoffTest, EndsWhenTheKeyIsForgotten) {
  const auto worker = StartFailing();
  queue.Add(Key("a"));
  runtime.AdvanceBy(seconds(64));
  tries.clear();
  queue.Forget(Key("a"));
  queue.Add(Key("a"));
  runtime.RunUntilIdle();
  EXPECT_THAT(tries, ElementsAre(seconds(64)));
  EXPECT_EQ(queue.NumRequeues(Key("a")), 1);
  queue.ShutDown();
}

TEST_F(WorkQueueBackoffTest, DoesNotAffectOtherKeys) {
  queue.AddRateLimited(Key("a"), seconds(100));
  queue.Add(Key("a"));
  queue.Add(Key("b"));
  EXPECT_EQ(queue.Length(), 1u);
  EXPECT_EQ(queue.Get(), Key("b"));
}

TEST_F(WorkQueueTest, DrainsTheQueueAtShutdown) {
  queue.Add(Key("a"));
  queue.Add(Key("b"));
  queue.AddAfter(Key("delayed"), seconds(1));
  queue.ShutDown();
  EXPECT_TRUE(queue.ShuttingDown());
  queue.Add(Key("late"));
  queue.AddAfter(Key("late"), seconds(1));
  queue.AddRateLimited(Key("late"));
  const auto taker = StartTaker();
  runtime.AdvanceBy(seconds(60));
  EXPECT_THAT(taken, ElementsAre("a", "b"));
}

TEST_F(WorkQueueTest, ReturnsAKeyReaddedDuringProcessingBeforeShutdown) {
  queue.Add(Key("a"));
  ASSERT_EQ(queue.Get(), Key("a"));
  queue.Add(Key("a"));
  queue.ShutDown();
  queue.Done(Key("a"));
  EXPECT_EQ(queue.Get(), Key("a"));
  EXPECT_EQ(queue.Get(), std::nullopt);
}

TEST_F(WorkQueueTest, DropsTheQueueAtImmediateShutdown) {
  queue.Add(Key("a"));
  ASSERT_EQ(queue.Get(), Key("a"));
  queue.Add(Key("a"));
  queue.Add(Key("b"));
  queue.ShutDownNow();
  EXPECT_EQ(queue.Length(), 0u);
  queue.Done(Key("a"));
  EXPECT_EQ(queue.Get(), std::nullopt);
}

TEST_F(WorkQueueTest, UnblocksAllWaitingWorkersAtShutdown) {
  std::vector<std::unique_ptr<Thread>> workers;
  for (int i = 0; i < 5; ++i) workers.push_back(StartTaker());
  queue.AddAfter(Key("delayed"), seconds(100));
  runtime.RunUntilIdle();
  queue.ShutDown();
  runtime.RunUntilIdle();
  workers.clear();  // joins
  EXPECT_EQ(runtime.Now(), start);
}

TEST_F(WorkQueueTest, ExportsTheMetricsOfClientGo) {
  queue.Add(Key("a"));
  queue.Add(Key("a"));
  queue.Add(Key("b"));
  EXPECT_THAT(metrics.Serialize(), HasSubstr("workqueue_depth{name=\"q\"} 2\n"));
  runtime.AdvanceBy(seconds(2));
  ASSERT_EQ(queue.Get(), Key("a"));
  ASSERT_EQ(queue.Get(), Key("b"));
  queue.Add(Key("a"));  // added again while in work
  runtime.AdvanceBy(seconds(3));
  std::string text = metrics.Serialize();
  EXPECT_THAT(text, HasSubstr("workqueue_adds_total{name=\"q\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_depth{name=\"q\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_queue_duration_seconds_count{name=\"q\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_queue_duration_seconds_sum{name=\"q\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_unfinished_work_seconds{name=\"q\"} 6\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_longest_running_processor_seconds{name=\"q\"} 3\n"));
  queue.Done(Key("a"));
  queue.AddAfter(Key("b"), seconds(1));
  text = metrics.Serialize();
  EXPECT_THAT(text, HasSubstr("workqueue_work_duration_seconds_sum{name=\"q\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_unfinished_work_seconds{name=\"q\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_retries_total{name=\"q\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_work_duration_seconds_bucket{name=\"q\",le=\"1e-06\"}"));
}

TEST_F(WorkQueueTest, MeasuresTheQueueTimeOfADelayedKeyFromWhenItWasDue) {
  queue.AddAfter(Key("a"), seconds(10));
  runtime.AdvanceBy(seconds(14));
  ASSERT_EQ(queue.Get(), Key("a"));
  EXPECT_THAT(metrics.Serialize(),
              HasSubstr("workqueue_queue_duration_seconds_sum{name=\"q\"} 4\n"));
}

TEST_F(WorkQueueTest, ExportsTheNewerOfTwoQueuesWithOneName) {
  queue.Add(Key("a"));
  {
    WorkQueue newer("q", runtime, metrics);
    EXPECT_THAT(metrics.Serialize(), HasSubstr("workqueue_depth{name=\"q\"} 0\n"));
    EXPECT_THAT(metrics.Serialize(), Not(HasSubstr("workqueue_depth{name=\"q\"} 1\n")));
  }
  EXPECT_THAT(metrics.Serialize(), HasSubstr("workqueue_depth{name=\"q\"} 1\n"));
}

}  // namespace
}  // namespace capstan
