#include <csignal>

#include "cluster_test.h"

namespace capstan::e2e {
namespace {

// Deployments of 8 pods with the default bounds, which are 25% and 25%.
constexpr int kReplicas = 8;
constexpr size_t kPodsOfARollout = 16;  // old and new
constexpr int kMaxReplicas = 10;
constexpr int kMinAvailable = 6;

class Availability : public ClusterTest {
 protected:
  // Starts a rollout and returns in the middle of it.
  testing::AssertionResult BeginRollout() {
    kubelet_.Behave({.ready_after = Milliseconds(600)});
    mark_ = observer_.Mark();
    SetImage("example.com/web:2");
    return Progresses(kReplicas + 1);
  }

  testing::AssertionResult Progresses(size_t pods) {
    return observer_.Eventually(std::to_string(pods) + " pods have been there",
                                [&](const View&) { return observer_.PodsSince(mark_) >= pods; });
  }

  testing::AssertionResult RolloutEndsWell() {
    if (testing::AssertionResult result = BecomesComplete(kReplicas); !result) return result;
    if (testing::AssertionResult result = StaysWithin(mark_, kMaxReplicas, kMinAvailable);
        !result) {
      return result;
    }
    const size_t pods = observer_.PodsSince(mark_);
    if (pods == kPodsOfARollout) return testing::AssertionSuccess();
    return testing::AssertionFailure() << pods << " pods have been there, not " << kPodsOfARollout;
  }

  size_t mark_ = 0;
};

TEST_F(Availability, AManagerThatIsKilledInTheMiddleOfARolloutFinishesItAfterARestart) {
  Manager& manager = StartLeader();
  ASSERT_TRUE(Create({.replicas = kReplicas}));
  ASSERT_TRUE(BeginRollout());

  manager.Kill();
  StartLeader();
  EXPECT_TRUE(RolloutEndsWell());
}

TEST_F(Availability, AManagerThatIsKilledAgainAndAgainCreatesNoExtraPod) {
  Manager::Options options = ManagerOptions();
  options.more_flags = {"--leader-elect=false"};  // no waiting for the lease of the dead
  Manager* manager = &StartManager(options);
  ASSERT_TRUE(Create({.replicas = kReplicas}));
  ASSERT_TRUE(BeginRollout());

  for (size_t pods = kReplicas + 2; pods < kPodsOfARollout; pods += 2) {
    ASSERT_TRUE(Progresses(pods));
    manager->Kill();
    options.name = ManagerOptions().name;
    manager = &StartManager(options);
  }
  EXPECT_TRUE(RolloutEndsWell());
}

TEST_F(Availability, AStandbyTakesOverAtOnceWhenTheLeaderStops) {
  Manager::Options options = ManagerOptions();
  // So long that whoever takes over in time was let in by a release.
  options.lease_duration = Seconds(120);
  options.renew_deadline = Seconds(80);
  Manager& first = StartManager(options);
  first.WaitUntilLeading();
  const std::string first_holder = LeaseField(".spec.holderIdentity");
  options.name = ManagerOptions().name;
  Manager& second = StartManager(options);
  ASSERT_TRUE(Create({.replicas = kReplicas}));
  EXPECT_EQ(LeaseField(".spec.holderIdentity"), first_holder);
  EXPECT_FALSE(second.HasLogged("Successfully acquired lease"));
  ASSERT_TRUE(BeginRollout());

  EXPECT_EQ(first.Terminate(), 0);
  second.WaitUntilLeading();
  EXPECT_NE(LeaseField(".spec.holderIdentity"), first_holder);
  EXPECT_EQ(LeaseField(".spec.leaseTransitions"), "1");
  EXPECT_TRUE(RolloutEndsWell());
}

TEST_F(Availability, AStandbyTakesOverWhenTheLeaderIsKilled) {
  Manager& first = StartLeader();
  Manager& second = StartManager(ManagerOptions());
  ASSERT_TRUE(Create({.replicas = kReplicas}));
  ASSERT_TRUE(BeginRollout());

  first.Kill();
  second.WaitUntilLeading();
  EXPECT_TRUE(RolloutEndsWell());
}

TEST_F(Availability, SigtermInTheMiddleOfARolloutReleasesTheLeaseAndExitsWithZero) {
  Manager& manager = StartLeader();
  ASSERT_TRUE(Create({.replicas = kReplicas}));
  ASSERT_TRUE(BeginRollout());

  EXPECT_EQ(manager.Terminate(), 0) << manager.LogTail();
  EXPECT_EQ(LeaseField(".spec.holderIdentity"), "");
  StartLeader();
  EXPECT_TRUE(RolloutEndsWell());
}

TEST_F(Availability, AShortOutageOfTheApiServerDoesNotCostTheLease) {
  Manager::Options options = ManagerOptions();
  options.lease_duration = Seconds(120);
  options.renew_deadline = Seconds(80);
  Manager& manager = StartManager(options);
  manager.WaitUntilLeading();
  ASSERT_TRUE(Create({.replicas = kReplicas}));
  ASSERT_TRUE(BeginRollout());
  const std::string holder = LeaseField(".spec.holderIdentity");

  server_.Stop();
  server_.Start();
  EXPECT_TRUE(RolloutEndsWell());
  EXPECT_TRUE(manager.IsRunning()) << manager.LogTail();
  EXPECT_EQ(LeaseField(".spec.holderIdentity"), holder);
  EXPECT_EQ(LeaseField(".spec.leaseTransitions"), "0");
}

TEST_F(Availability, AManagerThatLosesTheLeaseInALongOutageWinsItAgainAndGoesOn) {
  Manager& manager = StartLeader();
  ASSERT_TRUE(Create({.replicas = kReplicas}));
  ASSERT_TRUE(BeginRollout());

  server_.Stop();
  manager.WaitForLog("Failed to renew lease");
  server_.Start();
  EXPECT_TRUE(RolloutEndsWell());
  EXPECT_TRUE(manager.IsRunning()) << manager.LogTail();
}

}  // namespace
}  // namespace capstan::e2e
