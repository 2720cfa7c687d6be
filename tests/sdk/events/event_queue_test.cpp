#include "events/event_queue.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace capstan {
namespace {

class EventQueueTest : public ::testing::Test {
 protected:
  bool Push(const std::string& object, const std::string& message) {
    api::core::v1::Event event;
    event.involvedObject.namespace_ = "shop";
    event.involvedObject.name = object;
    event.message = message;
    return queue_.Push(std::move(event));
  }
  std::string Pop() {
    std::optional<EventQueue::Entry> entry = queue_.Pop();
    if (!entry) return "";
    const std::string message = entry->event.message;
    in_progress_.push_back(*std::move(entry));
    return message;
  }
  // Ends the event that was taken first.
  void Done() {
    queue_.Done(in_progress_.front());
    in_progress_.erase(in_progress_.begin());
  }

  EventQueue queue_{size_t{64} << 10};
  std::vector<EventQueue::Entry> in_progress_;
};

TEST_F(EventQueueTest, IsInTheOrderOfArrival) {
  for (const char* message : {"1", "2", "3"}) Push(std::string("object ") + message, message);
  EXPECT_EQ(Pop(), "1");
  EXPECT_EQ(Pop(), "2");
  EXPECT_EQ(Pop(), "3");
  EXPECT_EQ(Pop(), "");
}

TEST_F(EventQueueTest, GivesOneEventOfAnObjectAtATime) {
  Push("a", "a1");
  Push("a", "a2");
  Push("a", "a3");
  Push("b", "b1");
  EXPECT_EQ(Pop(), "a1");
  EXPECT_EQ(Pop(), "b1");
  EXPECT_FALSE(queue_.HasNext());
  Push("c", "c1");
  EXPECT_TRUE(queue_.HasNext());
  Done();
  EXPECT_EQ(Pop(), "a2") << "it is older than c1";
  EXPECT_EQ(Pop(), "c1");
  EXPECT_EQ(Pop(), "");
  Done();  // b1
  EXPECT_EQ(Pop(), "");
  Done();  // a2
  Push("a", "a4");
  EXPECT_EQ(Pop(), "a3");
  Done();  // c1
  EXPECT_EQ(Pop(), "");
  Done();  // a3
  EXPECT_EQ(Pop(), "a4");
  Done();
  EXPECT_EQ(queue_.size(), 0u);
  EXPECT_EQ(queue_.bytes(), 0u);
}

TEST_F(EventQueueTest, IsBoundedInBytes) {
  const std::string message(1000, 'x');
  size_t events = 0;
  while (Push("object " + std::to_string(events), message)) ++events;
  EXPECT_GE(events, 20u);
  EXPECT_LE(events, 64u);
  EXPECT_EQ(queue_.size(), events);
  EXPECT_LE(queue_.bytes(), size_t{64} << 10);
  EXPECT_EQ(Pop(), message);
  EXPECT_TRUE(Push("a", message));
}

TEST_F(EventQueueTest, ClearRemovesWhatWaits) {
  Push("a", "1");
  Push("a", "2");
  Push("a", "3");
  Push("b", "4");
  EXPECT_EQ(Pop(), "1");
  EXPECT_EQ(Pop(), "4");
  Done();
  EXPECT_EQ(queue_.Clear(), 2u);
  EXPECT_EQ(queue_.bytes(), 0u);
  Done();
  EXPECT_EQ(Pop(), "");
  EXPECT_TRUE(Push("a", "5"));
  EXPECT_EQ(Pop(), "5");
}

}  // namespace
}  // namespace capstan
