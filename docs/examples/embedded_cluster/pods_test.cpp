#include <gmock/gmock.h>

#include <capstan/testing/fake_cluster.h>

namespace {

using namespace std::chrono_literals;
using capstan::api::core::v1::Pod;
using capstan::testing::FakeCluster;

constexpr char kPod[] = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},
    "spec":{"containers":[{"name":"main","image":"nginx"}]}})";

bool IsReady(const Pod& pod) {
  for (const auto& condition : pod.status.conditions) {
    if (condition.type == "Ready") return condition.status == "True";
  }
  return false;
}

TEST(Pods, BecomeReadyAfterTheConfiguredDelay) {
  FakeCluster cluster;
  cluster.kubelet()->Behave({.ready_after = 20s});
  cluster.CreateJson(kPod);
  cluster.AdvanceBy(19s);
  EXPECT_FALSE(IsReady(*cluster.Get<Pod>("web")));
  cluster.AdvanceBy(2s);
  EXPECT_TRUE(IsReady(*cluster.Get<Pod>("web")));
}

TEST(Pods, FailWhenConfiguredTo) {
  FakeCluster cluster;
  cluster.CreateJson(kPod);
  cluster.RunUntilIdle();
  cluster.kubelet()->Crash({"default", "web"});
  cluster.RunUntilIdle();
  EXPECT_EQ(cluster.Get<Pod>("web")->status.phase, "Failed");
}

TEST(Pods, AreRejectedWithTheRealServersMessage) {
  FakeCluster cluster;
  Pod pod;
  pod.metadata.name = "web";
  pod.metadata.namespace_ = "default";
  const auto created = cluster.client().Create(pod);  // it has no container
  ASSERT_TRUE(created.status().IsInvalid()) << created.status().ToString();
  EXPECT_EQ(created.status().causes().at(0).field, "spec.containers");
}

}  // namespace
