#include "replicaset/creation_backoff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <capstan/testing/simulated_runtime.h>

#include "builders.h"

namespace capstan::replicaset {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

MonotonicTime After(Duration start) { return MonotonicTime(std::chrono::hours(1) + start); }

// The state after this number of rejected rounds, each started as soon as the previous back-off
// ended.
Rejections RoundNumber(int number) {
  std::optional<Rejections> rejections;
  MonotonicTime now = After({});
  for (int i = 0; i < number; ++i) {
    rejections = AfterRejection(rejections, TimeAt(0), now);
    now = rejections->over;
  }
  return *rejections;
}

TEST(Rejections, DoubleTheDelayPerRoundUpTo15Minutes) {
  EXPECT_EQ(RoundNumber(1).delay, seconds(1));
  EXPECT_EQ(RoundNumber(2).delay, seconds(2));
  EXPECT_EQ(RoundNumber(10).delay, seconds(512));
  EXPECT_EQ(RoundNumber(11).delay, minutes(15));
  EXPECT_EQ(RoundNumber(1'000).delay, minutes(15));
}

TEST(Rejections, CountOncePerRound) {
  Rejections rejections = AfterRejection(std::nullopt, TimeAt(0), After({}));
  for (int i = 1; i < 500; ++i) {
    rejections = AfterRejection(rejections, TimeAt(0), After(milliseconds(i)));
  }
  EXPECT_EQ(rejections.delay, seconds(1));
  EXPECT_EQ(rejections.over, After(seconds(1)));
  EXPECT_EQ(rejections.pods, 500);
  rejections = AfterRejection(rejections, TimeAt(0), After(seconds(1)));
  EXPECT_EQ(rejections.delay, seconds(2));
  EXPECT_EQ(rejections.pods, 1) << "the others may be replaced";
}

TEST(Rejections, HoldBackTheRejectedNumberOfPodsUntilTheRoundEnds) {
  Rejections rejections = AfterRejection(std::nullopt, TimeAt(0), After({}));
  rejections = AfterRejection(rejections, TimeAt(0), After(milliseconds(100)));
  const Hold hold = HoldAt(rejections, After(milliseconds(300)));
  EXPECT_EQ(hold.pods, 2);
  EXPECT_EQ(hold.wait, milliseconds(700));
  EXPECT_EQ(HoldAt(rejections, After(seconds(1))).pods, 0);
  EXPECT_EQ(HoldAt(rejections, After(minutes(5))).pods, 0);
}

TEST(Rejections, ExpireAfterHalfAnHour) {
  const Rejections before = RoundNumber(20);
  EXPECT_FALSE(IsForgotten(before, before.over + minutes(30)));
  EXPECT_EQ(AfterRejection(before, TimeAt(0), before.over + minutes(30)).delay, minutes(15));
  const MonotonicTime later = before.over + minutes(30) + seconds(1);
  EXPECT_TRUE(IsForgotten(before, later));
  EXPECT_EQ(AfterRejection(before, TimeAt(0), later).delay, seconds(1));
}

TEST(Rejections, AreClearedByANewerReadyPod) {
  Rejections rejections = AfterRejection(std::nullopt, TimeAt(7), After({}));
  rejections = AfterRejection(rejections, TimeAt(5), After({}));
  EXPECT_FALSE(EndedBy(rejections, TimeAt(6)));
  EXPECT_FALSE(EndedBy(rejections, TimeAt(7))) << "of the same round";
  EXPECT_TRUE(EndedBy(rejections, TimeAt(8)));
  EXPECT_FALSE(EndedBy(rejections, Time()));
}

TEST(PodFacts, TreatAPodThatFailedWithoutAContainerAsRejected) {
  Pod pod = PodOf("a");
  pod.status = {};
  EXPECT_FALSE(IsRejected(pod));
  pod.status.phase = "Failed";
  EXPECT_TRUE(IsRejected(pod));
  pod.metadata.deletionTimestamp = TimeAt(0);
  EXPECT_FALSE(IsRejected(pod)) << "it was not to start any more";
  pod.metadata.deletionTimestamp = {};
  pod.status.containerStatuses = {StatusOf("c", 0)};
  EXPECT_FALSE(IsRejected(pod)) << "as an evicted pod";
}

class CreationBackoffTest : public ::testing::Test {
 protected:
  Pod Pending(const std::string& name) {
    Pod pod = PodOf(name);
    pod.metadata.creationTimestamp = Time(runtime_.clock().Now());
    pod.status = {};
    pod.status.phase = "Pending";
    return pod;
  }
  static Pod Rejected(Pod pod) {
    pod.status.phase = "Failed";
    return pod;
  }
  static Pod Ready(Pod pod) {
    pod.status = PodOf("ready").status;
    return pod;
  }
  void Reject(const std::string& name) {
    const Pod pending = Pending(name);
    const Pod rejected = Rejected(pending);
    backoff_.Observe(nullptr, &pending);
    backoff_.Observe(&pending, &rejected);
  }
  int64_t Held() const { return backoff_.HoldFor(Uid(kSetUid)).pods; }
  Duration Wait() const { return backoff_.HoldFor(Uid(kSetUid)).wait; }

  testing::SimulatedRuntime runtime_;
  MetricsRegistry metrics_;
  CreationBackoff backoff_{runtime_.clock(), metrics_};
};

TEST_F(CreationBackoffTest, DoesNotDelayAHealthyReplicaSet) {
  const Pod pending = Pending("a");
  const Pod ready = Ready(pending);
  backoff_.Observe(nullptr, &pending);
  backoff_.Observe(&pending, &ready);
  backoff_.Observe(&ready, nullptr);
  EXPECT_EQ(Held(), 0);
}

TEST_F(CreationBackoffTest, DelaysTheReplacementOfRejectedPods) {
  Reject("a");
  Reject("b");
  EXPECT_EQ(Held(), 2);
  EXPECT_EQ(Wait(), seconds(1));
  EXPECT_EQ(backoff_.HoldFor("another-uid").pods, 0);
  EXPECT_THAT(metrics_.Serialize(), HasSubstr("capstan_replicaset_rejected_pods_total 2"));
}

TEST_F(CreationBackoffTest, CountsARejectedPodOnce) {
  Reject("a");
  runtime_.AdvanceBy(seconds(10));
  const Pod rejected = Rejected(Pending("a"));
  Pod labelled = rejected;
  labelled.metadata.labels = {{"app", "web"}, {"seen", "yes"}};
  for (int i = 0; i < 100; ++i) {
    backoff_.Observe(&rejected, &labelled);
    backoff_.Observe(&labelled, &rejected);
  }
  backoff_.Observe(&rejected, nullptr);
  EXPECT_EQ(Held(), 0);
  Reject("b");
  EXPECT_EQ(Wait(), seconds(2));
}

TEST_F(CreationBackoffTest, CountsAPodThatIsFirstSeenRejected) {
  const Pod rejected = Rejected(Pending("a"));
  backoff_.Observe(nullptr, &rejected);
  EXPECT_EQ(Held(), 1);
  Pod successor = rejected;
  successor.metadata.uid = "successor";
  backoff_.Observe(&rejected, &successor);
  EXPECT_EQ(Held(), 2) << "another of its name";
}

TEST_F(CreationBackoffTest, IgnoresPodsThatFailedAfterTheyRan) {
  const Pod ready = Ready(Pending("a"));
  Pod failed = Rejected(ready);
  failed.status.containerStatuses = {StatusOf("c", 0)};
  backoff_.Observe(&ready, &failed);
  EXPECT_EQ(Held(), 0);
}

TEST_F(CreationBackoffTest, IgnoresPodsOfOtherOwners) {
  Pod orphan = Rejected(Pending("a"));
  orphan.metadata.ownerReferences = {};
  backoff_.Observe(nullptr, &orphan);
  Pod other = Rejected(Pending("b"));
  other.metadata.ownerReferences[0].kind = "StatefulSet";
  backoff_.Observe(nullptr, &other);
  EXPECT_EQ(Held(), 0);
}

TEST_F(CreationBackoffTest, IsNotResetByReadinessChangesOfAnOldPod) {
  const Pod old = Ready(Pending("old"));
  runtime_.AdvanceBy(seconds(5));
  Reject("a");
  runtime_.AdvanceBy(seconds(5));
  const Pod unready = Pending("old");
  backoff_.Observe(&unready, &old);
  Reject("b");
  EXPECT_EQ(Wait(), seconds(2));
}

TEST_F(CreationBackoffTest, IsResetByANewReadyPod) {
  Reject("a");
  runtime_.AdvanceBy(seconds(5));
  Reject("b");
  EXPECT_EQ(Wait(), seconds(2));
  runtime_.AdvanceBy(seconds(1));
  const Pod ready = Ready(Pending("c"));
  backoff_.Observe(nullptr, &ready);
  EXPECT_EQ(Held(), 0);
  Reject("d");
  EXPECT_EQ(Wait(), seconds(1));
}

TEST_F(CreationBackoffTest, IgnoresOldRejectionsAtStart) {
  Pod pod = Rejected(Pending("a"));
  pod.metadata.creationTimestamp = Time(runtime_.clock().Now() - minutes(31));
  backoff_.Observe(nullptr, &pod);
  EXPECT_EQ(Held(), 0);
  pod.metadata.creationTimestamp = Time(runtime_.clock().Now() - minutes(29));
  backoff_.Observe(nullptr, &pod);
  EXPECT_EQ(Held(), 1);
}

TEST_F(CreationBackoffTest, HandlesOutOfRangeTimes) {
  for (const Time created : {Time(), Time::FromSeconds(0), Time::FromSeconds(-62'135'596'800),
                             Time::FromSeconds(253'402'300'799)}) {
    Pod pod = Rejected(Pending("a"));
    pod.metadata.creationTimestamp = created;
    backoff_.Observe(nullptr, &pod);
  }
  EXPECT_EQ(Held(), 2) << "of an unknown time, and of one to come";
}

TEST_F(CreationBackoffTest, ForgetsADeletedReplicaSet) {
  Reject("a");
  backoff_.Forget(Uid(kSetUid));
  EXPECT_EQ(Held(), 0);
  Reject("b");
  EXPECT_EQ(Wait(), seconds(1));
}

}  // namespace
}  // namespace capstan::replicaset
