#include "apiserver/storage/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include <capstan/testing/simulated_runtime.h>

#include "sdk/testing/apiserver/config_maps.h"

namespace capstan::testing::server {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "ADDED a 2", "BOOKMARK  7", "BOOKMARK  7 initial-events-end", "ERROR 410 ..."
std::string Summary(const std::string& line) {
  const auto parsed = json::ParseValue(line);
  if (!parsed.ok()) return "not JSON: " + line;
  const json::Value& object = parsed->value.Get("object");
  std::string text = parsed->value.Get("type").AsString() + " ";
  if (object.Get("kind").AsString() == "Status") {
    return text + std::to_string(object.Get("code").AsInteger()) + " " +
           object.Get("reason").AsString() + " " + object.Get("message").AsString();
  }
  const json::Value& metadata = object.Get("metadata");
  text += metadata.Get("name").AsString() + " " + metadata.Get("resourceVersion").AsString();
  if (metadata.Get("annotations", "k8s.io/initial-events-end").AsString() == "true") {
    text += " initial-events-end";
  }
  return text;
}

class WatchTest : public ::testing::Test {
 protected:
  ~WatchTest() override {
    stop.request_stop();
    for (auto& thread : threads) thread->Join();
  }

  struct Events {
    std::vector<std::string> lines;
    bool ended = false;
    Status status;
  };

  // Opens a watch and records its events in its own thread.
  Events& Watch(std::string_view query, std::string namespace_ = "default", std::string name = "") {
    auto& events = *all_events.emplace_back(std::make_unique<Events>());
    ApiRequest request = RequestFor(resource, "watch", query, std::move(namespace_));
    request.name = std::move(name);
    auto opened = OpenWatch(store, runtime, request, settings, stop.get_token());
    if (!opened.ok()) {
      events.status = opened.status();
      return events;
    }
    std::shared_ptr<HttpResponse> response = *std::move(opened);
    threads.push_back(runtime.Start("watch", [response, &events] {
      std::string text;
      char buffer[50];
      while (true) {
        const auto count = response->Read(buffer, sizeof(buffer));
        if (!count.ok()) events.status = count.status();
        if (!count.ok() || *count == 0) break;
        text.append(buffer, *count);
        for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
          events.lines.push_back(Summary(text.substr(0, end)));
          text.erase(0, end + 1);
        }
      }
      events.ended = true;
    }));
    runtime.RunUntilIdle();
    return events;
  }
  void Put(std::string_view name, std::string_view app = "web",
           std::string_view namespace_ = "default") {
    PutConfigMap(store, name, namespace_, {{"app", std::string(app)}});
    runtime.RunUntilIdle();
  }
  void Remove(std::string_view name) {
    RemoveConfigMap(store, name);
    runtime.RunUntilIdle();
  }

  const Resource resource = ConfigMaps();
  SimulatedRuntime runtime;
  Store store{runtime, 5};
  WatchSettings settings;
  std::stop_source stop;
  std::vector<std::unique_ptr<Events>> all_events;
  std::vector<std::unique_ptr<Thread>> threads;
};

TEST_F(WatchTest, StartsAfterItsVersion) {
  Put("a");  // 2
  Put("b");  // 3
  const Events& events = Watch("resourceVersion=2");
  EXPECT_THAT(events.lines, ElementsAre("ADDED b 3"));
  Put("a");
  Remove("b");
  EXPECT_THAT(events.lines, ElementsAre("ADDED b 3", "MODIFIED a 4", "DELETED b 5"));
  EXPECT_FALSE(events.ended);
}

TEST_F(WatchTest, WithoutAVersionStartsWithExistingObjects) {
  Put("b");
  Put("a");
  for (const char* query : {"", "resourceVersion=0", "resourceVersion="}) {
    EXPECT_THAT(Watch(query).lines, ElementsAre("ADDED a 3", "ADDED b 2")) << query;
  }
}

TEST_F(WatchTest, MarksTheEndOfInitialEventsWithABookmark) {
  Put("a");
  Put("b");
  for (const char* query :
       {"allowWatchBookmarks=true",
        "allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
        "allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
        "resourceVersion=2",
        "allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
        "resourceVersion=",
        "allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
        "resourceVersion=0"}) {
    EXPECT_THAT(Watch(query).lines,
                ElementsAre("ADDED a 2", "ADDED b 3", "BOOKMARK  3 initial-events-end"))
        << query;
  }
}

TEST_F(WatchTest, SendsNoInitialEventsOnRequest) {
  Put("a");
  const Events& events = Watch("sendInitialEvents=false&resourceVersionMatch=NotOlderThan");
  EXPECT_THAT(events.lines, IsEmpty());
  Put("b");
  EXPECT_THAT(events.lines, ElementsAre("ADDED b 3"));
}

TEST_F(WatchTest, AnObjectThatNoLongerMatchesIsSentAsDeletedInItsFormerState) {
  Put("a", "api");
  const Events& events = Watch("labelSelector=app%3Dweb&resourceVersion=1");
  EXPECT_THAT(events.lines, IsEmpty());
  Put("a", "web");
  Put("a", "web");
  Put("a", "api");
  Put("a", "api");
  Remove("a");
  EXPECT_THAT(events.lines, ElementsAre("ADDED a 3", "MODIFIED a 4", "DELETED a 5"));
}

TEST_F(WatchTest, IsLimitedToItsNamespaceAndName) {
  const Events& by_namespace = Watch("resourceVersion=1", "other");
  const Events& by_field = Watch("fieldSelector=metadata.name%3Db");
  const Events& by_path = Watch("resourceVersion=1", "default", "b");
  const Events& all = Watch("resourceVersion=1", "");
  Put("a");
  Put("b");
  Put("c", "web", "other");
  EXPECT_THAT(by_namespace.lines, ElementsAre("ADDED c 4"));
  EXPECT_THAT(by_field.lines, ElementsAre("ADDED b 3"));
  EXPECT_THAT(by_path.lines, ElementsAre("ADDED b 3"));
  EXPECT_THAT(all.lines, ElementsAre("ADDED a 2", "ADDED b 3", "ADDED c 4"));
}

TEST_F(WatchTest, SendsBookmarksEachPeriodAndBeforeItsEnd) {
  const Events& events = Watch("allowWatchBookmarks=true&resourceVersion=1&timeoutSeconds=90");
  store.Put("leases", {"default", "l"}, nullptr, json::Value::Object());
  runtime.AdvanceBy(seconds(59));
  EXPECT_THAT(events.lines, IsEmpty());
  runtime.AdvanceBy(seconds(1));
  EXPECT_THAT(events.lines, ElementsAre("BOOKMARK  2"));
  runtime.AdvanceBy(seconds(28));
  EXPECT_THAT(events.lines, ElementsAre("BOOKMARK  2", "BOOKMARK  2"));
  EXPECT_FALSE(events.ended);
  runtime.AdvanceBy(seconds(2));
  EXPECT_TRUE(events.ended);
  EXPECT_EQ(events.lines.size(), 2U);
}

TEST_F(WatchTest, SendsNoBookmarksByDefault) {
  const Events& events = Watch("resourceVersion=1");
  runtime.AdvanceBy(minutes(20));
  EXPECT_THAT(events.lines, IsEmpty());
}

TEST_F(WatchTest, EndsWithoutAnErrorAtItsTimeout) {
  const Events& events = Watch("resourceVersion=1&timeoutSeconds=5");
  runtime.AdvanceBy(seconds(4));
  EXPECT_FALSE(events.ended);
  runtime.AdvanceBy(seconds(1));
  EXPECT_TRUE(events.ended);
  EXPECT_TRUE(events.status.ok());
}

TEST_F(WatchTest, WithoutATimeoutEndsBetweenOneAndTwoTimesTheDefault) {
  settings.default_timeout = minutes(30);
  const Events& events = Watch("resourceVersion=1");
  runtime.AdvanceBy(minutes(30) - seconds(1));
  EXPECT_FALSE(events.ended);
  runtime.AdvanceBy(minutes(30) + seconds(1));
  EXPECT_TRUE(events.ended);
}

TEST_F(WatchTest, ACompactedVersionIsAnErrorEvent) {
  for (int i = 0; i < 7; ++i) Put("a");  // versions 2 to 8; 4 to 8 are kept
  const Events& events = Watch("resourceVersion=2");
  EXPECT_THAT(events.lines, ElementsAre("ERROR 410 Expired too old resource version: 2 (3)"));
  EXPECT_TRUE(events.ended);
  EXPECT_EQ(Watch("resourceVersion=3").lines.size(), 5U);
}

TEST_F(WatchTest, AVersionBeforeACompactionIsAnErrorEventEvenWithoutChanges) {
  Put("a");
  store.Compact();
  EXPECT_THAT(Watch("resourceVersion=1").lines,
              ElementsAre("ERROR 410 Expired too old resource version: 1 (2)"));
  EXPECT_THAT(Watch("resourceVersion=2").lines, IsEmpty());
}

TEST_F(WatchTest, ContinuesAfterACompaction) {
  const Events& events = Watch("resourceVersion=1");
  Put("a");
  store.Compact();
  Put("b");
  EXPECT_THAT(events.lines, ElementsAre("ADDED a 2", "ADDED b 3"));
}

TEST_F(WatchTest, ExpiresWhenTheServerIsRestored) {
  Put("a");
  const json::Value saved = store.Save();
  Put("b");
  const Events& events = Watch("resourceVersion=3");
  ASSERT_TRUE(store.Load(saved).ok());
  runtime.RunUntilIdle();
  EXPECT_THAT(events.lines, ElementsAre("ERROR 410 Expired too old resource version: 3 (2)"));
  EXPECT_TRUE(events.ended);
}

TEST_F(WatchTest, WaitsForAFutureVersion) {
  Put("a");
  const Events& events = Watch("resourceVersion=3");
  Put("b");  // 3
  EXPECT_THAT(events.lines, IsEmpty());
  Put("c");
  EXPECT_THAT(events.lines, ElementsAre("ADDED c 4"));
}

TEST_F(WatchTest, InitialEventsOfAFutureVersionAreAnErrorEvent) {
  EXPECT_THAT(
      Watch("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=9").lines,
      ElementsAre("ERROR 504 Timeout Timeout: Too large resource version: 9, current: 1"));
}

TEST_F(WatchTest, EndsWithoutAnErrorWhenTheServerCloses) {
  std::stop_source close;
  settings.close = close.get_token();
  const Events& events = Watch("resourceVersion=1");
  close.request_stop();
  runtime.RunUntilIdle();
  EXPECT_TRUE(events.ended);
  EXPECT_TRUE(events.status.ok());
}

TEST_F(WatchTest, IsCanceledByItsStopToken) {
  const Events& events = Watch("resourceVersion=1");
  stop.request_stop();
  runtime.RunUntilIdle();
  EXPECT_TRUE(events.status.IsCanceled());
}

TEST_F(WatchTest, SendsManyInitialEventsCompletely) {
  for (int i = 0; i < 3000; ++i) PutConfigMap(store, "c" + std::to_string(i));
  const Events& events = Watch("allowWatchBookmarks=1");
  ASSERT_EQ(events.lines.size(), 3001U);
  EXPECT_EQ(events.lines.front(), "ADDED c0 2");
  EXPECT_EQ(events.lines.back(), "BOOKMARK  3001 initial-events-end");
}

struct BadWatchQuery {
  const char* name;
  const char* query;
  int code;
};

void PrintTo(const BadWatchQuery& bad, std::ostream* out) { *out << bad.query; }

class BadWatch : public WatchTest, public ::testing::WithParamInterface<BadWatchQuery> {};

TEST_P(BadWatch, IsRefused) {
  const Events& events = Watch(GetParam().query);
  EXPECT_EQ(events.status.http_code(), GetParam().code);
  EXPECT_THAT(events.lines, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Queries, BadWatch,
    ::testing::Values(BadWatchQuery{"VersionIsText", "resourceVersion=abc", 500},
                      BadWatchQuery{"TimeoutIsText", "timeoutSeconds=x", 400},
                      BadWatchQuery{"BadLabelSelector", "labelSelector=a+b", 400},
                      BadWatchQuery{"UnknownField", "fieldSelector=a%3Db", 400},
                      BadWatchQuery{"InitialEventsWithoutMatch", "sendInitialEvents=true", 422},
                      BadWatchQuery{"MatchWithoutInitialEvents",
                                    "resourceVersionMatch=NotOlderThan&resourceVersion=1", 422},
                      BadWatchQuery{"ExactMatch",
                                    "sendInitialEvents=true&resourceVersionMatch=Exact&"
                                    "resourceVersion=1",
                                    422}),
    [](const auto& info) { return info.param.name; });

TEST_F(WatchTest, ANameAndAnotherNameInTheSelectorAreRefused) {
  EXPECT_EQ(Watch("fieldSelector=metadata.name%3Da", "default", "b").status.message(),
            "fieldSelector metadata.name doesn't match requested name");
}

}  // namespace
}  // namespace capstan::testing::server
