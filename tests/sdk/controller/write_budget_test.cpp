#include <capstan/controller/write_budget.h>
#include <capstan/testing/simulated_runtime.h>
#include <gtest/gtest.h>

namespace capstan {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kNone = Duration::zero();

class WriteBudgetTest : public ::testing::Test {
 protected:
  Duration Ask(const std::string& name, uint64_t state = 0) {
    return budget_.WaitFor({"default", name}, state);
  }
  // Uses up the writes that go out at once.
  void MakeBusy() {
    for (const char* name : {"x", "y", "z"}) EXPECT_EQ(Ask(name), kNone);
    EXPECT_GT(Ask("last"), kNone);
  }

  testing::SimulatedRuntime runtime_;
  WriteBudget budget_{runtime_.clock(),
                      {.per_second = 2, .burst = 3, .settle = seconds(1), .wait = seconds(3)}};
};

TEST_F(WriteBudgetTest, FewWritesAreSentAtOnce) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(Ask("a"), kNone);
    runtime_.AdvanceBy(milliseconds(500));
  }
}

TEST_F(WriteBudgetTest, WritesBeyondTheBudgetAreDelayed) {
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(Ask(name), kNone);
  EXPECT_EQ(Ask("d"), seconds(1));
  EXPECT_EQ(Ask("e"), seconds(1));
  runtime_.AdvanceBy(milliseconds(400));
  EXPECT_EQ(Ask("d"), milliseconds(600)) << "the same state does not put it off";
  runtime_.AdvanceBy(milliseconds(600));
  EXPECT_EQ(Ask("d"), kNone);
  EXPECT_EQ(Ask("e"), kNone);
}

TEST_F(WriteBudgetTest, AStateThatKeepsChangingIsWrittenAfterTheLongestWait) {
  MakeBusy();
  EXPECT_EQ(Ask("a", 1), seconds(1));
  runtime_.AdvanceBy(milliseconds(900));
  EXPECT_EQ(Ask("a", 2), seconds(1));
  runtime_.AdvanceBy(milliseconds(900));
  EXPECT_EQ(Ask("a", 3), seconds(1));
  runtime_.AdvanceBy(milliseconds(900));
  EXPECT_EQ(Ask("a", 4), milliseconds(300));
  runtime_.AdvanceBy(milliseconds(300));
  EXPECT_EQ(Ask("a", 5), kNone);
}

TEST_F(WriteBudgetTest, ASettledStateIsWritten) {
  MakeBusy();
  Ask("a", 1);
  runtime_.AdvanceBy(milliseconds(700));
  EXPECT_EQ(Ask("a", 2), seconds(1));
  runtime_.AdvanceBy(seconds(1));
  EXPECT_EQ(Ask("a", 2), kNone);
}

TEST_F(WriteBudgetTest, UnderLoadAllObjectsWait) {
  MakeBusy();
  for (int i = 0; i < 20; ++i) {
    runtime_.AdvanceBy(milliseconds(250));  // half a write of the budget
    EXPECT_GT(Ask("object-" + std::to_string(i)), kNone) << i;
  }
}

TEST_F(WriteBudgetTest, AfterTheLoadWritesAreSentAtOnceAgain) {
  MakeBusy();
  EXPECT_EQ(Ask("a"), seconds(1));
  runtime_.AdvanceBy(seconds(2));
  EXPECT_EQ(Ask("b"), kNone);
}

TEST_F(WriteBudgetTest, APostponedWriteIsSentAfterTheLongestWait) {
  EXPECT_EQ(Ask("a", 1), kNone);
  EXPECT_EQ(budget_.Postpone({"default", "a"}), seconds(3));
  EXPECT_EQ(Ask("a", 1), seconds(3));
  runtime_.AdvanceBy(seconds(1));
  EXPECT_EQ(Ask("a", 2), seconds(2)) << "whatever changes meanwhile";
  runtime_.AdvanceBy(seconds(2));
  EXPECT_EQ(Ask("a", 3), kNone);
}

TEST_F(WriteBudgetTest, AForgottenWriteDoesNotShortenTheNextWait) {
  MakeBusy();
  EXPECT_EQ(Ask("a"), seconds(1));
  runtime_.AdvanceBy(milliseconds(100));
  budget_.Forget({"default", "a"});
  EXPECT_EQ(Ask("a"), seconds(1));
}

TEST_F(WriteBudgetTest, AnUnusedDelayExpires) {
  MakeBusy();
  Ask("a");
  runtime_.AdvanceBy(minutes(3));
  MakeBusy();
  EXPECT_EQ(Ask("a"), seconds(1));
}

}  // namespace
}  // namespace capstan
