// A new leader learns which versions its caches need, and reads little else live.

#include <capstan/controller/live_versions.h>

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
#include "support/scripted_transport.h"

#include <capstan/testing/fake_cluster.h>
#include <capstan/testing/simulated_runtime.h>

namespace capstan {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::NewLeader;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

constexpr char kFirstReads[] = "*/pods?*limit=1*";

class LiveVersionsTest : public ::testing::Test {
 protected:
  LiveVersionsTest() : cluster_({.with_kubelet = false}) {
    create_missing_pods = CreateMissingPods;
    cluster_.CreateJson(ReplicaSetJson("web", 2));
    CreatePods(2);
    leader_.emplace(cluster_);
  }
  ~LiveVersionsTest() override {
    leader_.reset();
    create_missing_pods = nullptr;
  }

  testing::FaultInjector& faults() { return leader_->faults(); }
  void CreatePods(int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(CreatePod(cluster_.client(), *cluster_.Get<ReplicaSet>("web")).ok());
    }
  }
  // The informer of the pods gets its changes late. No other watch does.
  void DelayTheInformer() {
    faults().OnWatch({.target = "*/pods?*sendInitialEvents=true*"}).Fail(422);
    faults().OnWatch({.target = "*/pods?*"}).Nth(2).Delay(seconds(30));
  }
  void StandBy() {
    leader_->StandBy<ReplicaSet, Pod>();
    faults().On({.method = "GET"}).Do([this](const HttpRequest& request) {
      reads_.push_back(request.target);
    });
  }
  void Lead() { leader_->Lead(SetUpPodController, {.learns_live_versions = true}); }
  std::optional<uint64_t> Needed() { return leader_->live_versions().Needed(Informer()); }
  SharedInformer& Informer() { return leader_->informers().InformerFor<Pod>(); }
  size_t Pods() { return cluster_.List<Pod>().size(); }
  // The version of the newest pod.
  uint64_t NewestPod() {
    uint64_t newest = 0;
    for (const auto& pod : cluster_.List<Pod>()) {
      newest = std::max<uint64_t>(newest, std::stoull(pod->metadata.resourceVersion));
    }
    return newest;
  }
  // A change of another type moves the version of the server.
  void ChangeOtherObjects() {
    cluster_.CreateJson(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"other"}})");
    cluster_.RunUntilIdle();
  }

  testing::FakeCluster cluster_;
  std::vector<std::string> reads_;  // since it is a standby
  std::optional<NewLeader> leader_;
};

TEST_F(LiveVersionsTest, AnIdleTermCostsAtMostTwoReadsForEachType) {
  StandBy();
  ChangeOtherObjects();
  Lead();
  cluster_.AdvanceBy(seconds(30));
  const auto list = [](const char* resource) {
    return AllOf(HasSubstr(resource), HasSubstr("limit=1"), Not(HasSubstr("watch=")));
  };
  const auto watch = [](const char* resource) {
    return AllOf(HasSubstr(resource), EndsWith("timeoutSeconds=3"), HasSubstr("watch="));
  };
  EXPECT_THAT(reads_, UnorderedElementsAre(list("/pods?"), list("/replicasets?"), watch("/pods?"),
                                           watch("/replicasets?")));
}

TEST_F(LiveVersionsTest, ACurrentCacheNeedsNoOtherReads) {
  for (int i = 0; i < 20; ++i) cluster_.CreateJson(ReplicaSetJson("set-" + std::to_string(i), 0));
  StandBy();
  ChangeOtherObjects();
  Lead();
  cluster_.AdvanceBy(seconds(5));
  reads_.clear();
  for (int i = 0; i < 20; ++i) {
    cluster_.Patch<ReplicaSet>("set-" + std::to_string(i), R"({"spec":{"replicas":2}})");
  }
  cluster_.AdvanceBy(seconds(5));
  EXPECT_EQ(Pods(), 42U);
  EXPECT_THAT(reads_, IsEmpty());
}

TEST_F(LiveVersionsTest, WritesAtTheBeginningOfTheTermAreConfirmedByReads) {
  StandBy();
  ChangeOtherObjects();
  cluster_.Patch<ReplicaSet>("web", R"({"spec":{"replicas":3}})");
  Lead();
  EXPECT_EQ(Pods(), 3U) << "it does not wait for the version";
  EXPECT_THAT(reads_, ::testing::Contains(HasSubstr("/namespaces/default/pods?")));
}

TEST_F(LiveVersionsTest, AnEventThatIsNewEnoughIsSufficient) {
  StandBy();
  ChangeOtherObjects();
  faults().OnWatch({.target = "*timeoutSeconds=3"}).Fail(500);
  Lead();
  cluster_.AdvanceBy(seconds(5));
  EXPECT_GT(*Needed(), std::stoull(Informer().LastSyncResourceVersion()));
  const std::string label = R"({"metadata":{"labels":{"changed":"yes"}}})";
  cluster_.Patch<Pod>(cluster_.List<Pod>().front()->metadata.name, label);
  cluster_.Patch<ReplicaSet>("web", label);
  cluster_.AdvanceBy(seconds(5));
  reads_.clear();
  cluster_.Patch<ReplicaSet>("web", R"({"spec":{"replicas":4}})");
  cluster_.AdvanceBy(seconds(5));
  EXPECT_EQ(Pods(), 4U);
  EXPECT_THAT(reads_, IsEmpty());
}

TEST_F(LiveVersionsTest, ACacheWithTheLastChangeIsCurrent) {
  StandBy();
  ChangeOtherObjects();
  const uint64_t applied = std::stoull(Informer().LastSyncResourceVersion());
  Lead();
  EXPECT_GT(*Needed(), applied);
  cluster_.AdvanceBy(seconds(5));
  EXPECT_EQ(Needed(), applied);
}

TEST_F(LiveVersionsTest, ACacheWithoutTheLastChangeIsNotCurrent) {
  DelayTheInformer();
  StandBy();
  CreatePods(2);
  ChangeOtherObjects();
  Lead();
  cluster_.AdvanceBy(seconds(5));
  EXPECT_EQ(Needed(), NewestPod());
  EXPECT_LT(std::stoull(Informer().LastSyncResourceVersion()), NewestPod());
}

TEST_F(LiveVersionsTest, AChangeAfterTheReadIsNotNeeded) {
  DelayTheInformer();
  StandBy();
  ChangeOtherObjects();
  const uint64_t applied = std::stoull(Informer().LastSyncResourceVersion());
  Lead();
  const std::optional<uint64_t> read = Needed();
  CreatePods(1);
  cluster_.AdvanceBy(seconds(5));
  EXPECT_GT(*read, applied);
  EXPECT_EQ(Needed(), read) << "the change came before a bookmark, so less is not known";
}

TEST_F(LiveVersionsTest, ABookmarkOfALaggingServerProvesNothing) {
  StandBy();
  ChangeOtherObjects();
  faults().SetLagging(true);
  CreatePods(1);
  Lead();
  const std::optional<uint64_t> read = Needed();
  cluster_.AdvanceBy(seconds(30));
  EXPECT_GE(*read, NewestPod());
  EXPECT_EQ(Needed(), read);
}

TEST_F(LiveVersionsTest, AFailedReadIsRepeated) {
  StandBy();
  faults().On({.method = "GET", .target = kFirstReads}).Between(1, 2).Fail(403);
  Lead();
  EXPECT_EQ(Needed(), std::nullopt);
  cluster_.AdvanceBy(seconds(30));
  EXPECT_NE(Needed(), std::nullopt);
}

TEST_F(LiveVersionsTest, AServerWithAnOlderStateTellsNothing) {
  const std::string saved = cluster_.server().Save();
  CreatePods(3);
  StandBy();
  faults().SetLagging(true);
  ASSERT_TRUE(cluster_.server().Restore(saved).ok());
  Lead();
  cluster_.AdvanceBy(seconds(30));
  EXPECT_EQ(Needed(), std::nullopt);
}

TEST_F(LiveVersionsTest, EachInformerIsReadOnce) {
  StandBy();
  ChangeOtherObjects();
  leader_->Lead(SetUpPodController, {.learns_live_versions = true, .name = "first"});
  leader_->Lead(SetUpPodController, {.learns_live_versions = true, .name = "second"});
  cluster_.AdvanceBy(seconds(30));
  EXPECT_EQ(reads_.size(), 4U);
}

// A cache that has applied version 50, and a server whose version is `live`.
class ScriptedLiveVersionsTest : public ::testing::Test {
 protected:
  void Learn(const std::string& live, const std::string& applied = "50") {
    transport_->OnEvery("GET", "*sendInitialEvents=true*",
                        [](const HttpRequest&) { return testing::StatusAnswer(422, "Invalid"); });
    transport_->On("GET", "/api/v1/pods?limit=1", testing::JsonAnswer(200, ListJson(live)));
    transport_->On("GET", "/api/v1/pods?limit=500&resourceVersion=0",
                   testing::JsonAnswer(200, ListJson(applied)));
    short_watch_ = transport_->OnWatch("*&resourceVersion=*timeoutSeconds=3");
    informers_watch_ = transport_->OnWatch("*allowWatchBookmarks=true&resourceVersion=*");
    informer_.Start();
    runtime_.RunUntilIdle();
    if (!versions_) versions_.emplace(client_, runtime_);
    versions_->Learn(informer_);
    runtime_.RunUntilIdle();
  }
  static std::string ListJson(const std::string& version) {
    return R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" + version +
           R"("},"items":[]})";
  }
  void Send(const char* type, const std::string& version) {
    short_watch_->SendEvent(type, R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a",)"
                                  R"("namespace":"ns","uid":"u","resourceVersion":")" +
                                      version + R"("}})");
    runtime_.RunUntilIdle();
  }
  std::optional<uint64_t> Needed() const { return versions_->Needed(informer_); }

  testing::SimulatedRuntime runtime_{1};
  std::shared_ptr<testing::ScriptedTransport> transport_ =
      std::make_shared<testing::ScriptedTransport>(runtime_);
  Client client_{transport_, runtime_, {.qps = 0}};
  SharedInformer informer_{client_, DescriptorOf<Pod>(), {}, runtime_, Duration::zero()};
  std::shared_ptr<testing::ScriptedWatch> short_watch_, informers_watch_;
  std::optional<LiveVersions> versions_;
};

TEST_F(ScriptedLiveVersionsTest, ABookmarkOlderThanTheReadProvesNothing) {
  Learn("100");
  Send("BOOKMARK", "99");
  EXPECT_EQ(Needed(), 100U);
  Send("BOOKMARK", "100");
  EXPECT_EQ(Needed(), 50U);
}

TEST_F(ScriptedLiveVersionsTest, TheLastChangeBeforeTheBookmarkIsNeeded) {
  Learn("100");
  for (const char* version : {"60", "70"}) Send("MODIFIED", version);
  Send("DELETED", "80");
  EXPECT_EQ(Needed(), 100U) << "more changes may come";
  Send("BOOKMARK", "120");
  EXPECT_EQ(Needed(), 80U);
}

TEST_F(ScriptedLiveVersionsTest, WithoutABookmarkTheVersionOfTheReadIsNeeded) {
  Learn("100");
  Send("MODIFIED", "60");
  short_watch_->End();
  runtime_.AdvanceBy(seconds(30));
  EXPECT_EQ(Needed(), 100U);
}

TEST_F(ScriptedLiveVersionsTest, AVersionThatIsNotANumberTellsNothing) {
  Learn("a100");
  EXPECT_EQ(Needed(), std::nullopt);
  EXPECT_EQ(transport_->Count("GET", "*timeoutSeconds=3"), 0U);
}

TEST_F(ScriptedLiveVersionsTest, ACacheThatIsBeingFilledNeedsNoWatch) {
  transport_->On("GET", "/api/v1/pods?limit=1", testing::JsonAnswer(200, ListJson("100")));
  versions_.emplace(client_, runtime_);
  versions_->Learn(informer_);
  runtime_.RunUntilIdle();
  Learn("100");
  EXPECT_EQ(Needed(), 100U);
  EXPECT_EQ(transport_->Count("GET", "*timeoutSeconds=3"), 0U);
}

TEST_F(ScriptedLiveVersionsTest, ACacheThatHasTheVersionNeedsNoWatch) {
  Learn("50");
  EXPECT_EQ(Needed(), 50U);
  EXPECT_EQ(transport_->Count("GET", "*timeoutSeconds=3"), 0U);
}

}  // namespace
}  // namespace capstan
