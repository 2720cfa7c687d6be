#include "controller/own_writes.h"

#include "json/value.h"

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
using api::core::v1::PodFromTemplate;

constexpr std::string_view kPodRequests = "*/pods*";

// What the reconciler of a test does with a ReplicaSet and its pods; set before Load.
using Reconcile = std::function<Status(const Client&, const ReplicaSet&,
                                       const std::vector<std::shared_ptr<const Pod>>& pods)>;
Reconcile reconcile;  // NOLINT: a plugin's Setup is a function without arguments of the test's

class PodKeeper final : public Reconciler {
 public:
  explicit PodKeeper(PluginContext& context)
      : client_(context.client()),
        sets_(context.ListerFor<ReplicaSet>()),
        pods_(context.ListerFor<Pod>()) {}

  Result<Action> Reconcile(const Request& request) override {
    const auto set = sets_.Get(request.name);
    if (!set) return Action::AwaitChange();
    Status status = reconcile(client_, *set, pods_.OwnedBy(set->metadata.uid));
    if (!status.ok()) return status;
    return Action::RequeueAfter(std::chrono::seconds(1));
  }

 private:
  const Client client_;
  const Lister<ReplicaSet> sets_;
  const Lister<Pod> pods_;
};

Status SetUpPodKeeper(PluginContext& context) {
  return context.NewController("keeper").For<ReplicaSet>().Owns<Pod>().Workers(1).Run<PodKeeper>();
}

std::string PodJson(const ReplicaSet& set) {
  PodFromTemplate pod;
  pod.metadata.generateName = set.metadata.name + "-";
  pod.metadata.namespace_ = set.metadata.namespace_;
  pod.metadata.ownerReferences = {ControllerReferenceTo(set)};
  pod.spec =
      RawJson::Parse(R"({"containers":[{"name":"main","image":"example.com/main"}]})").value();
  return ToJson(pod);
}

Status CreatePod(const Client& client, const ReplicaSet& set) {
  return client
      .Create(DescriptorOf<PodFromTemplate>(), set.metadata.namespace_, PodJson(set),
              &DescriptorOf<Pod>())
      .status();
}

// Keeps as many pods as the ReplicaSet wants, as simply as can be: it trusts its caches.
Status KeepPods(const Client& client, const ReplicaSet& set,
                const std::vector<std::shared_ptr<const Pod>>& pods) {
  std::vector<std::shared_ptr<const Pod>> active;
  for (const auto& pod : pods) {
    if (!pod->metadata.deletionTimestamp) active.push_back(pod);
  }
  const size_t wanted = static_cast<size_t>(set.spec.replicas.value_or(1));
  for (size_t i = active.size(); i < wanted; ++i) {
    if (Status created = CreatePod(client, set); !created.ok()) return created;
  }
  for (size_t i = wanted; i < active.size(); ++i) {
    if (Status gone = client.Delete<Pod>(api::NameOf(active[i]->metadata)); !gone.ok()) return gone;
  }
  return Status::Ok();
}

class OwnWritesTest : public ::testing::Test {
 protected:
  OwnWritesTest() : cluster_({.with_kubelet = false}) {
    reconcile = [this](const Client& client, const ReplicaSet& set,
                       const std::vector<std::shared_ptr<const Pod>>& pods) {
      ++reconciles_;
      if (lags_from_now_) cluster_.faults().SetLagging(true);
      return KeepPods(client, set, pods);
    };
    cluster_.Load(SetUpPodKeeper);
    cluster_.RunUntilIdle();
  }
  ~OwnWritesTest() override { reconcile = nullptr; }

  void CreateSet(int replicas) {
    cluster_.CreateJson(
        R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web"},"spec":{)"
        R"("selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},)"
        R"("spec":{"containers":[{"name":"main","image":"example.com/main"}]}},"replicas":)" +
        std::to_string(replicas) + "}}");
    cluster_.RunUntilIdle();
  }
  void Scale(int replicas) {
    cluster_.Patch<ReplicaSet>("web", R"({"spec":{"replicas":)" + std::to_string(replicas) + "}}");
    cluster_.RunUntilIdle();
  }
  // From the next reconcile on the watches are silent, until the second call.
  void Lag() { lags_from_now_ = true; }
  void EndLag() {
    lags_from_now_ = false;
    cluster_.faults().SetLagging(false);
    cluster_.AdvanceBy(std::chrono::seconds(10));
  }
  size_t Pods() { return cluster_.List<Pod>().size(); }
  // How many requests of this method the faults let pass or not, "POST" for one.
  void CountRequests(std::string_view method, int& count) {
    cluster_.faults()
        .On({.method = std::string(method), .target = std::string(kPodRequests)})
        .Do([&count](const HttpRequest&) { ++count; });
  }

  testing::FakeCluster cluster_;
  int reconciles_ = 0;
  bool lags_from_now_ = false;
};

TEST_F(OwnWritesTest, WhatWasCreatedIsNotCreatedAgainWhileTheWatchesAreSilent) {
  Lag();
  CreateSet(2);
  cluster_.AdvanceBy(std::chrono::seconds(30));
  EXPECT_EQ(reconciles_, 1) << "it comes every second, but must wait";
  EXPECT_EQ(Pods(), 2U);
  EndLag();
  EXPECT_GT(reconciles_, 1) << "the catch-up wakes it";
  EXPECT_EQ(Pods(), 2U);
}

TEST_F(OwnWritesTest, WhatWasDeletedIsNotCountedWhileTheWatchesAreSilent) {
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

TEST_F(OwnWritesTest, APatchOfTheObjectItselfIsNotRepeatedOnTheOldState) {
  int conflicts = 0;
  reconcile = [&](const Client& client, const ReplicaSet& set, const auto&) {
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

TEST_F(OwnWritesTest, ACreationWhoseAnswerWasLostIsFoundByALiveList) {
  cluster_.faults().On({.method = "POST", .target = std::string(kPodRequests)}).Nth(1).DropAfter();
  Lag();
  CreateSet(1);
  cluster_.AdvanceBy(std::chrono::seconds(30));
  EXPECT_EQ(reconciles_, 1) << "the pod exists, but is not to be seen yet";
  EXPECT_EQ(Pods(), 1U);
  EndLag();
  EXPECT_GT(reconciles_, 1);
  EXPECT_EQ(Pods(), 1U);
}

TEST_F(OwnWritesTest, ACreationThatNeverArrivedIsMadeAgain) {
  cluster_.faults().On({.method = "POST", .target = std::string(kPodRequests)}).Nth(1).Fail(500);
  CreateSet(2);
  cluster_.AdvanceBy(std::chrono::seconds(30));
  EXPECT_EQ(Pods(), 2U);
}

TEST_F(OwnWritesTest, ALiveReadThatFailsIsTriedAgainBeforeAnythingIsWritten) {
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

TEST_F(OwnWritesTest, ADeletionWhoseAnswerWasLostTakesNoOtherObjectAway) {
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

TEST_F(OwnWritesTest, ADeletionThatNeverArrivedIsMadeAgain) {
  CreateSet(4);
  cluster_.faults()
      .On({.method = "DELETE", .target = std::string(kPodRequests)})
      .Between(1, 2)
      .Fail(500);
  Scale(3);
  cluster_.AdvanceBy(std::chrono::seconds(30));
  EXPECT_EQ(Pods(), 3U);
}

TEST_F(OwnWritesTest, ADeletionThatIsRefusedHoldsNothingUp) {
  CreateSet(2);
  cluster_.faults()
      .On({.method = "DELETE", .target = std::string(kPodRequests)})
      .Between(1, 3)
      .Fail(403, "Forbidden");
  Scale(1);
  cluster_.AdvanceBy(std::chrono::seconds(30));
  EXPECT_EQ(Pods(), 1U);
}

TEST_F(OwnWritesTest, ADeletionOfWhatWasJustAdoptedIsWaitedForToo) {
  reconcile = [](const auto&, const auto&, const auto&) { return Status::Ok(); };
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
  EXPECT_FALSE(caught_up()) << "of the two writes the adoption is to be seen";
  ASSERT_TRUE(cluster_.client().Delete<Pod>(stray).ok());
  writes->Deleted(DescriptorOf<Pod>(), stray, Status::Ok());
  cluster_.RunUntilIdle();
  EXPECT_TRUE(caught_up());
  EXPECT_EQ(queue->Length(), 1U) << "the catch-up wakes whoever waits";
  informers.Stop();
}

TEST_F(OwnWritesTest, OneThatIsGoneAlreadyIsWaitedForOnly) {
  CreateSet(2);
  Lag();
  cluster_.faults()
      .On({.method = "DELETE", .target = std::string(kPodRequests)})
      .Nth(1)
      .Do([this](const HttpRequest&) {  // somebody else is faster
        for (const auto& pod : cluster_.List<Pod>()) cluster_.Delete<Pod>(pod->metadata.name);
      });
  Scale(1);
  cluster_.AdvanceBy(std::chrono::seconds(30));
  EXPECT_EQ(Pods(), 0U);
  EndLag();
  EXPECT_EQ(Pods(), 1U);
}

TEST_F(OwnWritesTest, AServerThatWentBackInTimeIsNotWaitedFor) {
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

TEST_F(OwnWritesTest, AServerThatGoesBackWhileAWriteIsWaitedForHoldsNothingUp) {
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

// As etcd's documentation advises: the content is that of the backup, the versions count on.
TEST_F(OwnWritesTest, ADeletionThatABackupUndidIsNotWaitedForForEver) {
  CreateSet(2);
  json::Value backup = json::ParseValue(cluster_.server().Save())->value;
  Lag();
  Scale(1);
  ASSERT_EQ(Pods(), 1U);
  cluster_.faults().SetDown(true);  // the deletion is never told
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
