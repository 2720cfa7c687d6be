#include "replicaset/expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/testing/simulated_runtime.h>

#include "builders.h"
#include "replicaset/pod_events.h"

namespace capstan::replicaset {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ExpectationsTest : public ::testing::Test {
 protected:
  testing::SimulatedRuntime runtime_;
  Expectations expectations_{runtime_.clock()};
  const Uid set_{kSetUid};
  std::vector<NamespacedName> keys_;
};

TEST_F(ExpectationsTest, AreFulfilledWhenAllCreationsAreSeen) {
  EXPECT_FALSE(expectations_.Pending(set_));
  expectations_.ExpectCreations(set_, 3);
  EXPECT_TRUE(expectations_.CreationObserved(set_));
  EXPECT_TRUE(expectations_.Pending(set_));
  EXPECT_TRUE(expectations_.CreationObserved(set_, 2));
  EXPECT_FALSE(expectations_.Pending(set_));
  EXPECT_FALSE(expectations_.CreationObserved(set_));
}

TEST_F(ExpectationsTest, TickDeletionsOffByUidOnce) {
  expectations_.ExpectDeletions(set_, {"a", "b"});
  EXPECT_TRUE(expectations_.DeletionObserved(set_, "a"));
  EXPECT_FALSE(expectations_.DeletionObserved(set_, "a"));
  EXPECT_FALSE(expectations_.DeletionObserved(set_, "c"));
  EXPECT_TRUE(expectations_.Pending(set_));
  EXPECT_TRUE(expectations_.DeletionObserved(set_, "b"));
  EXPECT_FALSE(expectations_.Pending(set_));
}

TEST_F(ExpectationsTest, AreGivenUpAfterFiveMinutes) {
  expectations_.ExpectCreations(set_, 1);
  runtime_.AdvanceBy(std::chrono::seconds(299));
  EXPECT_EQ(expectations_.Pending(set_), Duration(std::chrono::seconds(1)));
  runtime_.AdvanceBy(std::chrono::seconds(1));
  EXPECT_FALSE(expectations_.Pending(set_));
}

TEST_F(ExpectationsTest, AreGivenUpEarlierWhenTheyMayNeverCome) {
  expectations_.ExpectCreations(set_, 1);
  expectations_.ExpectNoLongerThan(set_, std::chrono::seconds(5));
  EXPECT_EQ(expectations_.Pending(set_), Duration(std::chrono::seconds(5)));
}

TEST_F(ExpectationsTest, AreForgottenWithTheReplicaSet) {
  expectations_.ExpectDeletions(set_, {"a"});
  expectations_.Forget(set_);
  EXPECT_FALSE(expectations_.Pending(set_));
}

TEST_F(ExpectationsTest, WakeTheReplicaSetWhenAPodAppears) {
  expectations_.ExpectCreations(set_, 1);
  const Pod pod = PodOf("a");
  ObservePod(nullptr, &pod, expectations_, keys_);
  EXPECT_FALSE(expectations_.Pending(set_));
  EXPECT_THAT(keys_, ElementsAre(NamespacedName{"default", "web"}));
}

TEST_F(ExpectationsTest, TakeADeletionTimestampForADeletion) {
  const Pod before = PodOf("a");
  Pod after = before;
  after.metadata.deletionTimestamp = TimeAt(0);
  expectations_.ExpectDeletions(set_, {before.metadata.uid});
  ObservePod(&before, &after, expectations_, keys_);
  EXPECT_FALSE(expectations_.Pending(set_));
  ObservePod(&after, nullptr, expectations_, keys_);
  EXPECT_THAT(keys_, ElementsAre(NamespacedName{"default", "web"}));
}

TEST_F(ExpectationsTest, TakeAPodThatIsGivenAwayForADeletion) {
  const Pod before = PodOf("a");
  Pod after = before;
  after.metadata.ownerReferences = {};
  expectations_.ExpectDeletions(set_, {before.metadata.uid});
  ObservePod(&before, &after, expectations_, keys_);
  EXPECT_FALSE(expectations_.Pending(set_));
}

TEST_F(ExpectationsTest, TakeAnotherPodOfTheSameNameForBoth) {
  const Pod before = PodOf("a");
  Pod after = before;
  after.metadata.uid = "another";
  expectations_.ExpectDeletions(set_, {before.metadata.uid});
  ObservePod(&before, &after, expectations_, keys_);
  EXPECT_FALSE(expectations_.Pending(set_));
  expectations_.ExpectCreations(set_, 1);
  ObservePod(&before, &after, expectations_, keys_);
  EXPECT_FALSE(expectations_.Pending(set_));
}

TEST_F(ExpectationsTest, DoNotCareForUpdatesOrAdoptedPods) {
  expectations_.ExpectCreations(set_, 1);
  Pod orphan = PodOf("a");
  orphan.metadata.ownerReferences = {};
  const Pod adopted = PodOf("a");
  ObservePod(&orphan, &adopted, expectations_, keys_);
  ObservePod(&adopted, &adopted, expectations_, keys_);
  ObservePod(nullptr, &orphan, expectations_, keys_);
  EXPECT_TRUE(expectations_.Pending(set_));
  EXPECT_THAT(keys_, IsEmpty());
}

class Orphans : public ::testing::Test {
 protected:
  Orphans() {
    Add("web", {{"app", "web"}});
    Add("web-too", {{"app", "web"}});
    Add("db", {{"app", "db"}});
    Add("everything", {});
    orphan_.metadata.ownerReferences = {};
  }
  void Add(std::string_view name, StringMap labels) {
    ReplicaSet set = SetOf(1);
    set.metadata.name = std::string(name);
    set.spec.selector.matchLabels = std::move(labels);
    store_->Put(std::make_shared<ReplicaSet>(std::move(set)));
  }
  std::vector<std::string> WokenBy(const Pod* before, const Pod* after) {
    std::vector<NamespacedName> keys;
    WakeAdopters(before, after, Lister<ReplicaSet>(store_), keys);
    std::vector<std::string> names;
    for (const NamespacedName& key : keys) names.push_back(key.name);
    std::sort(names.begin(), names.end());
    return names;
  }

  std::shared_ptr<Indexer> store_ = std::make_shared<Indexer>(DescriptorOf<ReplicaSet>());
  Pod orphan_ = PodOf("a");
};

TEST_F(Orphans, WakeEveryReplicaSetThatMatches) {
  EXPECT_THAT(WokenBy(nullptr, &orphan_), ElementsAre("web", "web-too"));
}

TEST_F(Orphans, WakeNobodyWhenNothingOfInterestChanged) {
  Pod changed = orphan_;
  changed.status.phase = "Pending";
  EXPECT_THAT(WokenBy(&orphan_, &changed), IsEmpty());
  changed.metadata.labels = {{"app", "db"}};
  EXPECT_THAT(WokenBy(&orphan_, &changed), ElementsAre("db"));
}

TEST_F(Orphans, WakeAdoptersWhenTheirOwnerLetsThemGo) {
  const Pod owned = PodOf("a");
  EXPECT_THAT(WokenBy(&owned, &orphan_), ElementsAre("web", "web-too"));
}

TEST_F(Orphans, WakeNobodyWhenOwnedOrGoing) {
  const Pod owned = PodOf("a");
  EXPECT_THAT(WokenBy(nullptr, &owned), IsEmpty());
  EXPECT_THAT(WokenBy(&orphan_, nullptr), IsEmpty());
  orphan_.metadata.deletionTimestamp = TimeAt(0);
  EXPECT_THAT(WokenBy(nullptr, &orphan_), IsEmpty());
}

}  // namespace
}  // namespace capstan::replicaset
