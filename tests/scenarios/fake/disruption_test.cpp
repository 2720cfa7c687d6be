// Suspended leaders, API server outages, and rollouts during both.

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <capstan/testing/simulated_runtime.h>

#include "leadership_fixture.h"

namespace capstan::scenarios {
namespace {

class Suspension : public SeededLeadershipTest {
 protected:
  // Requests arrive without delay, so requests sent at the moment of resumption cannot be
  // cancelled.
  Replica& StartReplicasNearby(int count) {
    return StartReplicas(count, Options(), Duration::zero());
  }
};
INSTANTIATE_TEST_SUITE_P(Seeds, Suspension, ::testing::Range(1, 5));

TEST_P(Suspension, ALeaderSuspendedPastItsLeaseWritesNothingUntilItLeadsAgain) {
  Replica& leader = StartReplicasNearby(2);
  ASSERT_TRUE(BeginRollout(kPods, Seconds(1)));
  leader.machine.Suspend();
  ASSERT_NE(FirstWorkOfASuccessor(Now(), leader), nullptr);
  Wait(AnyMoment(Seconds(10)));
  const MonotonicTime resumed = Now();
  leader.machine.Continue();
  EXPECT_TRUE(RolloutEndsWell(kPods));
  EXPECT_EQ(WorkSince(leader, resumed), 0U);
  EXPECT_TRUE(leader.manager.IsRunning());

  // It leads again when the successor stops.
  Replica& successor = *Leader();
  EXPECT_NE(&successor, &leader);
  successor.manager.RequestStop();
  ASSERT_TRUE(Eventually("it leads again", [&] { return leader.manager.IsLeading(); }));
  Scale(kPods + 1);
  EXPECT_TRUE(BecomesComplete(kPods + 1));
}

// No other manager took the lease, so the server would still accept its writes.
TEST_P(Suspension, TheOnlyManagerSuspendedPastItsLeaseWritesNothingBeforeItRenews) {
  Replica& leader = StartReplicasNearby(1);
  ASSERT_TRUE(BeginRollout(kPods, Seconds(1)));
  leader.machine.Suspend();
  Wait(kLease + AnyMoment(Seconds(10)));
  leader.machine.Continue();
  EXPECT_TRUE(RolloutEndsWell(kPods));  // TearDown() checks the audit of the whole test
  EXPECT_TRUE(leader.manager.IsLeading());
}

TEST_P(Suspension, ShorterThanTheRenewDeadlineKeepsTheLeader) {
  Replica& leader = StartReplicasNearby(2);
  ASSERT_TRUE(BeginRollout(kPods, Seconds(1)));
  const int64_t transitions = Transitions();
  leader.machine.Suspend();
  Wait(Seconds(7));
  leader.machine.Continue();
  EXPECT_TRUE(RolloutEndsWell(kPods));
  EXPECT_EQ(Transitions(), transitions);
}

class Outage : public SeededLeadershipTest {
 protected:
  void Begin() {
    for (const auto& replica : replicas_) replica->network->SetDown(true);
    fake().server().CloseWatches();
  }
  void End() {
    for (const auto& replica : replicas_) replica->network->SetDown(false);
  }
  size_t ListsOfAll(MonotonicTime begin) {
    return audit_.Count([&](const AuditedRequest& request) {
      return request.at >= begin &&
             (request.target.starts_with("/api/v1/pods?") ||
              request.target.starts_with("/apis/apps/v1/")) &&
             (request.Lists("pods") || request.Lists("replicasets") ||
              request.Lists("deployments"));
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Seeds, Outage, ::testing::Range(1, 4));

TEST_P(Outage, ShorterThanTheLeaseKeepsLeaderAndCaches) {
  Replica& leader = StartReplicas(3);
  ASSERT_TRUE(BeginRollout(kPods, Seconds(1)));
  const int64_t transitions = Transitions();
  const MonotonicTime begin = Now();
  Begin();
  // The leader tries to renew every 2 s until the lease expires.
  Wait(audit_.RenewedAt() + kLease - Milliseconds(2200) - Now());
  End();
  EXPECT_TRUE(RolloutEndsWell(kPods));
  EXPECT_EQ(Transitions(), transitions);
  EXPECT_EQ(Leader(), &leader);
  EXPECT_EQ(ListsOfAll(begin), 0U);
}

TEST_P(Outage, LongerThanTheLeaseEndsWithOneLeaderAndAllProcessesRunning) {
  StartReplicas(3);
  ASSERT_TRUE(BeginRollout(kPods, Seconds(1)));
  Begin();
  Wait(Seconds(60) + AnyMoment(Seconds(60)));
  EXPECT_EQ(Leader(), nullptr);
  End();
  EXPECT_TRUE(RolloutEndsWell(kPods));
  Wait(Seconds(30));
  EXPECT_NE(Leader(), nullptr);
  for (const auto& replica : replicas_) EXPECT_TRUE(replica->manager.IsRunning());
}

class WallClock : public LeadershipTest {};

TEST_F(WallClock, JumpsDoNotAffectTheLease) {
  Replica& leader = StartReplicas(3);
  ASSERT_TRUE(BeginRollout(kPods, Seconds(1)));
  const int64_t transitions = Transitions();
  auto& runtime = static_cast<testing::SimulatedRuntime&>(world_->runtime());
  for (const auto jump : {std::chrono::hours(25), std::chrono::hours(-50)}) {
    runtime.SetWallTime(runtime.clock().Now() + jump);
    Wait(2 * kLease);
    EXPECT_EQ(Leader(), &leader);
  }
  EXPECT_EQ(Transitions(), transitions);
  EXPECT_TRUE(BecomesComplete(kPods));
}

// Rollouts during which leaders end in every possible way, one after the other.
class Disruptions : public SeededLeadershipTest {
 protected:
  static constexpr int kEnds = 20;

  void DisruptTheLeader() {
    Replica* leader = Leader();
    if (leader == nullptr) return;
    ++ends_;
    const auto how = world_->runtime().Random() % kWays.size();
    disruptions_ +=
        "\n" + std::to_string(std::chrono::duration<double>(Now().time_since_epoch()).count()) +
        " s: " + leader->name() + " is " + kWays[how];
    switch (how) {
      case 0:
        leader->manager.Kill();
        StartReplica(Options());
        break;
      case 1:
        leader->manager.RequestStop();
        StartReplica(Options());
        break;
      case 2:
        leader->network->SetDown(true);
        Wait(AnyMoment(2 * kLease));
        leader->network->SetDown(false);
        break;
      default:
        leader->machine.Suspend();
        Wait(AnyMoment(2 * kLease));
        leader->machine.Continue();
    }
  }
  bool IsDone() {
    return IsComplete(observer_.Now(), kPods) &&
           observer_.Now().deployment->metadata.generation ==
               Get().Get("metadata", "generation").AsInteger();
  }

  static constexpr std::array kWays{"killed", "told to stop", "cut off", "suspended"};
  int ends_ = 0;
  std::string disruptions_;
};
INSTANTIATE_TEST_SUITE_P(Seeds, Disruptions, ::testing::Range(1, 4));

TEST_P(Disruptions, OfTwentyLeadersCreateNoExtraPod) {
  StartReplicas(3);
  ASSERT_TRUE(Create({.replicas = kPods}));
  kubelet_.Behave({.ready_after = Seconds(3)});
  for (int version = 2; ends_ < kEnds; ++version) {
    mark_ = observer_.Mark();
    SetImage("example.com/web:" + std::to_string(version));
    const MonotonicTime begin = Now();
    do {
      Wait(AnyMoment(Seconds(5)));
      DisruptTheLeader();
    } while (!IsDone() && Now() < begin + std::chrono::minutes(30));
    ASSERT_TRUE(RolloutEndsWell(kPods))
        << "version " << version << " after " << ends_ << " ends" << disruptions_;
  }
}

}  // namespace
}  // namespace capstan::scenarios
