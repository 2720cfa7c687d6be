#include <algorithm>

#include "cluster_test.h"

namespace capstan::e2e {
namespace {

class Scaling : public ClusterTest {};

TEST_F(Scaling, AddsAndRemovesPodsOfTheSameReplicaSet) {
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

TEST_F(Scaling, InTheMiddleOfARolloutEndsWithTheNewNumberOfNewPods) {
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

}  // namespace
}  // namespace capstan::e2e
