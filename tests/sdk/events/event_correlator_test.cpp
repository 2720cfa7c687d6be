#include "events/event_correlator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <capstan/testing/simulated_runtime.h>

namespace capstan {
namespace {

using api::core::v1::Event;
using ::testing::MatchesRegex;

TEST(LruCache, EvictsTheLeastRecentlyUsedEntry) {
  LruCache<int> cache(2);
  cache.Put("a", 1);
  cache.Put("b", 2);
  ASSERT_NE(cache.Get("a"), nullptr);
  cache.Put("c", 3);
  EXPECT_EQ(cache.Get("b"), nullptr);
  EXPECT_EQ(*cache.Get("a"), 1);
  EXPECT_EQ(*cache.Get("c"), 3);
  cache.Put("a", 4);
  EXPECT_EQ(*cache.Get("a"), 4);
  EXPECT_EQ(cache.size(), 2u);
}

TEST(EventNames, CombineTheObjectNameAndTheTimeInHex) {
  EventNames names;
  const WallTime now{std::chrono::nanoseconds(0x18fae27693b40000)};
  EXPECT_EQ(names.Next("web", now, 0), "web.18fae27693b40000");
  EXPECT_EQ(names.Next("web", now, 0), "web.18fae27693b40001");
  EXPECT_EQ(names.Next("web", now - std::chrono::hours(1), 0), "web.18fae27693b40002");
}

TEST(EventNames, ReplaceInvalidNames) {
  EventNames names;
  const WallTime now{std::chrono::seconds(1)};
  const auto pattern = MatchesRegex("00000000000000ff\\.[0-9a-f]+");
  EXPECT_THAT(names.Next("system:node", now, 255), pattern);
  EXPECT_THAT(names.Next("Upper", now, 255), pattern);
  EXPECT_THAT(names.Next("a-", now, 255), pattern);
  EXPECT_THAT(names.Next("", now, 255), pattern);
  EXPECT_THAT(names.Next(std::string(250, 'a'), now, 255), pattern);
  EXPECT_THAT(names.Next("a.b-c.9", now, 255), MatchesRegex("a\\.b-c\\.9\\.[0-9a-f]+"));
}

class EventCorrelatorTest : public ::testing::Test {
 protected:
  Event About(const std::string& object, const std::string& message) {
    Event event;
    event.metadata.name = object + "." + std::to_string(++created);
    event.involvedObject.name = object;
    event.message = message;
    event.count = 1;
    return event;
  }
  testing::SimulatedRuntime runtime;
  EventCorrelator correlator{runtime.clock()};
  int created = 0;
};

TEST_F(EventCorrelatorTest, CountsFilteredEvents) {
  for (int i = 0; i < 25; ++i) ASSERT_TRUE(correlator.Correlate(About("web", "m")));
  for (int i = 0; i < 5; ++i) ASSERT_FALSE(correlator.Correlate(About("web", "m")));
  runtime.AdvanceBy(std::chrono::minutes(6));
  const auto observation = correlator.Correlate(About("web", "m"));
  ASSERT_TRUE(observation);
  EXPECT_EQ(observation->event.count, 31);
  EXPECT_EQ(observation->event.metadata.name, "web.1");
}

TEST_F(EventCorrelatorTest, FiltersEachEventTypeSeparately) {
  const auto of_type = [&](const char* type) {
    Event event = About("web", "m");
    event.type = type;
    return event;
  };
  for (int i = 0; i < 25; ++i) ASSERT_TRUE(correlator.Correlate(of_type("Normal")));
  ASSERT_FALSE(correlator.Correlate(of_type("Normal")));
  for (int i = 0; i < 25; ++i) ASSERT_TRUE(correlator.Correlate(of_type("Warning")));
  EXPECT_FALSE(correlator.Correlate(of_type("Warning")));
}

TEST_F(EventCorrelatorTest, AllowsOneMoreEventEveryFiveMinutes) {
  for (int i = 0; i < 25; ++i) ASSERT_TRUE(correlator.Correlate(About("web", "m")));
  runtime.AdvanceBy(std::chrono::seconds(299));
  EXPECT_FALSE(correlator.Correlate(About("web", "m")));
  runtime.AdvanceBy(std::chrono::seconds(2));
  EXPECT_TRUE(correlator.Correlate(About("web", "m")));
  EXPECT_FALSE(correlator.Correlate(About("web", "m")));
}

TEST_F(EventCorrelatorTest, CountsAggregatedEventsExactlyDespiteFiltering) {
  std::optional<EventCorrelator::Observation> last;
  for (int i = 1; i <= 100; ++i) {
    auto observation = correlator.Correlate(About("web", "message " + std::to_string(i)));
    if (observation) last = std::move(observation);
  }
  // 9 separate events, then 16 of the 91 that are aggregated.
  ASSERT_TRUE(last);
  EXPECT_EQ(last->event.count, 16);
  EXPECT_EQ(last->event.message, "(combined from similar events): message 25");
  runtime.AdvanceBy(std::chrono::minutes(6));
  last = correlator.Correlate(About("web", "message 101"));
  ASSERT_TRUE(last);
  EXPECT_EQ(last->event.count, 92);
  EXPECT_EQ(last->event.metadata.name, "web.10");
}

TEST_F(EventCorrelatorTest, ForgetsTheOldestOfMoreThan4096Objects) {
  ASSERT_TRUE(correlator.Correlate(About("first", "m")));
  for (int i = 0; i < 4096; ++i) {
    ASSERT_TRUE(correlator.Correlate(About("web-" + std::to_string(i), "m")));
  }
  const auto observation = correlator.Correlate(About("first", "m"));
  ASSERT_TRUE(observation);
  EXPECT_TRUE(observation->patch.empty());
  EXPECT_EQ(observation->event.count, 1);
}

TEST_F(EventCorrelatorTest, DistinguishesAdjacentPartsOfTheKey) {
  Event a = About("web", "m");
  a.type = "ab";
  a.reason = "c";
  Event b = About("web", "m");
  b.type = "a";
  b.reason = "bc";
  ASSERT_TRUE(correlator.Correlate(a));
  EXPECT_TRUE(correlator.Correlate(b)->patch.empty());
}

}  // namespace
}  // namespace capstan
