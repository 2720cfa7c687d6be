#include <string>

#include "scenario_test.h"

namespace capstan::scenarios {
namespace {

// Pods that the kubelet rejects: phase Failed, without containers.
class Rejection : public Scenario {
 protected:
  // Rounds of creation begin after 0, 1, 3, 7, ... seconds.
  struct Span {
    Duration length;
    size_t rounds;
  };
  static Span Long() {
    if (GetParam() == WorldKind::kFake) return {Seconds(600), 10};
    return {Seconds(10), 4};
  }
  void LetPass(Duration time) {
    EXPECT_FALSE(world_->Until([] { return false; }, time));
  }
  ::testing::AssertionResult BecomesAvailable(int64_t replicas, Duration limit) {
    return observer_.Eventually(
        "available pods beside the rejected ones",
        [&](const View& view) {
          return view.AvailablePods() == replicas && view.ActivePods() == replicas &&
                 view.deployment->status.availableReplicas == replicas;
        },
        limit);
  }
};
CAPSTAN_IN_EVERY_WORLD(Rejection);

TEST_P(Rejection, DelaysPodCreationUntilPodsAreAccepted) {
  StartLeader();
  kubelet_.Behave({.rejected = "OutOfcpu"});
  const size_t mark = observer_.Mark();
  Apply({.replicas = 2});
  LetPass(Long().length);
  const size_t pods = observer_.PodsSince(mark);
  EXPECT_LE(pods, 2 * (Long().rounds + 1));
  EXPECT_GE(pods, 2 * (Long().rounds - 1)) << "it does not give up";

  kubelet_.Behave({});
  ASSERT_TRUE(BecomesAvailable(2, 2 * Long().length));
  EXPECT_EQ(observer_.PodsSince(mark), pods + 2);
}

TEST_P(Rejection, IsNotRepeatedBecauseOfUnrelatedEvents) {
  StartLeader();
  kubelet_.Behave({.rejected = "UnexpectedAdmissionError"});
  const size_t mark = observer_.Mark();
  Apply({.replicas = 1});
  ASSERT_TRUE(observer_.Eventually("the first pod is rejected", [](const View& view) {
    return !view.pods.empty() && view.pods[0]->status.phase == "Failed";
  }));
  const std::string rejected = *observer_.Now().PodNames().begin();
  const int changes = static_cast<int>(Long().length / Milliseconds(200));
  for (int i = 0; i < changes; ++i) {
    Annotate("pods/" + rejected, "change", std::to_string(i));
    LetPass(Milliseconds(200));
  }
  EXPECT_LE(observer_.PodsSince(mark), Long().rounds + 1);
}

TEST_P(Rejection, DelaysNeitherAScaleUpNorThePodThatReplacesADeletedOne) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 3}));
  const std::string victim = *observer_.Now().PodNames().begin();
  kubelet_.Behave({.rejected = "NodeAffinity"});
  Scale(4);
  LetPass(Long().length / 2);

  kubelet_.Behave({});
  Delete("pods/" + victim);
  Scale(6);
  EXPECT_TRUE(BecomesAvailable(6, Seconds(10)));
}

}  // namespace
}  // namespace capstan::scenarios
