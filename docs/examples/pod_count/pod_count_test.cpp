#include <gmock/gmock.h>

#include <chrono>
#include <string>

#include <capstan/testing/fake_cluster.h>

#include "pod_count.cpp"

namespace {

using capstan::api::core::v1::Pod;
using capstan::testing::FakeCluster;

class PodCount : public ::testing::Test {
 protected:
  PodCount() {
    cluster_.Load(SetUpPodCount, "pod-count");
    cluster_.CreateJson(R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web"},
        "spec":{"replicas":1,"selector":{"matchLabels":{"app":"web"}},"template":{
        "metadata":{"labels":{"app":"web"}},
        "spec":{"containers":[{"name":"main","image":"nginx"}]}}}})");
    cluster_.RunUntilIdle();
  }
  void CreatePod(const std::string& name) {
    cluster_.CreateJson(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                        R"(","ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet",
        "name":"web","controller":true,"uid":")" +
                        cluster_.Get<ReplicaSet>("web")->metadata.uid.str() +
                        R"("}]},"spec":{"containers":[{"name":"main","image":"nginx"}]}})");
    cluster_.RunUntilIdle();
  }
  std::string Count() {
    return std::string(
        cluster_.Get<ReplicaSet>("web")->metadata.annotations.Get("example.dev/pods"));
  }

  FakeCluster cluster_;
};

TEST_F(PodCount, WritesTheNumberOfOwnedPods) {
  EXPECT_EQ(Count(), "0");
  CreatePod("web-1");
  CreatePod("web-2");
  EXPECT_EQ(Count(), "2");
  cluster_.Delete<Pod>("web-1", {.grace_period_seconds = 0});
  cluster_.RunUntilIdle();
  EXPECT_EQ(Count(), "1");
}

TEST_F(PodCount, ShowsTheNumberOnItsPage) {
  CreatePod("web-1");
  EXPECT_EQ(cluster_.GetPage("pod-count").body, "web: 1 pods\n");
}

TEST_F(PodCount, IsUnhealthyWithoutPermissions) {
  const auto check = [&] { return cluster_.CheckHealth("pod-count", "rights"); };
  EXPECT_TRUE(check().ok());
  cluster_.faults().On({.method = "PATCH"}).Nth(1).Fail(403);
  CreatePod("web-1");
  EXPECT_TRUE(check().IsForbidden());
  cluster_.AdvanceBy(std::chrono::seconds(1));  // it tries again
  EXPECT_TRUE(check().ok());
  EXPECT_EQ(Count(), "1");
}

}  // namespace
