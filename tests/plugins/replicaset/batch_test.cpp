#include "replicaset/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include <capstan/testing/simulated_runtime.h>

namespace capstan::replicaset {
namespace {

using ::testing::SizeIs;

TEST(CallAll, MakesEachCallOnce) {
  testing::SimulatedRuntime runtime;
  std::vector<std::atomic<int>> calls(100);
  const auto results = CallAll(runtime, calls.size(), [&](size_t i) -> Status {
    ++calls[i];
    if (i % 2 == 0) return Status::Ok();
    return {StatusReason::kForbidden, std::to_string(i)};
  });
  ASSERT_THAT(results, SizeIs(100));
  for (const auto& count : calls) EXPECT_EQ(count, 1);
  EXPECT_TRUE(results[42].ok());
  EXPECT_EQ(results[43].message(), "43");
}

TEST(CallAll, DoesNothingForZeroCalls) {
  testing::SimulatedRuntime runtime;
  EXPECT_THAT(CallAll(runtime, 0, [](size_t) { return Status::Canceled(); }), SizeIs(0));
}

TEST(CallAll, MakesCallsConcurrently) {
  testing::SimulatedRuntime runtime;
  std::atomic<int> waiting = 0;
  std::atomic<int> most = 0;
  const auto results = CallAll(runtime, 40, [&](size_t) {
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

TEST(SlowStart, MakesAllCallsWhenNoneFails) {
  testing::SimulatedRuntime runtime;
  std::atomic<size_t> calls = 0;
  const SlowStartResult result = SlowStart(runtime, 500, [&] {
    ++calls;
    return Status::Ok();
  });
  EXPECT_EQ(calls, 500U);
  EXPECT_EQ(result.succeeded, 500U);
  EXPECT_TRUE(result.error.ok());
}

TEST(SlowStart, StopsAfterABatchWithAFailure) {
  testing::SimulatedRuntime runtime;
  std::atomic<size_t> calls = 0;
  const SlowStartResult result = SlowStart(runtime, 500, [&]() -> Status {
    // The batches are 1, 2 and 4, so the first failure is in the third batch.
    if (++calls == 5) return {StatusReason::kForbidden, "exceeded quota"};
    return Status::Ok();
  });
  EXPECT_EQ(calls, 7U);
  EXPECT_EQ(result.succeeded, 6U);
  EXPECT_EQ(result.error.message(), "exceeded quota");
}

TEST(SlowStart, MakesOneCallWhenAllCallsFail) {
  testing::SimulatedRuntime runtime;
  std::atomic<size_t> calls = 0;
  const SlowStartResult result = SlowStart(runtime, 500, [&]() -> Status {
    ++calls;
    return {StatusReason::kForbidden, "no"};
  });
  EXPECT_EQ(calls, 1U);
  EXPECT_EQ(result.succeeded, 0U);
}

}  // namespace
}  // namespace capstan::replicaset
