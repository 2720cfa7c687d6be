#include <capstan/controller/status_budget.h>
#include <capstan/testing/simulated_runtime.h>
#include <gtest/gtest.h>

namespace capstan {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class StatusBudgetTest : public ::testing::Test {
 protected:
  Duration Ask(const std::string& name) { return budget_.WaitFor({"default", name}); }

  testing::SimulatedRuntime runtime_;
  StatusBudget budget_{runtime_.clock(), {.per_second = 2, .burst = 3, .wait = seconds(1)}};
};

TEST_F(StatusBudgetTest, FewWritesAreSentAtOnce) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(Ask("a"), Duration::zero());
    runtime_.AdvanceBy(milliseconds(500));
  }
}

TEST_F(StatusBudgetTest, WritesBeyondTheBudgetAreDelayed) {
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(Ask(name), Duration::zero());
  EXPECT_EQ(Ask("d"), seconds(1));
  EXPECT_EQ(Ask("e"), seconds(1));
  runtime_.AdvanceBy(milliseconds(400));
  EXPECT_EQ(Ask("d"), milliseconds(600)) << "what changes meanwhile does not put it off";
  runtime_.AdvanceBy(milliseconds(600));
  EXPECT_EQ(Ask("d"), Duration::zero());
  EXPECT_EQ(Ask("e"), Duration::zero());
}

TEST_F(StatusBudgetTest, AReservationAllowsOneWrite) {
  for (const char* name : {"a", "b", "c", "d"}) Ask(name);
  runtime_.AdvanceBy(seconds(1));  // two more writes are available then
  EXPECT_EQ(Ask("d"), Duration::zero()) << "its turn";
  EXPECT_EQ(Ask("d"), Duration::zero());
  EXPECT_EQ(Ask("d"), Duration::zero());
  EXPECT_EQ(Ask("d"), seconds(1));
}

TEST_F(StatusBudgetTest, AnUnusedReservationExpires) {
  for (const char* name : {"a", "b", "c", "d"}) Ask(name);
  runtime_.AdvanceBy(std::chrono::minutes(3));
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(Ask(name), Duration::zero());
  EXPECT_EQ(Ask("d"), seconds(1));
}

}  // namespace
}  // namespace capstan
