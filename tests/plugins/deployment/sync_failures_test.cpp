#include "deployment/sync_failures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders.h"

namespace capstan::deployment {
namespace {

using ::testing::ElementsAre;

const NamespacedName kWeb{"default", "web"};
const Status kForbidden{StatusReason::kForbidden, "may not patch replicasets"};

TEST(SyncFailures, AreReportedFromTheThirdConsecutiveOne) {
  SyncFailures failures;
  failures.Note(kWeb, kForbidden, At(1));
  failures.Note(kWeb, kForbidden, At(2));
  EXPECT_FALSE(failures.Find(kWeb));
  failures.Note(kWeb, kForbidden, At(3));
  const auto failure = failures.Find(kWeb);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->count, 3);
  EXPECT_EQ(failure->since, At(1));
  EXPECT_EQ(failure->message, "may not patch replicasets");
  EXPECT_FALSE(failures.Find({"default", "other"}));
}

TEST(SyncFailures, AreClearedByASuccess) {
  SyncFailures failures;
  for (int i = 0; i < 5; ++i) failures.Note(kWeb, kForbidden, At(i));
  failures.Note(kWeb, Status::Ok(), At(6));
  EXPECT_FALSE(failures.Find(kWeb));
  failures.Note(kWeb, kForbidden, At(7));
  EXPECT_FALSE(failures.Find(kWeb));
}

TEST(SyncFailures, AreLimitedInNumber) {
  SyncFailures failures;
  for (int i = 0; i < 2'000; ++i) {
    for (int n = 0; n < 3; ++n) {
      failures.Note({"default", "web-" + std::to_string(i)}, kForbidden, At(0));
    }
  }
  EXPECT_TRUE(failures.Find({"default", "web-999"}));
  EXPECT_FALSE(failures.Find({"default", "web-1000"}));
}

TEST(AddFailure, TurnsWaitingIntoBlocked) {
  Explanation explanation{.state = Explanation::State::kWaiting,
                          .reason = "StepDue",
                          .message = "A step is due.",
                          .notes = {"A note."}};
  AddFailure({.count = 4, .since = At(1), .message = "no"}, explanation);
  EXPECT_EQ(explanation.state, Explanation::State::kBlocked);
  EXPECT_EQ(explanation.reason, "SyncFailing");
  EXPECT_EQ(explanation.message, "The controller's last 4 syncs have failed, the last with: no");
  EXPECT_EQ(explanation.since, TimeAt(1));
  EXPECT_THAT(explanation.notes, ElementsAre("A step is due.", "A note."));
}

TEST(AddFailure, KeepsAReasonThatIsAlreadyBlocking) {
  Explanation explanation{.state = Explanation::State::kBlocked, .reason = "QuotaExceeded"};
  AddFailure({.count = 4, .since = At(1), .message = "no"}, explanation);
  EXPECT_EQ(explanation.reason, "QuotaExceeded");
  EXPECT_THAT(explanation.notes,
              ElementsAre("The controller's last 4 syncs have failed, the last with: no"));
}

class Failing final : public Reconciler {
 public:
  Result<Action> Reconcile(const Request& request) override {
    if (request.name.name == "fine") return Action::AwaitChange();
    return kForbidden;
  }
};

TEST(FailureNotingReconciler, RecordsAndReturnsResults) {
  const auto failures = std::make_shared<SyncFailures>();
  struct FixedClock final : Clock {
    WallTime Now() const override { return At(5); }
    MonotonicTime Monotonic() const override { return {}; }
  } clock;
  FailureNotingReconciler reconciler(std::make_shared<Failing>(), failures, clock);
  EXPECT_TRUE(reconciler.Reconcile({{"default", "fine"}}).ok());
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(reconciler.Reconcile({kWeb}).status().IsForbidden());
  }
  ASSERT_TRUE(failures->Find(kWeb));
  EXPECT_EQ(failures->Find(kWeb)->since, At(5));
}

}  // namespace
}  // namespace capstan::deployment
