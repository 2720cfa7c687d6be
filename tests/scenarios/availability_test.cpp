#include <string>

#include "scenario_test.h"

namespace capstan::scenarios {
namespace {

// Deployments of 8 pods with the default maxSurge and maxUnavailable, which are both 25%.
constexpr int kReplicas = 8;
constexpr size_t kPodsOfARollout = 16;  // old and new
constexpr int kMaxReplicas = 10;
constexpr int kMinAvailable = 6;

// So long that a successor can take over in time only when the lease is released.
constexpr ManagerOptions kLongLease{.lease_duration = Seconds(120), .renew_deadline = Seconds(80)};

class Availability : public Scenario {
 protected:
  // Starts a rollout and returns in the middle of it.
  ::testing::AssertionResult BeginRollout() {
    kubelet_.Behave({.ready_after = Milliseconds(600)});
    mark_ = observer_.Mark();
    SetImage("example.com/web:2");
    return Progresses(kReplicas + 1);
  }

  ::testing::AssertionResult Progresses(size_t pods) {
    return Eventually(std::to_string(pods) + " pods have been there",
                      [&] { return observer_.PodsSince(mark_) >= pods; });
  }

  ::testing::AssertionResult RolloutEndsWell() {
    if (::testing::AssertionResult result = BecomesComplete(kReplicas); !result) return result;
    if (::testing::AssertionResult result = StaysWithin(mark_, kMaxReplicas, kMinAvailable);
        !result) {
      return result;
    }
    const size_t pods = observer_.PodsSince(mark_);
    if (pods == kPodsOfARollout) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure()
           << pods << " pods have been there, not " << kPodsOfARollout;
  }

  std::string Holder() { return LeaseSpec().Get("holderIdentity").AsString(); }
  int64_t Transitions() { return LeaseSpec().Get("leaseTransitions").AsInteger(); }

  size_t mark_ = 0;
};
CAPSTAN_IN_EVERY_WORLD(Availability);

TEST_P(Availability, AManagerKilledDuringARolloutFinishesItAfterARestart) {
  Manager& manager = StartLeader();
  ASSERT_TRUE(Create({.replicas = kReplicas}));
  ASSERT_TRUE(BeginRollout());

  manager.Kill();
  StartLeader();
  EXPECT_TRUE(RolloutEndsWell());
}

TEST_P(Availability, AManagerKilledRepeatedlyCreatesNoExtraPod) {
  // avoids the wait for the lease of a killed manager
  const ManagerOptions options{.leader_elect = false};
  Manager* manager = &StartManager(options);
  ASSERT_TRUE(Create({.replicas = kReplicas}));
  ASSERT_TRUE(BeginRollout());

  for (size_t pods = kReplicas + 2; pods < kPodsOfARollout; pods += 2) {
    ASSERT_TRUE(Progresses(pods));
    manager->Kill();
    manager = &StartManager(options);
  }
  EXPECT_TRUE(RolloutEndsWell());
}

TEST_P(Availability, AStandbyTakesOverAtOnceWhenTheLeaderStops) {
  Manager& first = StartLeader(kLongLease);
  const std::string first_holder = Holder();
  Manager& second = StartManager(kLongLease);
  ASSERT_TRUE(Create({.replicas = kReplicas}));
  EXPECT_EQ(Holder(), first_holder);
  EXPECT_FALSE(second.IsLeading());
  ASSERT_TRUE(BeginRollout());

  EXPECT_EQ(first.Terminate(), 0);
  EXPECT_TRUE(GetsToLead(second));
  EXPECT_NE(Holder(), first_holder);
  EXPECT_EQ(Transitions(), 1);
  EXPECT_TRUE(RolloutEndsWell());
}

TEST_P(Availability, AStandbyTakesOverWhenTheLeaderIsKilled) {
  Manager& first = StartLeader();
  Manager& second = StartManager();
  ASSERT_TRUE(Create({.replicas = kReplicas}));
  ASSERT_TRUE(BeginRollout());

  first.Kill();
  EXPECT_TRUE(GetsToLead(second));
  EXPECT_TRUE(RolloutEndsWell());
}

TEST_P(Availability, ThreeManagersSurviveTwoCrashesOfTheLeader) {
  Manager* leader = &StartLeader();
  StartManager();
  StartManager();
  ASSERT_TRUE(Create({.replicas = kReplicas}));
  ASSERT_TRUE(BeginRollout());

  for (int crash = 0; crash < 2; ++crash) {
    leader->Kill();
    leader = nullptr;
    ASSERT_TRUE(Eventually("another leads", [&] {
      for (const auto& manager : managers_) {
        if (manager->IsRunning() && manager->IsLeading()) leader = manager.get();
      }
      return leader != nullptr;
    }));
  }
  EXPECT_TRUE(RolloutEndsWell());
  EXPECT_EQ(Transitions(), 2);
}

TEST_P(Availability, SigtermDuringARolloutReleasesTheLeaseAndExitsWithZero) {
  Manager& manager = StartLeader();
  ASSERT_TRUE(Create({.replicas = kReplicas}));
  ASSERT_TRUE(BeginRollout());

  EXPECT_EQ(manager.Terminate(), 0) << manager.LogTail();
  EXPECT_EQ(Holder(), "");
  StartLeader();
  EXPECT_TRUE(RolloutEndsWell());
}

TEST_P(Availability, AShortOutageOfTheApiServerDoesNotCostTheLease) {
  Manager& manager = StartLeader(kLongLease);
  ASSERT_TRUE(Create({.replicas = kReplicas}));
  ASSERT_TRUE(BeginRollout());
  const std::string holder = Holder();

  world_->StopServer();
  world_->StartServer();
  EXPECT_TRUE(RolloutEndsWell());
  EXPECT_TRUE(manager.IsRunning()) << manager.LogTail();
  EXPECT_EQ(Holder(), holder);
  EXPECT_EQ(Transitions(), 0);
}

TEST_P(Availability, AManagerThatLostTheLeaseInALongOutageLeadsAgain) {
  Manager& manager = StartLeader();
  ASSERT_TRUE(Create({.replicas = kReplicas}));
  ASSERT_TRUE(BeginRollout());

  world_->StopServer();
  ASSERT_TRUE(Eventually("the lease is lost", [&] { return !manager.IsLeading(); }));
  world_->StartServer();
  EXPECT_TRUE(RolloutEndsWell());
  EXPECT_TRUE(manager.IsRunning()) << manager.LogTail();
}

}  // namespace
}  // namespace capstan::scenarios
