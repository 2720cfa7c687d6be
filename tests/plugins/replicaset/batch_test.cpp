#include "replicaset/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <capstan/testing/simulated_runtime.h>

namespace capstan::replicaset {
namespace {

using ::testing::SizeIs;

class CountingRuntime final : public Runtime {
 public:
  const Clock& clock() const override { return base_.clock(); }
  std::unique_ptr<Thread> Start(std::string name, std::function<void()> body) override {
    if (started == limit) {
      throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    }
    ++started;
    return base_.Start(std::move(name), std::move(body));
  }
  std::unique_ptr<Condition> NewCondition() override { return base_.NewCondition(); }
  uint64_t Random() override { return base_.Random(); }
  void Yield() override { base_.Yield(); }

  int started = 0;
  int limit = std::numeric_limits<int>::max();

 private:
  testing::SimulatedRuntime base_;
};

TEST(Callers, MakesEachCallOnce) {
  testing::SimulatedRuntime runtime;
  std::vector<std::atomic<int>> calls(100);
  const auto results = Callers(runtime).CallAll(calls.size(), [&](size_t i) -> Status {
    ++calls[i];
    if (i % 2 == 0) return Status::Ok();
    return {StatusReason::kForbidden, std::to_string(i)};
  });
  ASSERT_THAT(results, SizeIs(100));
  for (const auto& count : calls) EXPECT_EQ(count, 1);
  EXPECT_TRUE(results[42].ok());
  EXPECT_EQ(results[43].message(), "43");
}

TEST(Callers, DoesNothingForZeroCalls) {
  testing::SimulatedRuntime runtime;
  EXPECT_THAT(Callers(runtime).CallAll(0, [](size_t) { return Status::Canceled(); }), SizeIs(0));
}

TEST(Callers, MakesCallsConcurrently) {
  testing::SimulatedRuntime runtime;
  std::atomic<int> waiting = 0;
  std::atomic<int> most = 0;
  const auto results = Callers(runtime).CallAll(40, [&](size_t) {
    const int now = ++waiting;
    if (now > most) most = now;
    runtime.SleepFor(std::chrono::seconds(1), {});
    --waiting;
    return Status::Ok();
  });
  EXPECT_THAT(results, SizeIs(40));
  EXPECT_GT(most, 1);
  EXPECT_LE(most, 16);
}

TEST(Callers, ServesSeveralBatchesAtOnce) {
  testing::SimulatedRuntime runtime;
  Callers callers(runtime);
  std::atomic<int> calls = 0;
  const auto ask = [&] {
    for (int i = 0; i < 20; ++i) {
      const auto results = callers.CallAll(5, [&](size_t) {
        ++calls;
        runtime.SleepFor(std::chrono::milliseconds(1), {});
        return Status::Ok();
      });
      EXPECT_THAT(results, SizeIs(5));
    }
  };
  const auto first = runtime.Start("first", ask);
  const auto second = runtime.Start("second", ask);
  first->Join();
  second->Join();
  EXPECT_EQ(calls, 200);
}

TEST(Callers, KeepsItsThreads) {
  CountingRuntime runtime;
  {
    Callers callers(runtime);
    for (int i = 0; i < 1000; ++i) callers.CallAll(4, [](size_t) { return Status::Ok(); });
  }
  EXPECT_GT(runtime.started, 0);
  EXPECT_LE(runtime.started, 15);
}

TEST(Callers, MakesTheCallsWithTheThreadsThatThereAre) {
  for (const int limit : {0, 1, 3}) {
    CountingRuntime runtime;
    runtime.limit = limit;
    Callers callers(runtime);
    std::atomic<int> calls = 0;
    for (int i = 0; i < 10; ++i) {
      callers.CallAll(8, [&](size_t) {
        ++calls;
        return Status::Ok();
      });
    }
    EXPECT_EQ(calls, 80);
    EXPECT_EQ(runtime.started, limit);
  }
}

TEST(CallersSlowStart, MakesAllCallsWhenNoneFails) {
  testing::SimulatedRuntime runtime;
  std::atomic<size_t> calls = 0;
  const SlowStartResult result = Callers(runtime).SlowStart(500, [&] {
    ++calls;
    return Status::Ok();
  });
  EXPECT_EQ(calls, 500U);
  EXPECT_EQ(result.succeeded, 500U);
  EXPECT_TRUE(result.error.ok());
}

TEST(CallersSlowStart, StopsAfterABatchWithAFailure) {
  testing::SimulatedRuntime runtime;
  std::atomic<size_t> calls = 0;
  const SlowStartResult result = Callers(runtime).SlowStart(500, [&]() -> Status {
    // The batches are 1, 2 and 4, so the first failure is in the third batch.
    if (++calls == 5) return {StatusReason::kForbidden, "exceeded quota"};
    return Status::Ok();
  });
  EXPECT_EQ(calls, 7U);
  EXPECT_EQ(result.succeeded, 6U);
  EXPECT_EQ(result.error.message(), "exceeded quota");
}

TEST(CallersSlowStart, MakesOneCallWhenAllCallsFail) {
  testing::SimulatedRuntime runtime;
  std::atomic<size_t> calls = 0;
  const SlowStartResult result = Callers(runtime).SlowStart(500, [&]() -> Status {
    ++calls;
    return {StatusReason::kForbidden, "no"};
  });
  EXPECT_EQ(calls, 1U);
  EXPECT_EQ(result.succeeded, 0U);
}

}  // namespace
}  // namespace capstan::replicaset
