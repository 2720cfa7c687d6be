// The threads of a SimulatedRuntime: their order, and the state that a switch must preserve.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <capstan/runtime/format.h>
#include <capstan/testing/simulated_runtime.h>

namespace capstan::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

using Threads = std::vector<std::unique_ptr<Thread>>;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kMany = 300;
#else
constexpr int kMany = 5000;
#endif

// A queue of numbers with producers and consumers that sleep, yield and time out. Returns their
// actions with times, one text per step.
std::vector<std::string> Trace(uint64_t seed) {
  SimulatedRuntime runtime(seed);
  Mutex mutex;
  const auto changed = runtime.NewCondition();
  std::vector<int> queue;
  std::vector<std::string> trace;
  const auto note = [&](std::string_view who, std::string_view what) {
    trace.push_back(Format("{} {} {}", runtime.Now().time_since_epoch().count(), who, what));
  };
  Threads threads;
  for (int p = 0; p < 3; ++p) {
    threads.push_back(runtime.Start("producer", [&, name = Format("p{}", p)] {
      for (int i = 0; i < 20; ++i) {
        if (runtime.Random() % 2 == 0) runtime.Yield();
        if (runtime.Random() % 4 == 0) runtime.SleepFor(Duration(runtime.Random() % 5), {});
        MutexLock lock(mutex);
        queue.push_back(i);
        note(name, Format("puts {}", i));
        changed->NotifyOne();
      }
    }));
  }
  for (int c = 0; c < 3; ++c) {
    threads.push_back(runtime.Start("consumer", [&, name = Format("c{}", c)] {
      for (int misses = 0; misses < 5;) {
        MutexLock lock(mutex);
        if (!queue.empty()) {
          note(name, Format("takes {}", queue.back()));
          queue.pop_back();
        } else if (!changed->WaitUntil(mutex, runtime.Now() + 3ns)) {
          note(name, "waits in vain");
          ++misses;
        }
      }
    }));
  }
  runtime.AdvanceBy(1s);
  return trace;
}

TEST(Fibers, ASeedReplaysEveryStep) {
  std::set<std::vector<std::string>> different;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<std::string> trace = Trace(seed);
    EXPECT_GE(trace.size(), 75u);
    EXPECT_EQ(trace, Trace(seed));
    different.insert(trace);
  }
  EXPECT_EQ(different.size(), 20u);
}

TEST(Fibers, EveryRunnableThreadGetsATurn) {
  SimulatedRuntime runtime;
  constexpr int kThreads = 50;
  constexpr int kRounds = 200;
  std::vector<int> turns(kThreads);
  int fewest_at_the_first_end = kRounds;
  Threads threads;
  for (int& own : turns) {
    threads.push_back(runtime.Start("runner", [&] {
      while (own < kRounds) {
        ++own;
        runtime.Yield();
      }
      fewest_at_the_first_end = std::min(fewest_at_the_first_end, *std::ranges::min_element(turns));
    }));
  }
  runtime.RunUntilIdle();
  EXPECT_THAT(turns, ::testing::Each(kRounds));
  EXPECT_GT(fewest_at_the_first_end, kRounds / 2);
}

TEST(Fibers, TheDrivingThreadIsNotPreempted) {
  SimulatedRuntime runtime;
  bool ran = false;
  const auto thread = runtime.Start("other", [&] { ran = true; });
  runtime.Yield();
  EXPECT_FALSE(ran);
}

TEST(Fibers, AYieldLetsAnotherThreadRunFirstForSomeSeed) {
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SimulatedRuntime runtime(seed);
    std::string order;
    Threads threads;
    for (const char name : {'a', 'b'}) {
      threads.push_back(runtime.Start("x", [&, name] {
        order += name;
        runtime.Yield();
        order += name;
      }));
    }
    runtime.RunUntilIdle();
    orders.insert(order);
  }
  EXPECT_THAT(orders, UnorderedElementsAre("aabb", "abab", "abba", "bbaa", "baba", "baab"));
}

TEST(Fibers, AThreadKeepsItsOwnExceptionsAcrossSwitches) {
  SimulatedRuntime runtime(3);
  constexpr int kThreads = 20;
  int right = 0;
  Threads threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.push_back(runtime.Start("thrower", [&, i] {
      const std::string own = std::to_string(i);
      try {
        runtime.Yield();
        throw std::runtime_error(own);
      } catch (const std::exception&) {
        // Other fibers throw, catch and end in the meantime.
        runtime.Yield();
        try {
          runtime.SleepFor(Duration(i % 3), {});
          throw;
        } catch (const std::exception& again) {
          runtime.Yield();
          right += again.what() == own && std::uncaught_exceptions() == 0 ? 1 : 0;
        }
      }
      right += std::current_exception() == nullptr ? 1 : 0;
    }));
  }
  runtime.AdvanceBy(1s);
  EXPECT_EQ(right, 2 * kThreads);
}

TEST(Fibers, AThreadCanWaitDuringUnwinding) {
  SimulatedRuntime runtime;
  std::vector<int> in_flight;
  struct Waiter {
    ~Waiter() {
      runtime.SleepFor(1s, {});
      in_flight.push_back(std::uncaught_exceptions());
    }
    SimulatedRuntime& runtime;
    std::vector<int>& in_flight;
  };
  const auto unwinding = runtime.Start("unwinding", [&] {
    try {
      const Waiter waiter{runtime, in_flight};
      throw std::runtime_error("x");
    } catch (const std::runtime_error&) {
    }
  });
  const auto other = runtime.Start("other", [&] {
    runtime.SleepFor(500ms, {});
    in_flight.push_back(std::uncaught_exceptions());
  });
  runtime.AdvanceBy(2s);
  EXPECT_THAT(in_flight, ElementsAre(0, 1));
}

TEST(Fibers, ManyThreadsCanRunConcurrentlyAndInSequence) {
  SimulatedRuntime runtime;
  int ended = 0;
  {
    Threads threads;
    for (int i = 0; i < kMany; ++i) {
      threads.push_back(runtime.Start("sleeper", [&] {
        char stack[16 * 1024];
        std::fill(std::begin(stack), std::end(stack), 'x');
        runtime.SleepFor(Duration(runtime.Random() % 1000), {});
        ended += std::ranges::count(stack, 'x') == sizeof stack ? 1 : 0;
      }));
    }
    runtime.RunUntilIdle();
    EXPECT_LT(ended, kMany);
    runtime.AdvanceBy(1us);
    EXPECT_EQ(ended, kMany);
  }
  for (int i = 0; i < 4 * kMany; ++i) runtime.Start("short", [&] { ++ended; })->Join();
  EXPECT_EQ(ended, 5 * kMany);
}

TEST(Fibers, ABodyIsDestroyedAfterItsReturn) {
  SimulatedRuntime runtime;
  const auto owned = std::make_shared<int>(1);
  const auto thread = runtime.Start("owner", [owned] { EXPECT_EQ(owned.use_count(), 2); });
  runtime.RunUntilIdle();
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(Fibers, JoinWaitsForTheEndFromAnyThread) {
  SimulatedRuntime runtime;
  std::vector<std::string> order;
  std::unique_ptr<Thread> slow = runtime.Start("slow", [&] {
    runtime.SleepFor(3s, {});
    order.emplace_back("slow");
  });
  Threads joiners;
  for (int i = 0; i < 3; ++i) {
    joiners.push_back(runtime.Start("joiner", [&] {
      slow->Join();
      order.emplace_back("joiner");
    }));
  }
  runtime.AdvanceBy(2s);
  EXPECT_THAT(order, ElementsAre());
  runtime.AdvanceBy(1s);
  EXPECT_THAT(order, ElementsAre("slow", "joiner", "joiner", "joiner"));
  slow->Join();
}

TEST(Fibers, AThreadCanStartAndJoinOthers) {
  SimulatedRuntime runtime;
  int sum = 0;
  const auto parent = runtime.Start("parent", [&] {
    Threads children;
    for (int i = 1; i <= 10; ++i) {
      children.push_back(runtime.Start("child", [&, i] {
        runtime.SleepFor(Duration(i), {});
        sum += i;
      }));
    }
    children.clear();
    EXPECT_EQ(sum, 55);
    sum = 100;
  });
  runtime.AdvanceBy(1s);
  EXPECT_EQ(sum, 100);
}

// A wait whose timeout coincides with a notification may end either way, and the notification is
// never lost between two waiters.
TEST(Fibers, AWakeUpAtTheTimeOfATimeoutIsNotLost) {
  std::set<std::string> outcomes;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SimulatedRuntime runtime(seed);
    Mutex mutex;
    const auto condition = runtime.NewCondition();
    const MonotonicTime instant = runtime.Now() + 1s;
    int woken = 0;
    int timed_out = 0;
    Threads threads;
    for (int i = 0; i < 2; ++i) {
      threads.push_back(runtime.Start("waiter", [&, i] {
        MutexLock lock(mutex);
        const MonotonicTime deadline = i == 0 ? instant : instant + 1s;
        (condition->WaitUntil(mutex, deadline) ? woken : timed_out) += i == 0 ? 1 : 10;
      }));
    }
    threads.push_back(runtime.Start("waker", [&] {
      runtime.SleepFor(1s, {});
      MutexLock lock(mutex);
      condition->NotifyOne();
    }));
    runtime.AdvanceBy(5s);
    EXPECT_EQ(woken + timed_out, 11);
    EXPECT_THAT(woken, ::testing::AnyOf(1, 10));
    outcomes.insert(std::to_string(woken));
  }
  EXPECT_EQ(outcomes.size(), 2u);
}

TEST(Fibers, NotifyOneWakesOneAndNotifyAllWakesTheRest) {
  SimulatedRuntime runtime;
  Mutex mutex;
  const auto condition = runtime.NewCondition();
  int woken = 0;
  Threads threads;
  for (int i = 0; i < 10; ++i) {
    threads.push_back(runtime.Start("waiter", [&] {
      MutexLock lock(mutex);
      condition->Wait(mutex);
      ++woken;
    }));
  }
  runtime.RunUntilIdle();
  condition->NotifyOne();
  runtime.RunUntilIdle();
  EXPECT_EQ(woken, 1);
  condition->NotifyAll();
  runtime.RunUntilIdle();
  EXPECT_EQ(woken, 10);
}

TEST(Fibers, RunUntilEvaluatesItsConditionOnlyWhenAllThreadsWait) {
  SimulatedRuntime runtime;
  bool busy = false;
  int seconds = 0;
  const auto thread = runtime.Start("worker", [&] {
    for (; seconds < 10; ++seconds) {
      busy = true;
      for (int i = 0; i < 5; ++i) runtime.Yield();
      busy = false;
      runtime.SleepFor(1s, {});
    }
  });
  EXPECT_TRUE(runtime.RunUntil(
      [&] {
        EXPECT_FALSE(busy);
        return seconds == 5;
      },
      1h));
}

TEST(Fibers, OtherThreadsCanReadTheClock) {
  SimulatedRuntime runtime;
  const WallTime start = runtime.clock().Now();
  runtime.AdvanceBy(3s);
  WallTime seen;
  std::thread([&] { seen = runtime.clock().Now(); }).join();
  EXPECT_EQ(seen - start, 3s);
}

class FibersDeathTest : public ::testing::Test {
 protected:
  FibersDeathTest() { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(FibersDeathTest, AnExceptionOutOfABodyAborts) {
  EXPECT_DEATH(
      {
        SimulatedRuntime runtime;
        const auto thread =
            runtime.Start("thrower", [] { throw std::runtime_error("the reason"); });
        runtime.RunUntilIdle();
      },
      "terminate.*\n.*the reason");
}

TEST_F(FibersDeathTest, AMutexHeldAcrossASwitchAborts) {
  EXPECT_DEATH(
      {
        SimulatedRuntime runtime;
        Mutex mutex;
        const auto condition = runtime.NewCondition();
        const auto waiter = runtime.Start("the waiter", [&] {
          MutexLock lock(mutex);
          condition->Wait(mutex);
        });
        runtime.RunUntilIdle();
        const auto holder = runtime.Start("the holder", [&] {
          MutexLock lock(mutex);
          condition->NotifyAll();
          runtime.SleepFor(1s, {});
        });
        runtime.RunUntilIdle();
      },
      "\"the waiter\" returns from a wait.*\n.*\n.*\n.*the holder: waiting");
}

TEST_F(FibersDeathTest, CallsFromForeignThreadsAbort) {
  EXPECT_DEATH(
      {
        SimulatedRuntime runtime;
        const auto condition = runtime.NewCondition();
        std::thread([&] { condition->NotifyAll(); }).join();
      },
      "a foreign thread wakes");
}

TEST_F(FibersDeathTest, DrivingFromAnotherThreadAborts) {
  EXPECT_DEATH(
      {
        SimulatedRuntime runtime;
        const auto thread = runtime.Start("a", [&] { runtime.RunUntilIdle(); });
        runtime.RunUntilIdle();
      },
      "RunUntilIdle: only the driving thread may");
}

TEST_F(FibersDeathTest, RunningThreadsAreListedAtDestruction) {
  EXPECT_DEATH(
      {
        std::unique_ptr<Thread> thread;
        SimulatedRuntime runtime;
        thread = runtime.Start("the worker", [&] { runtime.SleepFor(1s, {}); });
        runtime.RunUntilIdle();
      },
      "destroyed while threads still run.*\n.*\n.*the worker: waiting");
}

TEST_F(FibersDeathTest, JoiningItselfAborts) {
  EXPECT_DEATH(
      {
        SimulatedRuntime runtime;
        std::unique_ptr<Thread> thread;
        thread = runtime.Start("a", [&] { thread->Join(); });
        runtime.RunUntilIdle();
      },
      "a thread joins itself");
}

}  // namespace
}  // namespace capstan::testing
