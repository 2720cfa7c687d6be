#include <capstan/controller/controller.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>

#include <capstan/log/log.h>
#include <capstan/testing/simulated_runtime.h>

#include "test_reconciler.h"

namespace capstan {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::SimulatedRuntime;

class LogText : public LogSink {
 public:
  LogText() { SetLogSink(this); }
  ~LogText() override { SetLogSink(nullptr); }
  void Write(std::string_view line) override { text.append(line).append("\n"); }
  std::string text;
};

class ControllerTest : public ::testing::Test {
 protected:
  void Make(TestReconciler::Answer answer, int workers = 1) {
    reconciler = std::make_shared<TestReconciler>([this, answer](const Request& request) {
      times.push_back(runtime.Now() - start);
      return answer(request);
    });
    controller = std::make_unique<Controller>(Controller::Options{.name = "test",
                                                                  .queue = queue,
                                                                  .reconciler = reconciler,
                                                                  .workers = workers,
                                                                  .runtime = runtime,
                                                                  .metrics = metrics});
    controller->Start();
    runtime.RunUntilIdle();
  }
  void Add(std::string name) { queue->Add({"ns", std::move(name)}); }

  LogText log;
  SimulatedRuntime runtime;
  MetricsRegistry metrics;
  std::shared_ptr<WorkQueue> queue = std::make_shared<WorkQueue>("test", runtime, metrics);
  const MonotonicTime start = runtime.Now();
  std::vector<Duration> times;
  std::shared_ptr<TestReconciler> reconciler;
  std::unique_ptr<Controller> controller;
};

TEST_F(ControllerTest, ReportsSinceWhenAllWorkersAreBusy) {
  Make(
      [this](const Request& request) {
        runtime.SleepFor(request.name.name == "long" ? 100s : 30s, {});
        if (request.name.name == "short") return Result<Action>(Status::Terminal("no"));
        return Result<Action>(Action::AwaitChange());
      },
      2);
  EXPECT_TRUE(controller->state().started);
  EXPECT_EQ(controller->state().workers, 2);
  EXPECT_FALSE(controller->state().all_busy_since.has_value());
  Add("long");
  runtime.AdvanceBy(5s);
  EXPECT_EQ(controller->state().busy, 1);
  EXPECT_FALSE(controller->state().all_busy_since.has_value()) << "one has nothing to do";
  Add("short");
  Add("waiting");
  runtime.AdvanceBy(10s);
  EXPECT_EQ(controller->state().busy, 2);
  EXPECT_EQ(controller->state().queued, 1u);
  EXPECT_EQ(controller->state().all_busy_since, start + 5s);
  runtime.AdvanceBy(25s);
  EXPECT_EQ(controller->state().all_busy_since, start + 35s) << "one began another";
  EXPECT_EQ(controller->state().last_error, Status::Terminal("no").ToString());
  runtime.AdvanceBy(100s);
  EXPECT_EQ(controller->state().busy, 0);
}

TEST_F(ControllerTest, ReconcilesEachKeyOnceWithoutErrors) {
  Make([](const Request&) { return Action::AwaitChange(); });
  Add("a");
  Add("b");
  runtime.AdvanceBy(seconds(3600));
  EXPECT_THAT(reconciler->seen, ElementsAre("ns/a", "ns/b"));
  const std::string text = metrics.Serialize();
  EXPECT_THAT(text, HasSubstr("capstan_reconcile_total{controller=\"test\",result=\"success\"} 2"));
  EXPECT_THAT(text, HasSubstr("capstan_reconcile_total{controller=\"test\",result=\"error\"} 0"));
  EXPECT_THAT(text, HasSubstr("capstan_reconcile_duration_seconds_count{controller=\"test\"} 2"));
  EXPECT_THAT(text, HasSubstr("capstan_active_workers{controller=\"test\"} 0"));
}

TEST_F(ControllerTest, RetriesAFailedKeyWithBackoffForever) {
  Make([](const Request&) -> Result<Action> {
    return Status(StatusReason::kConflict, "someone else was faster");
  });
  Add("a");
  runtime.AdvanceBy(milliseconds(40));
  EXPECT_THAT(times,
              ElementsAre(milliseconds(0), milliseconds(5), milliseconds(15), milliseconds(35)));
  EXPECT_THAT(log.text, HasSubstr("\"Reconciler error\" err=\"Conflict: someone else was faster\" "
                                  "controller=\"test\" request=\"ns/a\""));
  runtime.AdvanceBy(seconds(5000));
  EXPECT_GT(times.size(), 20u);
  EXPECT_EQ(times.back() - times[times.size() - 2], seconds(1000));
}

TEST_F(ControllerTest, EventsRetryAFailingKeyAtMostEveryTenSeconds) {
  bool fail = true;
  Make([&](const Request&) -> Result<Action> {
    if (!fail) return Action::AwaitChange();
    Add("a");  // its own write triggers it
    return Status(StatusReason::kForbidden, "exceeded quota");
  });
  Add("a");
  for (int i = 0; i < 6'000; ++i) {
    runtime.AdvanceBy(milliseconds(100));
    Add("a");
  }
  const size_t tries = times.size();
  EXPECT_LE(tries, 18u + 60u) << "18 by backoff alone, then one in ten seconds";
  EXPECT_LE(queue->NumRequeues({"ns", "a"}), 18);
  fail = false;
  Add("a");
  runtime.AdvanceBy(seconds(10));
  EXPECT_GT(times.size(), tries) << "a change is reconciled soon";
  EXPECT_EQ(queue->NumRequeues({"ns", "a"}), 0);
}

TEST_F(ControllerTest, ResetsTheBackoffAfterASuccess) {
  bool fail = true;
  Make([&](const Request&) -> Result<Action> {
    if (fail) return Status(StatusReason::kInternalError, "x");
    return Action::AwaitChange();
  });
  Add("a");
  runtime.AdvanceBy(milliseconds(10));
  fail = false;
  runtime.AdvanceBy(seconds(10));
  EXPECT_EQ(queue->NumRequeues({"ns", "a"}), 0);
}

TEST_F(ControllerTest, HonorsRetryAfterOfTheServer) {
  Make([](const Request&) -> Result<Action> {
    Status::Details details;
    details.reason = StatusReason::kTooManyRequests;
    details.retry_after = seconds(7);
    return Status(details);
  });
  Add("a");
  runtime.AdvanceBy(seconds(10));
  EXPECT_THAT(times, ElementsAre(seconds(0), seconds(7)));
}

TEST_F(ControllerTest, RetriesATerminalErrorOnlyAfterAChange) {
  Make([](const Request&) -> Result<Action> { return Status::Terminal("bad selector"); });
  Add("a");
  runtime.AdvanceBy(seconds(3600));
  EXPECT_THAT(reconciler->seen, ElementsAre("ns/a"));
  EXPECT_THAT(log.text, HasSubstr("bad selector"));
  EXPECT_EQ(queue->NumRequeues({"ns", "a"}), 0);
  EXPECT_THAT(metrics.Serialize(), HasSubstr("result=\"terminal_error\"} 1"));
  Add("a");
  runtime.RunUntilIdle();
  EXPECT_THAT(reconciler->seen, ElementsAre("ns/a", "ns/a"));
}

TEST_F(ControllerTest, RequeuesAfterTheDelayOfTheReconciler) {
  Make([](const Request&) { return Action::RequeueAfter(seconds(30)); });
  Add("a");
  runtime.AdvanceBy(seconds(65));
  EXPECT_THAT(times, ElementsAre(seconds(0), seconds(30), seconds(60)));
  EXPECT_EQ(queue->NumRequeues({"ns", "a"}), 0);
  EXPECT_THAT(metrics.Serialize(), HasSubstr("result=\"requeue_after\"} 3"));
}

TEST_F(ControllerTest, AnExceptionIsAnErrorThatNamesTheController) {
  int calls = 0;
  Make([&](const Request&) -> Result<Action> {
    if (++calls == 1) throw std::runtime_error("out of luck");
    if (calls == 2) throw 42;
    return Action::AwaitChange();
  });
  Add("a");
  runtime.AdvanceBy(seconds(1));
  EXPECT_EQ(calls, 3);
  EXPECT_THAT(log.text, HasSubstr("the reconciler threw: out of luck"));
  EXPECT_THAT(log.text, HasSubstr("not a std::exception\" controller=\"test\""));
  EXPECT_THAT(metrics.Serialize(), HasSubstr("capstan_active_workers{controller=\"test\"} 0"));
}

TEST_F(ControllerTest, ReconcilesOneKeyPerWorkerConcurrently) {
  int busy = 0;
  int most = 0;
  Make(
      [&](const Request&) {
        most = std::max(most, ++busy);
        (void)runtime.SleepFor(seconds(10), {});
        --busy;
        return Action::AwaitChange();
      },
      3);
  for (int i = 0; i < 7; ++i) Add(std::to_string(i));
  runtime.AdvanceBy(seconds(5));
  EXPECT_EQ(busy, 3);
  EXPECT_THAT(metrics.Serialize(), HasSubstr("capstan_active_workers{controller=\"test\"} 3"));
  runtime.AdvanceBy(seconds(60));
  EXPECT_EQ(most, 3);
  EXPECT_EQ(reconciler->seen.size(), 7u);
}

TEST_F(ControllerTest, StopFinishesRunningReconcilesAndDropsTheQueue) {
  Make([&](const Request&) {
    (void)runtime.SleepFor(seconds(10), {});
    return Action::RequeueAfter(seconds(1));
  });
  Add("a");
  Add("b");
  runtime.RunUntilIdle();
  controller->RequestStop();
  EXPECT_FALSE(controller->AwaitStopped(runtime.Now() + seconds(9)));
  EXPECT_EQ(runtime.Now() - start, seconds(9));
  EXPECT_TRUE(controller->AwaitStopped(runtime.Now() + seconds(9)));
  EXPECT_EQ(runtime.Now() - start, seconds(10));
  Add("c");
  runtime.AdvanceBy(seconds(60));
  EXPECT_THAT(reconciler->seen, ElementsAre("ns/a"));
}

TEST_F(ControllerTest, DoesNotLogErrorsOfCallsCanceledByAStop) {
  Make([&](const Request&) -> Result<Action> {
    (void)runtime.SleepFor(seconds(10), {});
    return Status::Canceled();
  });
  Add("a");
  runtime.RunUntilIdle();
  controller->RequestStop();
  runtime.AdvanceBy(seconds(10));
  EXPECT_TRUE(controller->AwaitStopped(runtime.Now()));
  EXPECT_THAT(log.text, Not(HasSubstr("Reconciler error")));
}

TEST_F(ControllerTest, CanBeStoppedBeforeItIsStarted) {
  auto idle = std::make_shared<TestReconciler>();
  Controller unstarted(
      {.name = "idle", .queue = queue, .reconciler = idle, .runtime = runtime, .metrics = metrics});
  EXPECT_TRUE(unstarted.AwaitStopped(runtime.Now()));
  unstarted.RequestStop();
  unstarted.Start();
  runtime.RunUntilIdle();
  EXPECT_TRUE(unstarted.AwaitStopped(runtime.Now()));
  EXPECT_THAT(idle->seen, IsEmpty());
}

TEST_F(ControllerTest, CanBeStartedOnlyOnce) {
  Make([](const Request&) { return Action::AwaitChange(); });
  controller->Start();
  Add("a");
  runtime.RunUntilIdle();
  EXPECT_THAT(reconciler->seen, ElementsAre("ns/a"));
  EXPECT_EQ(controller->name(), "test");
  EXPECT_EQ(controller->workers(), 1);
}

}  // namespace
}  // namespace capstan
