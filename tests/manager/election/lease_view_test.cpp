#include "election/lease_view.h"

#include <chrono>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace capstan::manager {
namespace {

using namespace std::chrono_literals;

class LeaseViews : public ::testing::Test {
 protected:
  static LeaseView::LeasePtr HeldBy(const std::string& holder, const std::string& version,
                                    int renewal = 0) {
    LeaseView::Lease lease;
    lease.metadata.resourceVersion = version;
    lease.spec.holderIdentity = holder;
    lease.spec.leaseDurationSeconds = 20;
    lease.spec.renewTime = api::MicroTime::FromMicroseconds(renewal);
    return std::make_shared<const LeaseView::Lease>(lease);
  }
  bool Observe(const LeaseView::LeasePtr& lease, MonotonicTime now) {
    return view_.Observe(lease, lease->metadata.resourceVersion, now);
  }

  const MonotonicTime start_ = MonotonicTime(1h);
  LeaseView view_{"me", 15s};
};

TEST_F(LeaseViews, TheTermOfAnotherHolderStartsWhenItsRenewalIsObserved) {
  view_.Learn(HeldBy("other", "9"), view_.revision(), start_);
  EXPECT_EQ(view_.free_at(), start_ + 20s);
  EXPECT_TRUE(Observe(HeldBy("other", "10", 1), start_ + 5s));
  EXPECT_EQ(view_.free_at(), start_ + 25s);
}

TEST_F(LeaseViews, AWriteThatDoesNotRenewExtendsNoTerm) {
  view_.Learn(HeldBy("other", "9"), view_.revision(), start_);
  EXPECT_TRUE(Observe(HeldBy("other", "10"), start_ + 5s));
  EXPECT_EQ(view_.free_at(), start_ + 20s);
  EXPECT_EQ(view_.lease()->metadata.resourceVersion, "10");
}

TEST_F(LeaseViews, ALeaseWithoutAHolderOrHeldByThisProcessIsFree) {
  view_.Learn(HeldBy("other", "9"), view_.revision(), start_);
  Observe(HeldBy("", "10"), start_ + 1s);
  EXPECT_EQ(view_.free_at(), start_ + 1s);
  Observe(HeldBy("me", "11"), start_ + 2s);
  EXPECT_EQ(view_.free_at(), start_ + 2s);
  EXPECT_TRUE(view_.IsMine());
}

TEST_F(LeaseViews, ADeletionDoesNotEndTheTerm) {
  view_.Learn(HeldBy("other", "9"), view_.revision(), start_);
  EXPECT_TRUE(view_.Observe(nullptr, "10", start_ + 1s));
  EXPECT_EQ(view_.lease(), nullptr);
  EXPECT_EQ(view_.free_at(), start_ + 20s);
}

TEST_F(LeaseViews, OutdatedWatchEventsAreIgnored) {
  view_.Learn(HeldBy("me", "10"), view_.revision(), start_);
  EXPECT_FALSE(Observe(HeldBy("other", "9"), start_ + 1s));
  EXPECT_FALSE(Observe(HeldBy("me", "10"), start_ + 1s));
  EXPECT_FALSE(view_.Observe(nullptr, "8", start_ + 1s));
  EXPECT_TRUE(view_.IsMine());
}

TEST_F(LeaseViews, AnAnswerOlderThanAWatchEventIsIgnored) {
  view_.Learn(HeldBy("other", "9"), view_.revision(), start_);
  const uint64_t asked = view_.revision();
  Observe(HeldBy("", "11"), start_ + 1s);
  view_.Learn(HeldBy("other", "10", 1), asked, start_ + 2s);
  EXPECT_EQ(view_.holder(), "");
  view_.Learn(nullptr, asked, start_ + 2s);
  EXPECT_NE(view_.lease(), nullptr);
  view_.Learn(HeldBy("third", "12"), asked, start_ + 2s);
  EXPECT_EQ(view_.holder(), "third");
}

TEST_F(LeaseViews, AnAnswerOfARestoredServerIsAccepted) {
  view_.Learn(HeldBy("other", "1000"), view_.revision(), start_);
  view_.Learn(HeldBy("third", "7"), view_.revision(), start_ + 1s);
  EXPECT_EQ(view_.holder(), "third");
  EXPECT_TRUE(Observe(HeldBy("fourth", "8"), start_ + 2s));
}

TEST_F(LeaseViews, ADifferentNonNumericVersionIsTreatedAsNewer) {
  view_.Learn(HeldBy("other", "b"), view_.revision(), start_);
  EXPECT_TRUE(Observe(HeldBy("third", "a"), start_ + 1s));
  EXPECT_FALSE(Observe(HeldBy("third", "a"), start_ + 1s));
}

}  // namespace
}  // namespace capstan::manager
