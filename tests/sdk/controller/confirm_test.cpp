// A new leader lists live before its first creation or deletion.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pod_controller.h"
#include "support/new_leader.h"

#include <capstan/testing/fake_cluster.h>

namespace capstan {
namespace {

using std::chrono::seconds;
using testing::NewLeader;

constexpr char kStray[] =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"stray","labels":{"app":"web"}},)"
    R"("spec":{"containers":[{"name":"main","image":"example.com/main"}]}})";

class ConfirmTest : public ::testing::Test {
 protected:
  // With --gtest_shuffle each order gets a different interleaving.
  ConfirmTest()
      : cluster_(
            {.seed = static_cast<uint64_t>(::testing::UnitTest::GetInstance()->random_seed()) + 1,
             .with_kubelet = false}) {
    create_missing_pods = [this](const Client& client, const ReplicaSet& set, const auto& pods) {
      const Status status = CreateMissingPods(client, set, pods);
      if (!status.ok()) errors_.push_back(status);
      return status;
    };
    faults().On({.method = "POST", .target = "*/pods"}).Do([this](const HttpRequest&) {
      ++creations_;
    });
    faults().On({.method = "DELETE", .target = "*/pods/*"}).Do([this](const HttpRequest&) {
      ++deletions_;
    });
    // The lists of the informers are across all namespaces.
    faults().On({.method = "GET", .target = "*/namespaces/*/pods?*"}).Do([this](const auto&) {
      ++lists_;
    });
  }
  ~ConfirmTest() override {
    leader_.reset();
    create_missing_pods = nullptr;
  }

  testing::FaultInjector& faults() { return cluster_.faults(); }
  void CreateSet(const std::string& name, int replicas) {
    cluster_.CreateJson(ReplicaSetJson(name, replicas));
  }
  void StandBy() {
    leader_.emplace(cluster_);
    leader_->StandBy<ReplicaSet, Pod>();
  }
  void Lead(NewLeader::Options options = {}) {
    options.learns_live_versions = learns_live_versions_;
    leader_->Lead(SetUpPodController, options);
  }
  // The caches receive no changes from now on.
  void Lag() { faults().SetLagging(true); }
  void EndLag() {
    faults().SetLagging(false);
    Wait(seconds(10));
  }
  void Wait(Duration time) { cluster_.AdvanceBy(time); }
  // Writes of the former leader just before the change.
  void FormerLeaderCreates(const std::string& set, int pods) {
    for (int i = 0; i < pods; ++i) {
      ASSERT_TRUE(CreatePod(cluster_.client(), *cluster_.Get<ReplicaSet>(set)).ok());
    }
  }
  void FormerLeaderDeletes(size_t pods) {
    for (size_t i = 0; i < pods; ++i) {
      cluster_.Delete<Pod>(cluster_.List<Pod>().front()->metadata.name);
    }
  }
  size_t Pods() { return cluster_.List<Pod>().size(); }
  double Reconciles(const std::string& result) { return leader_->Reconciles("keeper", result); }

  bool learns_live_versions_ = false;
  testing::FakeCluster cluster_;
  int creations_ = 0;
  int deletions_ = 0;
  int lists_ = 0;
  std::vector<Status> errors_;  // of the reconciler's writes
  std::optional<NewLeader> leader_;
};

// What must hold whether or not the leader learns the versions that its caches need.
class ConfirmEitherWayTest : public ConfirmTest, public ::testing::WithParamInterface<bool> {
 protected:
  ConfirmEitherWayTest() { learns_live_versions_ = GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(, ConfirmEitherWayTest, ::testing::Bool());

TEST_F(ConfirmTest, AnUpToDateCacheCostsOneListPerNamespace) {
  cluster_.CreateJson(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"other"}})");
  for (int i = 0; i < 20; ++i) CreateSet("web-" + std::to_string(i), 2);
  cluster_.CreateJson(ReplicaSetJson("web", 1, "other"));
  StandBy();
  Lead({.workers = 4});
  EXPECT_EQ(Pods(), 41U);
  EXPECT_EQ(lists_, 2);
  EXPECT_TRUE(errors_.empty()) << errors_.front().ToString();
  EXPECT_EQ(Reconciles("error"), 0);
}

TEST_F(ConfirmTest, ALeaderThatWritesNothingListsNothing) {
  CreateSet("web", 2);
  FormerLeaderCreates("web", 2);
  StandBy();
  Lead();
  Wait(seconds(30));
  EXPECT_EQ(lists_, 0);
}

TEST_P(ConfirmEitherWayTest, PodsMissingInTheCacheAreNotCreatedAgain) {
  CreateSet("web", 3);
  StandBy();
  Lag();
  FormerLeaderCreates("web", 2);
  Lead();
  Wait(seconds(30));
  EXPECT_EQ(creations_, 0);
  EXPECT_GE(Reconciles("awaits_own_writes"), 1);
  EndLag();
  EXPECT_EQ(creations_, 1) << "the catch-up wakes it, and one was missing indeed";
  EXPECT_EQ(Pods(), 3U);
  EXPECT_EQ(lists_, 1);
  EXPECT_EQ(Reconciles("error"), 0) << "nothing went wrong";
  ASSERT_EQ(errors_.size(), 1U);
  EXPECT_TRUE(errors_[0].IsCanceled() && !errors_[0].IsAmbiguous()) << errors_[0].ToString();
}

TEST_F(ConfirmTest, WithoutConfirmationNothingIsListed) {
  CreateSet("web", 3);
  StandBy();
  Lag();
  FormerLeaderCreates("web", 2);
  Lead({.confirms = false});
  EXPECT_EQ(creations_, 3);
  EXPECT_EQ(lists_, 0);
}

TEST_P(ConfirmEitherWayTest, DeletedPodsAreNotDeletedAgain) {
  CreateSet("web", 3);
  FormerLeaderCreates("web", 3);
  StandBy();
  cluster_.Patch<ReplicaSet>("web", R"({"spec":{"replicas":1}})");
  cluster_.RunUntilIdle();
  Lag();
  FormerLeaderDeletes(2);
  Lead();
  Wait(seconds(30));
  EXPECT_EQ(deletions_, 0);
  EndLag();
  EXPECT_EQ(deletions_, 0);
  EXPECT_EQ(Pods(), 1U);
  EXPECT_EQ(creations_, 0);
}

TEST_P(ConfirmEitherWayTest, NewPodsChangeTheChoiceOfPodsToDelete) {
  CreateSet("web", 1);
  FormerLeaderCreates("web", 3);
  StandBy();
  Lag();
  FormerLeaderCreates("web", 1);
  Lead();
  Wait(seconds(30));
  EXPECT_EQ(deletions_, 0);
  EndLag();
  EXPECT_EQ(deletions_, 3);
  EXPECT_EQ(Pods(), 1U);
}

TEST_P(ConfirmEitherWayTest, OtherOwnersInTheNamespaceAreNotDelayed) {
  CreateSet("stale", 1);
  CreateSet("web", 2);
  StandBy();
  Lag();
  FormerLeaderCreates("stale", 1);
  Lead();
  Wait(seconds(30));
  EXPECT_EQ(creations_, 2);
  EndLag();
  EXPECT_EQ(creations_, 2);
  EXPECT_EQ(lists_, 1);
}

TEST_F(ConfirmTest, NothingIsWrittenUntilTheLiveListSucceeds) {
  CreateSet("web", 2);
  StandBy();
  faults().On({.method = "GET", .target = "*/namespaces/*/pods?*"}).Between(1, 2).Fail(403);
  Lead();
  ASSERT_EQ(errors_.size(), 1U);
  EXPECT_TRUE(errors_[0].IsForbidden()) << errors_[0].ToString();
  EXPECT_EQ(creations_, 0);
  Wait(seconds(10));
  EXPECT_EQ(creations_, 2);
  EXPECT_EQ(lists_, 3);
  EXPECT_EQ(Reconciles("error"), 2);
}

TEST_P(ConfirmEitherWayTest, AnOrphanMissingInTheCacheDelaysCreation) {
  CreateSet("web", 1);
  CreateSet("second", 1);
  StandBy();
  Lag();
  cluster_.CreateJson(kStray);
  Lead();
  Wait(seconds(30));
  EXPECT_EQ(creations_, 0) << "it might be adopted";
  EndLag();
  EXPECT_EQ(creations_, 2) << "these sets adopt nothing";
  EXPECT_EQ(Reconciles("error"), 0);
  EXPECT_EQ(lists_, 1);
}

TEST_F(ConfirmTest, AnOrphanInTheCacheDelaysNothing) {
  CreateSet("web", 1);
  cluster_.CreateJson(kStray);
  StandBy();
  Lag();
  Lead();
  EXPECT_EQ(creations_, 1);
  EXPECT_TRUE(errors_.empty()) << errors_.front().ToString();
}

TEST_P(ConfirmEitherWayTest, ARestoredServerEndsTheWaitForAnOrphan) {
  CreateSet("web", 1);
  StandBy();
  const std::string saved = cluster_.server().Save();
  for (int i = 0; i < 5; ++i) {
    cluster_.CreateJson(kStray);
    cluster_.Delete<Pod>("stray");
  }
  cluster_.RunUntilIdle();
  Lag();
  cluster_.CreateJson(kStray);
  Lead();
  ASSERT_TRUE(cluster_.server().Restore(saved).ok());
  EndLag();
  Wait(std::chrono::minutes(2));
  EXPECT_EQ(Pods(), 1U);
}

TEST_F(ConfirmTest, CacheChangesBeforeTheLiveListAreNotTakenForDeletions) {
  CreateSet("web", 2);
  StandBy();
  faults().On({.method = "GET", .target = "*/namespaces/*/pods?*"}).Delay(seconds(5));
  Lead();
  Wait(seconds(1));
  FormerLeaderCreates("web", 1);  // its last write, after the server has produced the list
  Wait(seconds(10));
  EXPECT_EQ(creations_, 1);
  EXPECT_EQ(Pods(), 2U);
  EXPECT_EQ(Reconciles("error"), 0);
}

TEST_F(ConfirmTest, WorkersShareOneList) {
  for (int i = 0; i < 3; ++i) CreateSet("web-" + std::to_string(i), 1);
  StandBy();
  faults().On({.method = "GET", .target = "*/namespaces/*/pods?*"}).Delay(seconds(5));
  Lead({.workers = 3});
  Wait(seconds(4));
  EXPECT_EQ(lists_, 1);
  EXPECT_EQ(creations_, 0);
  Wait(seconds(1));
  EXPECT_EQ(lists_, 1);
  EXPECT_EQ(creations_, 3);
}

TEST_F(ConfirmTest, WorkersShareTheFailureOfAList) {
  for (int i = 0; i < 3; ++i) CreateSet("web-" + std::to_string(i), 1);
  StandBy();
  faults().On({.method = "GET", .target = "*/namespaces/*/pods?*"}).Nth(1).FailAfter(500);
  const auto slow = [this](const HttpRequest&) { cluster_.runtime().SleepFor(seconds(5), {}); };
  faults().On({.method = "GET", .target = "*/namespaces/*/pods?*"}).Nth(1).Do(slow);
  Lead({.workers = 3});
  Wait(seconds(5));
  EXPECT_EQ(errors_.size(), 3U);
  Wait(seconds(10));
  EXPECT_EQ(lists_, 2);
  EXPECT_EQ(creations_, 3);
}

// The cache catches up between the reads and the writes of a reconcile.
class ConfirmRaceTest : public ConfirmEitherWayTest {
 protected:
  ConfirmRaceTest() {
    create_missing_pods = [this](const Client& client, const ReplicaSet& set, auto pods) {
      if (is_first_) {
        is_first_ = false;
        faults().SetLagging(false);
        cluster_.runtime().SleepFor(seconds(10), {});
        // The first pods are kept, so put those that no longer exist first.
        std::partition(pods.begin(), pods.end(), [this](const auto& pod) { return !Exists(*pod); });
      }
      const Status status = CreateMissingPods(client, set, pods);
      if (!status.ok()) errors_.push_back(status);
      return status;
    };
  }
  bool Exists(const Pod& pod) { return cluster_.client().Get<Pod>(api::NameOf(pod.metadata)).ok(); }
  bool is_first_ = true;
};

INSTANTIATE_TEST_SUITE_P(, ConfirmRaceTest, ::testing::Bool());

TEST_P(ConfirmRaceTest, AnOutdatedPlanCreatesNothing) {
  CreateSet("web", 2);
  StandBy();
  Lag();
  FormerLeaderCreates("web", 2);
  Lead();
  Wait(seconds(10));
  EXPECT_EQ(creations_, 0);
  EXPECT_EQ(errors_.size(), 1U);
  EXPECT_EQ(Reconciles("awaits_own_writes"), 1);
  EXPECT_EQ(Reconciles("requeue_after"), 1) << "it is retried immediately";
}

TEST_P(ConfirmRaceTest, AnOutdatedPlanDeletesNothing) {
  CreateSet("web", 1);
  FormerLeaderCreates("web", 2);
  StandBy();
  Lag();
  FormerLeaderDeletes(1);
  Lead();
  Wait(seconds(10));
  EXPECT_EQ(deletions_, 0);
  EXPECT_EQ(Pods(), 1U);
  EXPECT_EQ(Reconciles("requeue_after"), 1) << "it is retried immediately";
}

TEST_P(ConfirmRaceTest, AnOutdatedPlanThatDoesNotAdoptCreatesNothing) {
  CreateSet("web", 1);
  StandBy();
  Lag();
  cluster_.CreateJson(kStray);
  Lead();
  ASSERT_EQ(creations_, 0);
  Wait(seconds(10));
  EXPECT_EQ(Reconciles("awaits_own_writes"), 1);
  EXPECT_EQ(creations_, 1) << "it is retried immediately, and adopts nothing";
}

}  // namespace
}  // namespace capstan
