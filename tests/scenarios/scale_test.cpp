#include <algorithm>
#include <set>
#include <string>

#include "scenario_test.h"

namespace capstan::scenarios {
namespace {

class Scaling : public Scenario {};
CAPSTAN_IN_EVERY_WORLD(Scaling);

TEST_P(Scaling, AddsAndRemovesPodsOfTheSameReplicaSet) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  Scale(7);
  ASSERT_TRUE(BecomesComplete(7));
  const size_t mark = observer_.Mark();
  const std::set<std::string> seven = observer_.Now().PodNames();

  Scale(1);
  ASSERT_TRUE(BecomesComplete(1));
  const std::set<std::string> one = observer_.Now().PodNames();
  EXPECT_TRUE(std::includes(seven.begin(), seven.end(), one.begin(), one.end()));
  Scale(0);
  ASSERT_TRUE(BecomesComplete(0));

  EXPECT_EQ(observer_.PodsSince(mark), 7U) << "scaling down creates no pod";
  EXPECT_EQ(observer_.Now().replica_sets.size(), 1U);
}

TEST_P(Scaling, DuringARolloutEndsWithTheNewNumberOfNewPods) {
  StartLeader();
  kubelet_.Behave({.ready_after = Milliseconds(500)});
  ASSERT_TRUE(Create({.replicas = 4}));
  SetImage("example.com/web:2");
  ASSERT_TRUE(observer_.Eventually("old and new pods",
                                   [](const View& view) { return view.PodHashes().size() == 2; }));
  Scale(8);
  ASSERT_TRUE(BecomesComplete(8));
  EXPECT_EQ(observer_.Now().PodHashes().size(), 1U);
}

TEST_P(Scaling, DownDeletesUnreadyPodsFirst) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const std::set<std::string> ready = observer_.Now().PodNames();
  kubelet_.Behave({.ready_after = std::nullopt});
  Scale(5);
  ASSERT_TRUE(observer_.Eventually("3 pods that do not get ready", [](const View& view) {
    return view.ActivePods() == 5 && view.deployment->status.replicas == 5;
  }));

  Scale(2);
  ASSERT_TRUE(BecomesComplete(2));
  EXPECT_EQ(observer_.Now().PodNames(), ready);
}

TEST_P(Scaling, DuringARecreateUpdateStillCompletes) {
  StartLeader();
  kubelet_.Behave({.ready_after = Milliseconds(100), .gone_after = Milliseconds(500)});
  ASSERT_TRUE(Create({.replicas = 3, .strategy = R"({"type":"Recreate"})"}));
  SetImage("example.com/web:2");
  ASSERT_TRUE(observer_.Eventually("the old pods go",
                                   [](const View& view) { return view.ActivePods() == 0; }));
  Scale(5);
  ASSERT_TRUE(BecomesComplete(5));
}

}  // namespace
}  // namespace capstan::scenarios
