#include <algorithm>
#include <functional>
#include <ostream>
#include <string>

#include "fake_world.h"
#include "scenarios/scenario_test.h"

namespace capstan::scenarios {
namespace {

using testing::FaultInjector;
using testing::RequestMatcher;

// Failures that only an injector between the managers and the server can cause.
class Faults : public ScenarioTest {
 protected:
  Faults() : ScenarioTest(WorldKind::kFake) {}

  FaultInjector& faults() { return fake().faults(); }
  testing::ApiServer& server() { return fake().server(); }

  ::testing::AssertionResult UpdatesAllPods(int replicas) {
    const size_t mark = observer_.Mark();
    SetImage("example.com/web:2");
    if (::testing::AssertionResult result = BecomesComplete(replicas); !result) return result;
    const size_t pods = observer_.PodsSince(mark);
    if (pods == 2 * static_cast<size_t>(replicas)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << pods << " pods have been there";
  }

 private:
  FakeWorld& fake() { return static_cast<FakeWorld&>(*world_); }
};

TEST_F(Faults, ARolloutCompletesDespiteTooManyRequestsErrors) {
  // Retries take up to 3 s, so the lease must be longer than that.
  StartLeader({.lease_duration = Seconds(15), .renew_deadline = Seconds(10)});
  ASSERT_TRUE(Create({.replicas = 4}));
  faults().Randomly({.rate = 0.3, .faults = {FaultInjector::Fault::kTooManyRequests}});
  EXPECT_TRUE(UpdatesAllPods(4));
}

TEST_F(Faults, BrokenWatchesLoseNoEvents) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 4}));
  faults().OnWatch({}).TearAfter(2);
  server().CloseWatches();
  EXPECT_TRUE(UpdatesAllPods(4));
}

TEST_F(Faults, ALostWatchHistoryIsFollowedByANewList) {
  StartLeader();
  kubelet_.Behave({.ready_after = Seconds(1)});
  ASSERT_TRUE(Create({.replicas = 4}));
  const size_t mark = observer_.Mark();
  SetImage("example.com/web:2");
  ASSERT_TRUE(Eventually("the rollout has begun", [&] { return observer_.PodsSince(mark) > 4; }));
  faults().SetDown(true);
  Scale(5);
  server().Compact();
  faults().SetDown(false);
  ASSERT_TRUE(BecomesComplete(5));
  EXPECT_LE(observer_.PodsSince(mark), 10U);
}

TEST_F(Faults, ALaggingCacheCreatesNoExtraPod) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const size_t mark = observer_.Mark();
  faults().OnWatch({.target = "*/pods?*"}).Delay(Seconds(3));
  server().CloseWatches();
  Scale(5);
  ASSERT_TRUE(BecomesComplete(5));
  EXPECT_EQ(observer_.PodsSince(mark), 5U);
}

TEST_F(Faults, ALaggingServerCausesNoExtraPod) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 3}));
  const size_t mark = observer_.Mark();
  faults().SetLagging(true);
  SetImage("example.com/web:2");
  Delete("pods/" + *observer_.Now().PodNames().begin());
  world_->Until([] { return false; }, Seconds(2));
  EXPECT_EQ(observer_.PodsSince(mark), 3U) << "the controllers have not observed it yet";
  faults().SetLagging(false);
  EXPECT_TRUE(BecomesComplete(3));
}

TEST_F(Faults, AServerRestoredFromABackupIsReconciledAgain) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const std::string backup = server().Save();
  Scale(5);
  SetImage("example.com/web:2");
  ASSERT_TRUE(BecomesComplete(5));
  ASSERT_TRUE(server().Restore(backup).ok());
  EXPECT_TRUE(observer_.Eventually("2 pods of the old version", [&](const View& view) {
    return IsComplete(view, 2) && view.replica_sets.size() == 1;
  }));
  Scale(3);
  EXPECT_TRUE(BecomesComplete(3));
}

TEST_F(Faults, AManagerThatCannotRenewItsLeaseStandsByUntilItCan) {
  Manager& manager = StartLeader();
  faults().On({.method = "PATCH", .target = "*/leases/*"}).Fail(500);
  EXPECT_TRUE(Eventually("the lease is lost", [&] { return !manager.IsLeading(); }));
  EXPECT_TRUE(manager.IsRunning());
  faults().Clear();
  EXPECT_TRUE(GetsToLead(manager));
  EXPECT_TRUE(Create({.replicas = 2}));
}

// How the first lists by watch fail, of all resources.
struct WatchListFault {
  std::string name;
  std::function<void(FaultInjector::Rule)> fail;
};
void PrintTo(const WatchListFault& fault, std::ostream* out) { *out << fault.name; }

class WatchListFaults : public Faults, public ::testing::WithParamInterface<WatchListFault> {};

INSTANTIATE_TEST_SUITE_P(
    By, WatchListFaults,
    ::testing::Values(
        WatchListFault{"Invalid", [](FaultInjector::Rule rule) { rule.Fail(422); }},
        WatchListFault{"BadRequest", [](FaultInjector::Rule rule) { rule.Fail(400); }},
        WatchListFault{"Unavailable", [](FaultInjector::Rule rule) { rule.Fail(503); }},
        WatchListFault{"TooManyRequests",
                       [](FaultInjector::Rule rule) { rule.TooManyRequests(Seconds(2)); }},
        WatchListFault{"Expired", [](FaultInjector::Rule rule) { rule.Fail(410); }},
        WatchListFault{"ExpiredEvent", [](FaultInjector::Rule rule) { rule.Expire(); }},
        WatchListFault{"TornStream", [](FaultInjector::Rule rule) { rule.TearAfter(0); }},
        WatchListFault{"EndedStream", [](FaultInjector::Rule rule) { rule.EndAfter(0); }},
        WatchListFault{"RefusedConnection", [](FaultInjector::Rule rule) { rule.Refuse(); }},
        WatchListFault{"NoResponse",
                       [](FaultInjector::Rule rule) { rule.Delay(std::chrono::minutes(20)); }}),
    [](const auto& test) { return test.param.name; });

TEST_P(WatchListFaults, OnlyDelayTheStart) {
  GetParam().fail(faults().OnWatch({.target = "*sendInitialEvents=true*"}).Between(1, 7));
  StartLeader();
  world_->Until([] { return false; }, Seconds(90));  // longer than it waits for a response
  ASSERT_TRUE(Create({.replicas = 4}));
  EXPECT_TRUE(UpdatesAllPods(4));
}

TEST_F(Faults, AServerWithoutListsByWatchIsReconciledToo) {
  faults().OnWatch({.target = "*sendInitialEvents=true*"}).Fail(422);
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 4}));
  server().Compact();
  server().CloseWatches();
  EXPECT_TRUE(UpdatesAllPods(4));
}

// The statuses of ReplicaSets cannot be written, or only slowly.
class StatusFaults : public Faults {
 protected:
  static constexpr int kReplicas = 8;  // with the default limits, 10 at most and 6 available

  FaultInjector::Rule OnStatuses() {
    return faults().On({.method = "PATCH", .target = "*/replicasets/*/status*"});
  }
  bool StatusesAreRight() {
    const View view = observer_.Now();
    return std::all_of(view.replica_sets.begin(), view.replica_sets.end(), [](const auto& set) {
      const int32_t replicas = set->spec.replicas.value_or(1);
      return set->status.observedGeneration == set->metadata.generation &&
             set->status.replicas == replicas && set->status.availableReplicas == replicas;
    });
  }
  ::testing::AssertionResult RollsOut(Duration limit) {
    kubelet_.Behave({.ready_after = Milliseconds(300), .gone_after = Milliseconds(100)});
    const size_t mark = observer_.Mark();
    SetImage("example.com/web:2");
    if (auto result = BecomesComplete(kReplicas, limit); !result) return result;
    return StaysWithin(mark, 10, 6);
  }
};

TEST_F(StatusFaults, ARolloutContinuesWhileStatusesAreRefused) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = kReplicas}));
  OnStatuses().Fail(500);
  ASSERT_TRUE(RollsOut(Seconds(10)));
  EXPECT_FALSE(StatusesAreRight());
  faults().Clear();
  EXPECT_TRUE(Eventually(
      "the statuses follow", [&] { return StatusesAreRight(); }, Seconds(15)));
}

TEST_F(StatusFaults, ARolloutContinuesWhileStatusesConflict) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = kReplicas}));
  OnStatuses().Fail(409, "Conflict");
  ASSERT_TRUE(RollsOut(Seconds(10)));
  faults().Clear();
  EXPECT_TRUE(Eventually(
      "the statuses follow", [&] { return StatusesAreRight(); }, Seconds(15)));
}

TEST_F(StatusFaults, ARolloutContinuesWhileStatusWritesAreSlow) {
  StartLeader({.lease_duration = Seconds(60), .renew_deadline = Seconds(40)});
  ASSERT_TRUE(Create({.replicas = kReplicas}));
  OnStatuses().Delay(Seconds(5));
  ASSERT_TRUE(RollsOut(Seconds(30)));
  faults().Clear();
  EXPECT_TRUE(Eventually(
      "the statuses follow", [&] { return StatusesAreRight(); }, Seconds(15)));
}

TEST_F(StatusFaults, ANewLeaderFinishesARolloutWhoseStatusesAreRefused) {
  Manager& first = StartLeader();
  ASSERT_TRUE(Create({.replicas = kReplicas}));
  kubelet_.Behave({.ready_after = Milliseconds(600)});
  OnStatuses().Fail(500);
  const size_t mark = observer_.Mark();
  SetImage("example.com/web:2");
  ASSERT_TRUE(Eventually("the rollout has begun",
                         [&] { return observer_.PodsSince(mark) > kReplicas + 1; }));
  first.Kill();
  StartLeader();
  ASSERT_TRUE(BecomesComplete(kReplicas));
  EXPECT_TRUE(StaysWithin(mark, 10, 6));
  faults().Clear();
  EXPECT_TRUE(Eventually(
      "the statuses follow", [&] { return StatusesAreRight(); }, Seconds(15)));
}

TEST_F(StatusFaults, TheLastStatusesAreWrittenSoonAfterARollout) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = kReplicas}));
  ASSERT_TRUE(RollsOut(Seconds(10)));
  EXPECT_TRUE(Eventually(
      "the statuses follow", [&] { return StatusesAreRight(); }, Seconds(6)));
}

// A write that took effect but whose response is lost.
struct LostAnswer {
  std::string name;
  std::function<void(FaultInjector::Rule)> lose;
};
void PrintTo(const LostAnswer& answer, std::ostream* out) { *out << answer.name; }

class LostAnswers : public Faults, public ::testing::WithParamInterface<LostAnswer> {};

INSTANTIATE_TEST_SUITE_P(
    By, LostAnswers,
    ::testing::Values(
        LostAnswer{"InternalError", [](FaultInjector::Rule rule) { rule.FailAfter(500); }},
        LostAnswer{"ServiceUnavailable", [](FaultInjector::Rule rule) { rule.FailAfter(503); }},
        LostAnswer{"TimeOut", [](FaultInjector::Rule rule) { rule.TimeOutAfter(); }},
        LostAnswer{"BrokenConnection", [](FaultInjector::Rule rule) { rule.DropAfter(); }}),
    [](const auto& test) { return test.param.name; });

TEST_P(LostAnswers, ToPodCreationsCauseNoExtraPod) {
  StartLeader();
  const size_t mark = observer_.Mark();
  GetParam().lose(faults().On({.method = "POST", .target = "*/pods*"}).Between(2, 3));
  ASSERT_TRUE(Create({.replicas = 4}));
  EXPECT_EQ(observer_.PodsSince(mark), 4U);
}

TEST_P(LostAnswers, ToAReplicaSetCreationCauseNoSecondReplicaSet) {
  StartLeader();
  GetParam().lose(faults().On({.method = "POST", .target = "*/replicasets*"}).Nth(1));
  ASSERT_TRUE(Create({.replicas = 3}));
  EXPECT_EQ(observer_.Now().replica_sets.size(), 1U);
}

TEST_P(LostAnswers, ToPodDeletionsDeleteNoOtherPod) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 6}));
  const size_t mark = observer_.Mark();
  GetParam().lose(faults().On({.method = "DELETE", .target = "*/pods/*"}).Between(1, 2));
  Scale(3);
  ASSERT_TRUE(BecomesComplete(3));
  EXPECT_TRUE(observer_.Always("at least 3 pods are available", mark,
                               [](const View& view) { return view.AvailablePods() >= 3; }));
}

TEST_P(LostAnswers, ToEveryTenthWriteOnlyDelayARollout) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 4}));
  const size_t mark = observer_.Mark();
  GetParam().lose(faults().On({.method = "P*"}).WithProbability(0.1));
  SetImage("example.com/web:2");
  ASSERT_TRUE(BecomesComplete(4, std::chrono::minutes(10)));
  EXPECT_TRUE(StaysWithin(mark, 5, 3));
}

}  // namespace
}  // namespace capstan::scenarios
