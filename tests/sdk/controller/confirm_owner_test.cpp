// A new leader reads an owner live before its first write for that owner.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "json/value.h"
#include "pod_controller.h"
#include "support/new_leader.h"

#include <capstan/testing/fake_cluster.h>

namespace capstan {
namespace {

using std::chrono::seconds;
using testing::NewLeader;

class ConfirmOwnerTest : public ::testing::Test {
 protected:
  // With --gtest_shuffle each order gets a different interleaving.
  ConfirmOwnerTest()
      : cluster_(
            {.seed = static_cast<uint64_t>(::testing::UnitTest::GetInstance()->random_seed()) + 1,
             .with_kubelet = false}) {
    create_missing_pods = CreateMissingPods;
    cluster_.CreateJson(ReplicaSetJson("web", 3));
    for (int i = 0; i < 3; ++i) FormerLeaderCreates();
    leader_.emplace(cluster_);
    // Set before it becomes a standby, so that it sees no change of an owner. Its first list is not
    // delayed.
    leader_->faults().OnWatch({.target = "*/replicasets?*sendInitialEvents=true*"}).Fail(422);
    leader_->faults().OnWatch({.target = "*/replicasets?*"}).Delay(kLag);
    for (const char* method : {"POST", "DELETE", "PATCH"}) {
      leader_->faults().On({.method = method, .target = "*/pods*"}).Do([this](const auto&) {
        ++writes_;
      });
    }
    leader_->faults()
        .On({.method = "GET", .target = "*/replicasets/*"})
        .Do([this](const HttpRequest&) { ++reads_; });
    leader_->StandBy<ReplicaSet, Pod>();
  }
  ~ConfirmOwnerTest() override {
    leader_.reset();
    create_missing_pods = nullptr;
  }

  void Scale(int replicas) {
    cluster_.Patch<ReplicaSet>("web", R"({"spec":{"replicas":)" + std::to_string(replicas) + "}}");
  }
  void FormerLeaderCreates() {
    ASSERT_TRUE(CreatePod(cluster_.client(), *cluster_.Get<ReplicaSet>("web")).ok());
  }
  void Lead(bool confirms = true) {
    leader_->Lead(SetUpPodController,
                  {.confirms = confirms, .learns_live_versions = learns_live_versions_});
  }
  size_t Pods() { return cluster_.List<Pod>().size(); }

  static constexpr seconds kLag{30};
  bool learns_live_versions_ = false;
  testing::FakeCluster cluster_;
  int writes_ = 0;
  int reads_ = 0;  // of owners
  std::optional<NewLeader> leader_;
};

// What must hold whether or not the leader learns the versions that its caches need.
class ConfirmOwnerEitherWayTest : public ConfirmOwnerTest,
                                  public ::testing::WithParamInterface<bool> {
 protected:
  ConfirmOwnerEitherWayTest() { learns_live_versions_ = GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(, ConfirmOwnerEitherWayTest, ::testing::Bool());

TEST_F(ConfirmOwnerTest, WithoutTheLiveReadRequestedPodsAreDeleted) {
  Scale(5);
  for (int i = 0; i < 2; ++i) FormerLeaderCreates();
  cluster_.AdvanceBy(seconds(5));
  Lead(false);
  EXPECT_EQ(writes_, 2);
  EXPECT_EQ(Pods(), 3U);
}

TEST_P(ConfirmOwnerEitherWayTest, NewlyRequestedPodsAreKept) {
  Scale(5);
  for (int i = 0; i < 2; ++i) FormerLeaderCreates();
  cluster_.AdvanceBy(seconds(5));
  Lead();
  cluster_.AdvanceBy(2 * kLag);
  EXPECT_EQ(writes_, 0);
  EXPECT_EQ(Pods(), 5U);
  EXPECT_EQ(leader_->Reconciles("keeper", "error"), 0);
}

TEST_P(ConfirmOwnerEitherWayTest, PodsThatAreNoLongerRequestedAreNotCreated) {
  Scale(1);
  cluster_.Delete<Pod>(cluster_.List<Pod>().front()->metadata.name);
  cluster_.Delete<Pod>(cluster_.List<Pod>().front()->metadata.name);
  cluster_.AdvanceBy(seconds(5));
  Lead();
  cluster_.AdvanceBy(2 * kLag);
  EXPECT_EQ(writes_, 0);
  EXPECT_EQ(Pods(), 1U);
}

TEST_F(ConfirmOwnerTest, TheOwnerIsReadOnceAndOnlyBeforeAWrite) {
  Lead();
  cluster_.AdvanceBy(seconds(30));
  EXPECT_EQ(reads_, 0);
  for (int replicas = 4; replicas < 7; ++replicas) {
    Scale(replicas);
    cluster_.AdvanceBy(2 * kLag);
    EXPECT_EQ(Pods(), static_cast<size_t>(replicas));
  }
  EXPECT_EQ(reads_, 1);
}

TEST_P(ConfirmOwnerEitherWayTest, ADeletedOwnerGetsNoPods) {
  cluster_.Delete<Pod>(cluster_.List<Pod>().front()->metadata.name);
  cluster_.Delete<ReplicaSet>("web");
  cluster_.AdvanceBy(seconds(5));
  Lead();
  cluster_.AdvanceBy(2 * kLag);
  EXPECT_EQ(writes_, 0);
}

// The restored objects have older versions than the cache, so no event announces them.
TEST_P(ConfirmOwnerEitherWayTest, AnOwnerInARestoredServerIsNotTakenFromTheCache) {
  auto saved = json::ParseValue(cluster_.server().Save());
  ASSERT_TRUE(saved.ok());
  Scale(5);
  cluster_.AdvanceBy(2 * kLag);
  saved->value.Set("version", cluster_.server().ResourceVersion() + 1);
  leader_->faults().On({.method = "GET", .target = "*/replicasets?*"}).Fail(500);
  ASSERT_TRUE(cluster_.server().Restore(ToJson(saved->value)).ok());
  Lead();
  cluster_.AdvanceBy(kLag);
  EXPECT_EQ(writes_, 0);
  EXPECT_GE(reads_, 1);
  leader_->faults().Clear();
  cluster_.AdvanceBy(2 * kLag);
  EXPECT_EQ(Pods(), 3U);
}

}  // namespace
}  // namespace capstan
