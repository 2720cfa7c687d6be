#include "controller/own_writes.h"

#include "json/value.h"
#include "pod_controller.h"

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>
#include <capstan/controller.h>
#include <capstan/testing/fake_cluster.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan {
namespace {

using api::apps::v1::ReplicaSet;
using api::core::v1::Pod;

constexpr std::string_view kPodRequests = "*/pods*";

class OwnWritesTest : public ::testing::Test {
 protected:
  OwnWritesTest() : cluster_({.with_kubelet = false}) {
    create_missing_pods = [this](const Client& client, const ReplicaSet& set,
                                 const std::vector<std::shared_ptr<const Pod>>& pods) {
      ++reconciles_;
      if (lags_from_now_) cluster_.faults().SetLagging(true);
      return CreateMissingPods(client, set, pods);
    };
    cluster_.Load(SetUpPodController);
    cluster_.RunUntilIdle();
  }
  ~OwnWritesTest() override { create_missing_pods = nullptr; }

  void CreateSet(int replicas) {
    cluster_.CreateJson(ReplicaSetJson("web", replicas));
    cluster_.RunUntilIdle();
  }
  void Scale(int replicas) {
    cluster_.Patch<ReplicaSet>("web", R"({"spec":{"replicas":)" + std::to_string(replicas) + "}}");
    cluster_.RunUntilIdle();
  }
  // From the next reconcile on the watches send no events, until EndLag is called.
  void Lag() { lags_from_now_ = true; }
  void EndLag() {
    lags_from_now_ = false;
    cluster_.faults().SetLagging(false);
    cluster_.AdvanceBy(std::chrono::seconds(10));
  }
  size_t Pods() { return cluster_.List<Pod>().size(); }
  // Counts the requests of this method, e.g. "POST", whether or not the faults let them pass.
  void CountRequests(std::string_view method, int& count) {
    cluster_.faults()
        .On({.method = std::string(method), .target = std::string(kPodRequests)})
        .Do([&count](const HttpRequest&) { ++count; });
  }

  testing::FakeCluster cluster_;
  int reconciles_ = 0;
  bool lags_from_now_ = false;
};

TEST_F(OwnWritesTest, CreatedPodsAreNotCreatedAgainDuringAWatchLag) {
  Lag();
  CreateSet(2);
  cluster_.AdvanceBy(std::chrono::seconds(30));
  EXPECT_EQ(reconciles_, 1) << "it comes every second, but must wait";
  EXPECT_EQ(Pods(), 2U);
  EndLag();
  EXPECT_GT(reconciles_, 1) << "the catch-up wakes it";
  EXPECT_EQ(Pods(), 2U);
}

TEST_F(OwnWritesTest, DeletedPodsAreNotCountedDuringAWatchLag) {
  CreateSet(3);
  ASSERT_EQ(Pods(), 3U);
  int deletions = 0;
  CountRequests("DELETE", deletions);
  Lag();
  Scale(1);
  cluster_.AdvanceBy(std::chrono::seconds(30));
  EXPECT_EQ(deletions, 2);
  EndLag();
  EXPECT_EQ(deletions, 2);
  EXPECT_EQ(Pods(), 1U);
}

TEST_F(OwnWritesTest, APatchOfTheObjectIsNotRepeatedOnStaleState) {
  int conflicts = 0;
  create_missing_pods = [&](const Client& client, const ReplicaSet& set, const auto&) {
    ++reconciles_;
    if (lags_from_now_) cluster_.faults().SetLagging(true);
    ReplicaSet after = set;
    after.status.observedGeneration = set.metadata.generation;
    const Status status = client.PatchDifference(set, after, "status").status();
    if (status.IsConflict()) ++conflicts;
    return status;
  };
  Lag();
  CreateSet(1);
  cluster_.AdvanceBy(std::chrono::seconds(30));
  EXPECT_EQ(reconciles_, 1);
  EndLag();
  EXPECT_EQ(conflicts, 0);
  EXPECT_EQ(cluster_.Get<ReplicaSet>("web")->status.observedGeneration, 1);
}

TEST_F(OwnWritesTest, ACreationWithALostAnswerIsFoundByALiveList) {
  cluster_.faults().On({.method = "POST", .target = std::string(kPodRequests)}).Nth(1).DropAfter();
  Lag();
  CreateSet(1);
  cluster_.AdvanceBy(std::chrono::seconds(30));
  EXPECT_EQ(reconciles_, 1) << "the pod exists, but is not visible yet";
  EXPECT_EQ(Pods(), 1U);
  EndLag();
  EXPECT_GT(reconciles_, 1);
  EXPECT_EQ(Pods(), 1U);
}

TEST_F(OwnWritesTest, ACreationThatWasNotReceivedIsRepeated) {
  cluster_.faults().On({.method = "POST", .target = std::string(kPodRequests)}).Nth(1).Fail(500);
  CreateSet(2);
  cluster_.AdvanceBy(std::chrono::seconds(30));
  EXPECT_EQ(Pods(), 2U);
}

TEST_F(OwnWritesTest, AFailedLiveReadIsRetriedBeforeAnyWrite) {
  cluster_.faults().On({.method = "POST", .target = std::string(kPodRequests)}).Nth(1).DropAfter();
  cluster_.faults()
      .On({.method = "GET", .target = "*/namespaces/default/pods*"})
      .Between(1, 3)
      .Fail(403, "Forbidden");
  Lag();
  CreateSet(1);
  cluster_.AdvanceBy(std::chrono::seconds(30));
  EXPECT_EQ(Pods(), 1U);
  EndLag();
  EXPECT_EQ(Pods(), 1U);
}

TEST_F(OwnWritesTest, ADeletionWithALostAnswerDeletesNoOtherObject) {
  CreateSet(4);
  Lag();
  cluster_.faults()
      .On({.method = "DELETE", .target = std::string(kPodRequests)})
      .Nth(1)
      .FailAfter(500);
  Scale(3);
  cluster_.AdvanceBy(std::chrono::seconds(30));
  EXPECT_EQ(Pods(), 3U);
  EndLag();
  EXPECT_EQ(Pods(), 3U);
}

TEST_F(OwnWritesTest, ADeletionThatWasNotReceivedIsRepeated) {
  CreateSet(4);
  cluster_.faults()
      .On({.method = "DELETE", .target = std::string(kPodRequests)})
      .Between(1, 2)
      .Fail(500);
  Scale(3);
  cluster_.AdvanceBy(std::chrono::seconds(30));
  EXPECT_EQ(Pods(), 3U);
}

TEST_F(OwnWritesTest, ARefusedDeletionDelaysNothing) {
  CreateSet(2);
  cluster_.faults()
      .On({.method = "DELETE", .target = std::string(kPodRequests)})
      .Between(1, 3)
      .Fail(403, "Forbidden");
  Scale(1);
  cluster_.AdvanceBy(std::chrono::seconds(30));
  EXPECT_EQ(Pods(), 1U);
}

TEST_F(OwnWritesTest, TheDeletionOfANewlyAdoptedPodIsAwaited) {
  create_missing_pods = [](const auto&, const auto&, const auto&) { return Status::Ok(); };
  CreateSet(0);
  cluster_.CreateJson(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"stray","labels":{"app":"web"}},)"
      R"("spec":{"containers":[{"name":"main","image":"example.com/main"}]}})");
  const auto set = cluster_.Get<ReplicaSet>("web");
  SharedInformerFactory informers(cluster_.client(), cluster_.runtime(), Duration::zero());
  const auto writes = std::make_shared<OwnWrites>(cluster_.client());
  writes->Follow(informers.InformerFor<ReplicaSet>(), true);
  writes->Follow(informers.InformerFor<Pod>(), false);
  const auto queue = std::make_shared<WorkQueue>("test", cluster_.runtime(), cluster_.metrics());
  const auto caught_up = [&] {
    return writes->CaughtUp(set->metadata.uid, {"default", "web"}, queue).value();
  };
  informers.Start();
  cluster_.RunUntilIdle();
  ASSERT_TRUE(caught_up());

  const Client observed = cluster_.client().WithWriteObserver(writes);
  const NamespacedName stray{"default", "stray"};
  ASSERT_TRUE(observed
                  .Patch<Pod>(stray, PatchType::kStrategicMerge,
                              AdoptionPatch(ControllerReferenceTo(*set),
                                            cluster_.Get<Pod>("stray")->metadata.uid))
                  .ok());
  writes->Deleting(DescriptorOf<Pod>(), stray);
  cluster_.RunUntilIdle();
  EXPECT_FALSE(caught_up()) << "only the adoption is visible";
  ASSERT_TRUE(cluster_.client().Delete<Pod>(stray).ok());
  writes->Deleted(DescriptorOf<Pod>(), stray, Status::Ok());
  cluster_.RunUntilIdle();
  EXPECT_TRUE(caught_up());
  EXPECT_EQ(queue->Length(), 1U) << "the catch-up wakes whoever waits";
  informers.Stop();
}

TEST_F(OwnWritesTest, TheDeletionOfAMissingPodIsAwaited) {
  CreateSet(2);
  Lag();
  cluster_.faults()
      .On({.method = "DELETE", .target = std::string(kPodRequests)})
      .Nth(1)
      .Do([this](const HttpRequest&) {  // another client is faster
        for (const auto& pod : cluster_.List<Pod>()) cluster_.Delete<Pod>(pod->metadata.name);
      });
  Scale(1);
  cluster_.AdvanceBy(std::chrono::seconds(30));
  EXPECT_EQ(Pods(), 0U);
  EndLag();
  EXPECT_EQ(Pods(), 1U);
}

TEST_F(OwnWritesTest, VersionsFromBeforeARestoreAreNotAwaited) {
  CreateSet(1);
  const std::string saved = cluster_.server().Save();
  Scale(5);
  ASSERT_EQ(Pods(), 5U);
  ASSERT_TRUE(cluster_.server().Restore(saved).ok());
  cluster_.AdvanceBy(std::chrono::minutes(2));
  ASSERT_EQ(Pods(), 1U);
  Scale(2);
  cluster_.AdvanceBy(std::chrono::minutes(1));
  EXPECT_EQ(Pods(), 2U);
}

TEST_F(OwnWritesTest, ARestoredServerEndsTheWaitForAWrite) {
  CreateSet(1);
  const std::string saved = cluster_.server().Save();
  Lag();
  Scale(5);
  ASSERT_TRUE(cluster_.server().Restore(saved).ok());
  EndLag();
  cluster_.AdvanceBy(std::chrono::minutes(2));
  Scale(2);
  cluster_.AdvanceBy(std::chrono::minutes(1));
  EXPECT_EQ(Pods(), 2U);
}

// As etcd's documentation recommends: the content is that of the backup, and versions continue to
// count.
TEST_F(OwnWritesTest, ADeletionUndoneByARestoreIsNotAwaitedForever) {
  CreateSet(2);
  json::Value backup = json::ParseValue(cluster_.server().Save())->value;
  Lag();
  Scale(1);
  ASSERT_EQ(Pods(), 1U);
  cluster_.faults().SetDown(true);  // no event of the deletion is sent
  backup.Set("version", cluster_.server().ResourceVersion() + 1);
  ASSERT_TRUE(cluster_.server().Restore(ToJson(backup)).ok());
  EndLag();
  cluster_.faults().SetDown(false);
  cluster_.AdvanceBy(std::chrono::minutes(2));
  ASSERT_EQ(Pods(), 2U) << "the wish for one is forgotten too";
  Scale(1);
  cluster_.AdvanceBy(std::chrono::minutes(1));
  EXPECT_EQ(Pods(), 1U);
}

}  // namespace
}  // namespace capstan
