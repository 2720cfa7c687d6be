// A change of leaders while the caches of the successor lag behind.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>
#include <capstan/testing/fake_cluster.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "in_process_manager.h"
#include "plugins/plugin_loader.h"
#include "scenarios/workload.h"
#include "support/new_leader.h"

namespace capstan::scenarios {
namespace {

using api::apps::v1::Deployment;
using api::apps::v1::ReplicaSet;
using api::core::v1::Pod;
using capstan::testing::EventWithReason;
using capstan::testing::FakeCluster;
using capstan::testing::NewLeader;
using ::testing::Contains;

constexpr Duration kLag = std::chrono::seconds(30);

class NewLeaderTest : public ::testing::Test {
 protected:
  // The successor becomes a standby. From then on it receives changes of `resource` with a delay.
  void SuccessorLagsWith(const std::string& resource) {
    StandBy(successor_);
    successor_->faults().OnWatch({.target = "*/" + resource + "?*"}).Delay(kLag);
    successor_->faults()
        .On({.method = "POST", .target = "*/" + resource})
        .Do([this](const HttpRequest&) { ++creations_; });
    cluster_.server().CloseWatches();
    cluster_.AdvanceBy(std::chrono::seconds(5));  // until all watches are open again
  }
  void StandBy(std::optional<NewLeader>& leader) {
    leader.emplace(cluster_);
    leader->StandBy<Deployment, ReplicaSet, Pod>();
  }
  void Lead(NewLeader& leader, bool confirms) {
    for (const manager::LoadedPlugin& plugin : BundledPlugins()) {
      leader.Lead([&](PluginContext& context) { return manager::SetUpPlugin(plugin, context); },
                  {.confirms = confirms,
                   .learns_live_versions = learns_live_versions_,
                   .workers = 5,
                   .name = plugin.manifest.name});
    }
  }
  void StartFirstLeader() {
    StandBy(first_);
    Lead(*first_, true);
  }
  // The first leader stops at this moment.
  void ChangeLeaders(bool confirms) {
    first_.reset();
    Lead(*successor_, confirms);
  }
  ::testing::AssertionResult BecomesComplete(int64_t replicas) {
    const auto is_complete = [&] {
      const auto web = cluster_.Get<Deployment>("web");
      return web->status.observedGeneration == web->metadata.generation &&
             web->status.updatedReplicas == replicas && web->status.replicas == replicas &&
             web->status.availableReplicas == replicas;
    };
    if (cluster_.RunUntil(is_complete)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "web does not become complete";
  }
  size_t Pods() { return cluster_.List<Pod>().size(); }
  bool HasEvent(const char* reason) {
    return ::testing::Value(cluster_.Events(), Contains(EventWithReason(reason)));
  }

  // With --gtest_shuffle each order gets a different interleaving.
  FakeCluster cluster_{
      {.seed = static_cast<uint64_t>(::testing::UnitTest::GetInstance()->random_seed()) + 1}};
  bool learns_live_versions_ = false;
  std::optional<NewLeader> first_;
  std::optional<NewLeader> successor_;
  int creations_ = 0;  // by the successor
};

// What must hold whether or not the leaders learn the versions that their caches need.
class NewLeaderEitherWayTest : public NewLeaderTest, public ::testing::WithParamInterface<bool> {
 protected:
  NewLeaderEitherWayTest() { learns_live_versions_ = GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(, NewLeaderEitherWayTest, ::testing::Bool());

TEST_F(NewLeaderTest, WithALaggingCacheCreatesExtraPodsWithoutTheLiveRead) {
  StartFirstLeader();
  cluster_.CreateJson(Workload{.replicas = 3}.ToJson());
  ASSERT_TRUE(BecomesComplete(3));
  SuccessorLagsWith("pods");
  cluster_.Patch<Deployment>("web", R"({"spec":{"replicas":6}})");
  ASSERT_TRUE(BecomesComplete(6));
  ChangeLeaders(false);
  EXPECT_EQ(creations_, 3);
  EXPECT_EQ(Pods(), 9U);
}

TEST_P(NewLeaderEitherWayTest, WithALaggingCacheCreatesNoExtraPod) {
  StartFirstLeader();
  cluster_.CreateJson(Workload{.replicas = 3}.ToJson());
  ASSERT_TRUE(BecomesComplete(3));
  SuccessorLagsWith("pods");
  cluster_.Patch<Deployment>("web", R"({"spec":{"replicas":6}})");
  ASSERT_TRUE(BecomesComplete(6));
  ChangeLeaders(true);
  EXPECT_EQ(Pods(), 6U);
  cluster_.AdvanceBy(2 * kLag);
  EXPECT_TRUE(BecomesComplete(6));
  EXPECT_EQ(creations_, 0);
  EXPECT_EQ(successor_->Reconciles("replicaset", "error"), 0);
  EXPECT_FALSE(HasEvent("FailedCreate"));
  cluster_.Patch<Deployment>("web", R"({"spec":{"replicas":7}})");
  EXPECT_TRUE(BecomesComplete(7));
  EXPECT_EQ(creations_, 1);
}

TEST_P(NewLeaderEitherWayTest, WithALaggingCacheDeletesNoExtraPod) {
  StartFirstLeader();
  cluster_.CreateJson(Workload{.replicas = 6}.ToJson());
  ASSERT_TRUE(BecomesComplete(6));
  SuccessorLagsWith("pods");
  cluster_.Patch<Deployment>("web", R"({"spec":{"replicas":3}})");
  ASSERT_TRUE(BecomesComplete(3));
  ChangeLeaders(true);
  EXPECT_EQ(Pods(), 3U);
  cluster_.AdvanceBy(2 * kLag);
  EXPECT_TRUE(BecomesComplete(3));
  EXPECT_EQ(creations_, 0) << "none was missing in between";
  EXPECT_EQ(successor_->Reconciles("replicaset", "error"), 0);
  EXPECT_FALSE(HasEvent("FailedDelete"));
}

TEST_P(NewLeaderEitherWayTest, WithALaggingCacheCreatesNoExistingReplicaSet) {
  StartFirstLeader();
  cluster_.CreateJson(Workload{.replicas = 3}.ToJson());
  ASSERT_TRUE(BecomesComplete(3));
  SuccessorLagsWith("replicasets");
  cluster_.Patch<Deployment>("web", ImagePatch("example.com/web:2"));
  ASSERT_TRUE(BecomesComplete(3));
  ChangeLeaders(true);
  cluster_.AdvanceBy(2 * kLag);
  EXPECT_TRUE(BecomesComplete(3));
  EXPECT_EQ(creations_, 0);
  EXPECT_EQ(cluster_.List<ReplicaSet>().size(), 2U);
  EXPECT_EQ(successor_->Reconciles("deployment", "error"), 0);
  EXPECT_FALSE(HasEvent("ReplicaSetCreateError"));
}

// The reads of a successor in a cluster with many Deployments, in as many namespaces.
class ReadsOfANewLeaderTest : public NewLeaderTest {
 protected:
  static constexpr int kDeployments = 100;
  static constexpr int kReplicas = 2;

  ReadsOfANewLeaderTest() {
    learns_live_versions_ = true;
    StartFirstLeader();
    for (int i = 0; i < kDeployments; ++i) {
      cluster_.CreateJson(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" +
                          NamespaceOf(i) + R"("}})");
      const std::string web = Workload{.replicas = kReplicas}.ToJson();
      EXPECT_TRUE(cluster_.client().Create(DescriptorOf<Deployment>(), NamespaceOf(i), web).ok());
    }
    EXPECT_TRUE(cluster_.RunUntil([&] { return AreComplete(); }));
    cluster_.AdvanceBy(std::chrono::minutes(1));
    StandBy(successor_);
    successor_->faults().On({.method = "GET"}).Do([this](const HttpRequest& request) {
      reads_.push_back(request.target);
    });
    first_.reset();
    cluster_.CreateJson(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"other"}})");
  }

  static std::string NamespaceOf(int i) { return "space-" + std::to_string(i); }
  bool AreComplete() {
    return std::ranges::all_of(cluster_.List<Deployment>(), [](const auto& web) {
      return web->status.observedGeneration == web->metadata.generation &&
             web->status.updatedReplicas == kReplicas && web->status.replicas == kReplicas &&
             web->status.availableReplicas == kReplicas;
    });
  }
  void ChangeAllImages() {
    for (int i = 0; i < kDeployments; ++i) {
      cluster_.Patch<Deployment>("web", ImagePatch("example.com/web:2"), {}, NamespaceOf(i));
    }
  }
  void AwaitNewImages() {
    EXPECT_TRUE(cluster_.RunUntil([&] { return AreComplete(); }));
    EXPECT_EQ(cluster_.List<ReplicaSet>().size(), size_t{2} * kDeployments);
  }

  std::vector<std::string> reads_;  // since the successor is a standby
};

TEST_F(ReadsOfANewLeaderTest, AreTwoForEachTypeIfTheClusterIsIdle) {
  Lead(*successor_, true);
  cluster_.AdvanceBy(std::chrono::seconds(30));
  EXPECT_EQ(reads_.size(), 6U) << ::testing::PrintToString(reads_);
  reads_.clear();
  ChangeAllImages();
  AwaitNewImages();
  EXPECT_THAT(reads_, ::testing::IsEmpty());
}

TEST_F(ReadsOfANewLeaderTest, AreFewIfAllDeploymentsHaveChanged) {
  ChangeAllImages();
  Lead(*successor_, true);
  AwaitNewImages();
  EXPECT_LE(reads_.size(), 40U) << ::testing::PrintToString(reads_);
}

}  // namespace
}  // namespace capstan::scenarios
