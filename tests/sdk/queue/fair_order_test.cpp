#include "queue/fair_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace capstan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Waiter : FairOrder::Place {
  explicit Waiter(std::string n) : name(std::move(n)) {}
  std::string name;
};

class FairOrderTest : public ::testing::Test {
 protected:
  Waiter& Push(const std::string& lane, std::string name) {
    order.Push(lane, waiters.emplace_back(std::move(name)));
    return waiters.back();
  }
  std::vector<std::string> Pop(size_t count) {
    std::vector<std::string> names;
    for (size_t i = 0; i < count && !order.empty(); ++i) {
      names.push_back(static_cast<Waiter&>(order.Pop()).name);
    }
    return names;
  }

  std::deque<Waiter> waiters;  // a deque, for stable addresses
  FairOrder order;
};

TEST_F(FairOrderTest, ServesOneLaneInTheOrderOfArrival) {
  for (const char* name : {"c", "a", "d", "b", "e"}) Push("lane", name);
  EXPECT_EQ(order.size(), 5u);
  EXPECT_THAT(Pop(9), ElementsAre("c", "a", "d", "b", "e"));
  EXPECT_TRUE(order.empty());
}

TEST_F(FairOrderTest, ServesLanesInTurnsAndEveryFourthTheLongestWaiting) {
  for (const char* name : {"a1", "a2", "a3", "a4", "a5"}) Push("a", name);
  for (const char* name : {"b1", "b2", "b3"}) Push("b", name);
  Push("c", "c1");
  EXPECT_THAT(Pop(9), ElementsAre("a1", "b1", "c1", "a2", "a3", "b2", "a4", "a5", "b3"));
}

TEST_F(FairOrderTest, AReturningLaneWaitsForTheOthers) {
  Push("a", "a1");
  Push("b", "b1");
  Push("b", "b2");
  EXPECT_THAT(Pop(1), ElementsAre("a1"));
  Push("a", "a2");
  EXPECT_THAT(Pop(9), ElementsAre("b1", "a2", "b2"));
}

TEST_F(FairOrderTest, SkipsRemovedWaiters) {
  Waiter& only = Push("a", "only");
  Waiter& first = Push("b", "first");
  Push("b", "second");
  Waiter& third = Push("b", "third");
  Push("b", "fourth");
  Waiter& last = Push("b", "last");
  for (Waiter* waiter : {&only, &first, &third, &last}) {
    EXPECT_TRUE(waiter->waits());
    order.Remove(*waiter);
    EXPECT_FALSE(waiter->waits());
  }
  EXPECT_EQ(order.size(), 2u);
  order.Push("a", only);
  EXPECT_THAT(Pop(9), ElementsAre("second", "only", "fourth"));
}

TEST_F(FairOrderTest, IsEmptyAfterClear) {
  Waiter& waiter = Push("a", "a1");
  Push("b", "b1");
  order.Clear();
  EXPECT_TRUE(order.empty());
  EXPECT_FALSE(waiter.waits());
  Push("b", "b2");
  EXPECT_THAT(Pop(9), ElementsAre("b2"));
  EXPECT_THAT(Pop(1), IsEmpty());
}

}  // namespace
}  // namespace capstan
