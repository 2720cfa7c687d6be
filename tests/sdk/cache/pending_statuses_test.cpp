#include <capstan/cache/pending_statuses.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <capstan/api/apps_v1.h>

namespace capstan {
namespace {

using api::apps::v1::ReplicaSet;
using api::apps::v1::ReplicaSetStatus;
using std::chrono::milliseconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using SetPtr = std::shared_ptr<const ReplicaSet>;

class PendingStatusesTest : public ::testing::Test {
 protected:
  SetPtr Stored(const std::string& name, int32_t available, const std::string& uid = "") {
    auto set = std::make_shared<ReplicaSet>();
    set->metadata.namespace_ = "ns";
    set->metadata.name = name;
    set->metadata.uid = Uid(uid.empty() ? name + "-uid" : uid);
    set->status.availableReplicas = available;
    indexer_.Put(set);
    return set;
  }
  static ReplicaSetStatus Available(int32_t count) {
    ReplicaSetStatus status;
    status.availableReplicas = count;
    return status;
  }
  int32_t LatestOf(const SetPtr& set) { return reader_.Latest(set)->status.availableReplicas; }

  Indexer indexer_{DescriptorOf<ReplicaSet>()};
  std::atomic<int> announced_ = 0;
  PendingStatusStore store_{indexer_, [this] { ++announced_; }};
  StatusPublisher<ReplicaSet> publisher_{store_};
  const PendingStatuses<ReplicaSet> reader_{store_};
};

TEST_F(PendingStatusesTest, WithoutAPublicationLatestReturnsTheCachedObject) {
  const SetPtr set = Stored("a", 1);
  EXPECT_EQ(reader_.Latest(set), set);
  EXPECT_EQ(reader_.Latest(nullptr), nullptr);
}

TEST_F(PendingStatusesTest, APublishedStatusReplacesTheCachedStatus) {
  const SetPtr set = Stored("a", 1);
  publisher_.Publish(set, Available(2));
  EXPECT_EQ(LatestOf(set), 2);
  EXPECT_EQ(set->status.availableReplicas, 1);
  publisher_.Publish(set, Available(3));
  EXPECT_EQ(LatestOf(set), 3);
  EXPECT_EQ(store_.size(), 1U);
}

TEST_F(PendingStatusesTest, LatestReturnsTheOtherFieldsFromTheCache) {
  publisher_.Publish(Stored("a", 1), Available(2));
  auto scaled = std::make_shared<ReplicaSet>(*Stored("a", 1));
  scaled->metadata.resourceVersion = "7";
  scaled->spec.replicas = 5;
  const SetPtr latest = reader_.Latest(scaled);
  EXPECT_EQ(latest->metadata.resourceVersion, "7");
  EXPECT_EQ(latest->spec.replicas, 5);
  EXPECT_EQ(latest->status.availableReplicas, 2);
}

TEST_F(PendingStatusesTest, AStatusInTheCacheIsNoLongerPending) {
  publisher_.Publish(Stored("a", 1), Available(2));
  const SetPtr written = Stored("a", 2);
  EXPECT_EQ(reader_.Latest(written), written);
  publisher_.Publish(written, Available(2));
  EXPECT_EQ(store_.size(), 0U);
  EXPECT_THAT(store_.TakeAnnouncements(), IsEmpty());
}

TEST_F(PendingStatusesTest, AWithdrawnStatusIsNoLongerPending) {
  const SetPtr set = Stored("a", 1);
  publisher_.Publish(set, Available(2));
  publisher_.Withdraw(set);
  EXPECT_EQ(reader_.Latest(set), set);
}

// E.g. a status whose write failed before it changed back. Its owner has read it.
TEST_F(PendingStatusesTest, AWithdrawalIsAnnounced) {
  const SetPtr set = Stored("a", 1);
  publisher_.Publish(set, Available(2));
  store_.TakeAnnouncements();
  publisher_.Publish(set, Available(1));
  EXPECT_EQ(announced_, 2);
  const auto announcements = store_.TakeAnnouncements();
  ASSERT_THAT(announcements, SizeIs(1));
  const auto& before = *static_cast<const ReplicaSet*>(announcements[0].before.get());
  EXPECT_EQ(before.status.availableReplicas, 2);
  EXPECT_EQ(announcements[0].after, set);
}

TEST_F(PendingStatusesTest, ADestroyedPublisherWithdrawsItsStatuses) {
  const SetPtr a = Stored("a", 1);
  const SetPtr b = Stored("b", 1);
  publisher_.Publish(b, Available(3));
  {
    StatusPublisher<ReplicaSet> other(store_);
    other.Publish(a, Available(2));
    EXPECT_EQ(LatestOf(a), 2);
  }
  EXPECT_EQ(LatestOf(a), 1);
  EXPECT_EQ(LatestOf(b), 3) << "another publisher's";
  const auto announcements = store_.TakeAnnouncements();
  ASSERT_THAT(announcements, SizeIs(2));
  EXPECT_EQ(announcements[0].after, a);
}

TEST_F(PendingStatusesTest, ForgetRemovesTheStatusOfADeletedObject) {
  const SetPtr set = Stored("a", 1);
  publisher_.Publish(set, Available(2));
  indexer_.Delete({"ns", "a"});
  store_.Forget(set->metadata.uid);
  EXPECT_EQ(store_.size(), 0U);
}

TEST_F(PendingStatusesTest, NothingIsPublishedForADeletedObject) {
  const SetPtr set = Stored("a", 1);
  Stored("a", 0, "another-uid");
  publisher_.Publish(set, Available(2));
  EXPECT_EQ(store_.size(), 0U);
  EXPECT_EQ(announced_, 0);
}

TEST_F(PendingStatusesTest, AnAnnouncementHasTheObjectBeforeAndAfter) {
  const SetPtr set = Stored("a", 1);
  publisher_.Publish(set, Available(2), milliseconds(50));
  EXPECT_EQ(announced_, 1);
  const auto announcements = store_.TakeAnnouncements();
  ASSERT_THAT(announcements, SizeIs(1));
  EXPECT_EQ(announcements[0].before, set);
  const auto& after = *static_cast<const ReplicaSet*>(announcements[0].after.get());
  EXPECT_EQ(after.metadata.name, "a");
  EXPECT_EQ(after.status.availableReplicas, 2);
  EXPECT_EQ(announcements[0].wake_after, Duration(milliseconds(50)));
  EXPECT_THAT(store_.TakeAnnouncements(), IsEmpty());
}

TEST_F(PendingStatusesTest, AnUnchangedStatusIsNotAnnouncedAgain) {
  const SetPtr set = Stored("a", 1);
  publisher_.Publish(set, Available(2));
  publisher_.Publish(set, Available(2));
  EXPECT_EQ(announced_, 1);
}

TEST_F(PendingStatusesTest, TheLastOfSeveralPublicationsIsAnnouncedWithTheShortestDelay) {
  const SetPtr set = Stored("a", 1);
  publisher_.Publish(set, Available(2));
  publisher_.Publish(set, Available(3), milliseconds(50));
  const auto announcements = store_.TakeAnnouncements();
  ASSERT_THAT(announcements, SizeIs(1));
  EXPECT_EQ(static_cast<const ReplicaSet*>(announcements[0].after.get())->status.availableReplicas,
            3);
  EXPECT_EQ(announcements[0].wake_after, Duration::zero());
}

TEST_F(PendingStatusesTest, AFullStoreAcceptsNoNewObject) {
  std::vector<SetPtr> sets;
  for (size_t i = 0; i <= kMostPendingStatuses; ++i) {
    sets.push_back(Stored("set-" + std::to_string(i), 1));
    publisher_.Publish(sets.back(), Available(2));
  }
  EXPECT_EQ(store_.size(), kMostPendingStatuses);
  EXPECT_EQ(reader_.Latest(sets.back()), sets.back());
  publisher_.Publish(sets.front(), Available(3));
  EXPECT_EQ(LatestOf(sets.front()), 3);
  publisher_.Withdraw(sets.front());
  publisher_.Publish(sets.back(), Available(2));
  EXPECT_EQ(LatestOf(sets.back()), 2);
}

// For ThreadSanitizer: publishers, a reader and the informer's thread at once.
TEST_F(PendingStatusesTest, ThreadsMayPublishReadAndDeleteConcurrently) {
  constexpr int kObjects = 8;
  constexpr int kSteps = 2'000;
  std::vector<SetPtr> sets;
  for (int i = 0; i < kObjects; ++i) sets.push_back(Stored("set-" + std::to_string(i), 0));
  const auto publish = [&](int first) {
    StatusPublisher<ReplicaSet> own(store_);
    for (int step = 1; step <= kSteps; ++step) {
      const SetPtr& set = sets[static_cast<size_t>(first + 2 * (step % (kObjects / 2)))];
      own.Publish(set, Available(step));
      if (step % 7 == 0) own.Withdraw(set);
    }
  };
  std::vector<std::thread> threads;
  threads.emplace_back(publish, 0);
  threads.emplace_back(publish, 1);
  threads.emplace_back([&] {
    for (int step = 0; step < kSteps; ++step) {
      for (const SetPtr& set : sets) EXPECT_GE(LatestOf(set), 0);
    }
  });
  threads.emplace_back([&] {
    for (int step = 0; step < kSteps; ++step) {
      store_.TakeAnnouncements();
      indexer_.Delete({"ns", "set-0"});
      store_.Forget(sets[0]->metadata.uid);
      indexer_.Put(sets[0]);
    }
  });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store_.size(), 0U) << "the publishers are gone";
}

}  // namespace
}  // namespace capstan
