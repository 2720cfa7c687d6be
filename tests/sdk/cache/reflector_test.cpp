#include <capstan/cache/reflector.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cache/backoff.h"
#include "pods.h"
#include "support/scripted_transport.h"

#include <capstan/testing/simulated_runtime.h>

namespace capstan {
namespace {

using namespace std::chrono_literals;
using testing::AsPod;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using testing::JsonAnswer;
using testing::kConsistentPodList;
using testing::kEndOfInitialEvents;
using testing::kPodList;
using testing::kPodWatchList;
using testing::Pod;
using testing::PodJson;
using testing::PodListJson;
using testing::Refused;
using testing::ScriptedAnswer;
using testing::StatusAnswer;
using testing::Versions;

constexpr const char* kAnyWatch =
    "/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=*";

std::string WatchFrom(std::string_view version) {
  return "/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=" +
         std::string(version) + "&timeoutSeconds=*";
}

// A list of all pods that is not older than `version`.
std::string ListFrom(std::string_view version) {
  return "/api/v1/pods?resourceVersion=" + std::string(version);
}

// A list by watch of all pods that is not older than `version`.
std::string WatchListFrom(std::string_view version) {
  return "/api/v1/pods?watch=true&allowWatchBookmarks=true&sendInitialEvents=true"
         "&resourceVersionMatch=NotOlderThan&" +
         (version.empty() ? "" : Format("resourceVersion={}&", version)) + "timeoutSeconds=*";
}

ScriptedAnswer TooLargeVersion() {
  return JsonAnswer(504, R"({"kind":"Status","apiVersion":"v1","status":"Failure",)"
                         R"("reason":"Timeout","code":504,)"
                         R"("details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}})");
}

class ReflectorTestBase : public ::testing::Test {
 protected:
  ~ReflectorTestBase() override { Stop(); }

  void Start(InformerScope scope = {}, Duration resync_period = {}) {
    reflector_ = std::make_unique<Reflector>(client_, DescriptorOf<Pod>(), std::move(scope), fifo_,
                                             runtime_, resync_period);
    reflecting_ = runtime_.Start("reflector", [this] { reflector_->Run(stop_.get_token()); });
    consuming_ = runtime_.Start("consumer", [this] { Consume(); });
    runtime_.RunUntilIdle();
  }
  void Stop() {
    stop_.request_stop();
    reflecting_.reset();
    consuming_.reset();
  }
  void Consume() {
    while (auto deltas = fifo_.Pop(stop_.get_token())) {
      for (const Delta& delta : *deltas) {
        if (delta.type == Delta::Type::kDeleted) {
          store_.Delete(api::NameOf(AsPod(delta.object).metadata));
        } else {
          store_.Put(delta.object);
        }
        if (delta.type == Delta::Type::kSync) ++syncs_;
      }
      fifo_.Done();
    }
  }
  std::vector<std::string> Stored() const { return Versions(store_.List()); }
  size_t Lists() const {
    return transport_->Count("GET", kPodList) + transport_->Count("GET", kConsistentPodList) +
           transport_->Count("GET", ListFrom("*"));
  }
  size_t Watches() const { return transport_->Count("GET", kAnyWatch); }
  size_t WatchLists() const { return transport_->Count("GET", kPodWatchList); }

  testing::SimulatedRuntime runtime_;
  std::shared_ptr<testing::ScriptedTransport> transport_ =
      std::make_shared<testing::ScriptedTransport>(runtime_);
  Client client_{transport_, runtime_, {.qps = 0}};
  Indexer store_{DescriptorOf<Pod>()};
  DeltaFifo fifo_{DescriptorOf<Pod>(), store_, runtime_};
  std::unique_ptr<Reflector> reflector_;
  std::stop_source stop_;
  std::unique_ptr<Thread> reflecting_, consuming_;
  int syncs_ = 0;
};

// Of a server that refuses lists by watch.
class ReflectorTest : public ReflectorTestBase {
 protected:
  ReflectorTest() {
    transport_->OnEvery("GET", "*sendInitialEvents=true*",
                        [](const HttpRequest&) { return StatusAnswer(422, "Invalid"); });
  }
};

TEST_F(ReflectorTest, ListsInPagesAndWatchesFromTheListVersion) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {PodJson("a", "1")}, "more")));
  transport_->On("GET", "/api/v1/pods?limit=500&continue=more",
                 JsonAnswer(200, PodListJson("9", {PodJson("b", "2")})));
  auto watch = transport_->OnWatch(WatchFrom("9"));
  Start();
  EXPECT_TRUE(fifo_.HasSynced());
  EXPECT_TRUE(watch->IsOpen());
  EXPECT_THAT(Stored(), ElementsAre("a@1", "b@2"));
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "9");
  watch->SendEvent("MODIFIED", PodJson("a", "10"));
  watch->SendEvent("DELETED", PodJson("b", "11"));
  watch->SendEvent("ADDED", PodJson("c", "12"));
  runtime_.RunUntilIdle();
  EXPECT_THAT(Stored(), ElementsAre("a@10", "c@12"));
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "12");
}

TEST_F(ReflectorTest, RequestsItsScopeAndAWatchOfFiveToTenMinutes) {
  transport_->On("GET",
                 "/api/v1/namespaces/ns/pods?limit=500&labelSelector=a%3Db&fieldSelector=c%3Dd"
                 "&resourceVersion=0",
                 JsonAnswer(200, PodListJson("9", {})));
  std::set<int> timeouts;
  std::vector<std::shared_ptr<testing::ScriptedWatch>> watches;
  for (int i = 0; i < 8; ++i) {
    watches.push_back(transport_->OnWatch(
        "/api/v1/namespaces/ns/pods?watch=true&allowWatchBookmarks=true&labelSelector=a%3Db"
        "&fieldSelector=c%3Dd&resourceVersion=*&timeoutSeconds=*"));
  }
  Start({"ns", "a=b", "c=d"});
  for (int i = 0; i < 7; ++i) {
    runtime_.AdvanceBy(2s);
    watches[static_cast<size_t>(i)]->End();
    runtime_.RunUntilIdle();
  }
  for (const std::string& line : transport_->Lines()) {
    const size_t at = line.find("timeoutSeconds=");
    if (at == std::string::npos) continue;
    int seconds = 0;
    std::from_chars(line.data() + at + 15, line.data() + line.size(), seconds);
    EXPECT_GE(seconds, 300);
    EXPECT_LE(seconds, 600);
    timeouts.insert(seconds);
  }
  EXPECT_GT(timeouts.size(), 3u);
}

TEST_F(ReflectorTest, ListsAllAtOnceWhenTheContinueTokenExpires) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {PodJson("a", "1")}, "more")));
  transport_->On("GET", "/api/v1/pods?limit=500&continue=more", StatusAnswer(410, "Expired"));
  transport_->On("GET", ListFrom("0"),
                 JsonAnswer(200, PodListJson("15", {PodJson("b", "12"), PodJson("c", "13")})));
  auto watch = transport_->OnWatch(WatchFrom("15"));
  const MonotonicTime begin = runtime_.Now();
  Start();
  EXPECT_EQ(runtime_.Now(), begin);
  EXPECT_THAT(Stored(), ElementsAre("b@12", "c@13"));
  EXPECT_TRUE(watch->IsOpen());
}

TEST_F(ReflectorTest, ResumesAnEndedWatchFromTheLastVersionWithoutAList) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {})));
  auto first = transport_->OnWatch(WatchFrom("9"));
  auto second = transport_->OnWatch(WatchFrom("20"));
  auto third = transport_->OnWatch(WatchFrom("20"));
  Start();
  first->SendEvent("ADDED", PodJson("a", "12"));
  first->SendEvent("BOOKMARK", R"({"metadata":{"resourceVersion":"20"}})");
  first->End();
  runtime_.RunUntilIdle();
  EXPECT_TRUE(second->IsOpen());
  runtime_.AdvanceBy(5min);
  second->End();
  runtime_.RunUntilIdle();
  EXPECT_TRUE(third->IsOpen());
  EXPECT_EQ(Lists(), 1u);
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "20");
}

TEST_F(ReflectorTest, ResumesABrokenWatchAtOnce) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {})));
  auto first = transport_->OnWatch(WatchFrom("9"));
  auto second = transport_->OnWatch(WatchFrom("12"));
  auto third = transport_->OnWatch(WatchFrom("12"));
  Start();
  first->SendEvent("ADDED", PodJson("a", "12"));
  first->Send("{\"type\":\"MODI");
  first->Tear();
  runtime_.RunUntilIdle();
  EXPECT_TRUE(second->IsOpen());
  runtime_.AdvanceBy(2s);
  second->Send("{\"type\":\"MODI");
  second->End();
  runtime_.RunUntilIdle();
  EXPECT_TRUE(third->IsOpen());
  EXPECT_EQ(Lists(), 1u);
}

TEST_F(ReflectorTest, ListsAgainAfterAnExpiredWatch) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {PodJson("gone", "1")})));
  transport_->On("GET", ListFrom("9"), JsonAnswer(200, PodListJson("50", {PodJson("a", "44")})));
  transport_->On("GET", ListFrom("50"), JsonAnswer(200, PodListJson("70", {PodJson("a", "66")})));
  auto first = transport_->OnWatch(WatchFrom("9"));
  transport_->On("GET", WatchFrom("50"), StatusAnswer(410, "Gone"));
  auto third = transport_->OnWatch(WatchFrom("70"));
  Start();
  first->SendEvent("ERROR", R"({"kind":"Status","apiVersion":"v1","status":"Failure",)"
                            R"("reason":"Expired","code":410})");
  ASSERT_TRUE(runtime_.RunUntil([&] { return Lists() == 2; }, 2s));
  ASSERT_TRUE(runtime_.RunUntil([&] { return third->IsOpen(); }, 10s));
  EXPECT_THAT(Stored(), ElementsAre("a@66"));
}

TEST_F(ReflectorTest, KeepsWatchingWithBackoffWhileTheServerRefusesConnections) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {})));
  for (int i = 0; i < 6; ++i) transport_->On("GET", WatchFrom("9"), Refused());
  auto watch = transport_->OnWatch(WatchFrom("9"));
  const MonotonicTime begin = runtime_.Now();
  Start();
  EXPECT_EQ(Watches(), 1u);
  ASSERT_TRUE(runtime_.RunUntil([&] { return watch->IsOpen(); }, 10min));
  EXPECT_EQ(Lists(), 1u);
  // The sum of 0.8 + 1.6 + 3.2 + 6.4 + 12.8 + 25.6 seconds, and up to twice that.
  EXPECT_GE(runtime_.Now() - begin, 50s);
  EXPECT_LE(runtime_.Now() - begin, 101s);
}

TEST_F(ReflectorTest, HonorsTheRetryAfterOfA429OfAWatch) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {})));
  auto first = transport_->OnWatch(WatchFrom("9"));
  auto second = transport_->OnWatch(WatchFrom("9"));
  Start();
  first->SendEvent("ERROR", R"({"kind":"Status","apiVersion":"v1","status":"Failure",)"
                            R"("reason":"TooManyRequests","code":429,)"
                            R"("details":{"retryAfterSeconds":40}})");
  runtime_.AdvanceBy(39s);
  EXPECT_FALSE(second->IsOpen());
  runtime_.AdvanceBy(2s);
  EXPECT_TRUE(second->IsOpen());
  EXPECT_EQ(Lists(), 1u);
}

TEST_F(ReflectorTest, RetriesAListWithBackoff) {
  for (int i = 0; i < 3; ++i) transport_->On("GET", kPodList, StatusAnswer(403, "Forbidden"));
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {})));
  auto watch = transport_->OnWatch(WatchFrom("9"));
  const MonotonicTime begin = runtime_.Now();
  Start();
  EXPECT_FALSE(fifo_.HasSynced());
  ASSERT_TRUE(runtime_.RunUntil([&] { return watch->IsOpen(); }, 1min));
  EXPECT_GE(runtime_.Now() - begin, 5600ms);
  EXPECT_LE(runtime_.Now() - begin, 11200ms);
  EXPECT_TRUE(fifo_.HasSynced());
}

TEST_F(ReflectorTest, ListsAgainWhenAWatchIsForbidden) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {})));
  transport_->On("GET", WatchFrom("9"), StatusAnswer(403, "Forbidden"));
  transport_->On("GET", ListFrom("9"), JsonAnswer(200, PodListJson("10", {})));
  auto watch = transport_->OnWatch(WatchFrom("10"));
  Start();
  EXPECT_TRUE(runtime_.RunUntil([&] { return watch->IsOpen(); }, 10s));
}

TEST_F(ReflectorTest, ListsAgainWhenTheServerWasRestored) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("90", {})));
  transport_->On("GET", WatchFrom("90"), TooLargeVersion());
  transport_->On("GET", kConsistentPodList, JsonAnswer(200, PodListJson("10", {})));
  auto watch = transport_->OnWatch(WatchFrom("10"));
  Start();
  EXPECT_TRUE(runtime_.RunUntil([&] { return watch->IsOpen(); }, 10s));
}

TEST_F(ReflectorTest, DoesNotSpinOnWatchesThatEndAtOnce) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {})));
  transport_->OnEvery("GET", kAnyWatch, [](const HttpRequest&) { return JsonAnswer(200, ""); });
  Start();
  EXPECT_EQ(Watches(), 1u);
  runtime_.AdvanceBy(60s);
  EXPECT_LE(Watches(), 7u);
  EXPECT_GE(Watches(), 3u);
  EXPECT_EQ(Lists(), 1u);
}

TEST_F(ReflectorTest, RepeatsAllKnownObjectsAtEachResync) {
  transport_->On("GET", kPodList,
                 JsonAnswer(200, PodListJson("9", {PodJson("a", "1"), PodJson("b", "2")})));
  auto watch = transport_->OnWatch(WatchFrom("9"));
  Start({}, 10min);
  runtime_.AdvanceBy(9min);
  EXPECT_EQ(syncs_, 0);
  runtime_.AdvanceBy(1min);
  EXPECT_EQ(syncs_, 2);
  runtime_.AdvanceBy(10min);
  EXPECT_EQ(syncs_, 4);
}

TEST_F(ReflectorTest, KeepsAListedObjectThatDoesNotDecode) {
  transport_->On("GET", kPodList,
                 JsonAnswer(200, PodListJson("9", {PodJson("a", "1"), PodJson("b", "2")})));
  transport_->On("GET", WatchFrom("9"), StatusAnswer(410, "Gone"));
  transport_->On(
      "GET", ListFrom("9"),
      JsonAnswer(
          200,
          PodListJson(
              "20",
              {R"({"metadata":{"name":"a","namespace":"ns","resourceVersion":"12"},"spec":7})"})));
  auto watch = transport_->OnWatch(WatchFrom("20"));
  Start();
  ASSERT_TRUE(runtime_.RunUntil([&] { return watch->IsOpen(); }, 10s));
  EXPECT_THAT(Stored(), ElementsAre("a@1"));
  watch->SendEvent("DELETED",
                   R"({"metadata":{"name":"a","namespace":"ns","resourceVersion":"21"},"spec":7})");
  runtime_.RunUntilIdle();
  EXPECT_THAT(Stored(), ElementsAre());
}

TEST_F(ReflectorTest, StopsAtOnceDuringBackoff) {
  transport_->On("GET", kPodList, StatusAnswer(403, "Forbidden"));
  const MonotonicTime begin = runtime_.Now();
  Start();
  Stop();
  EXPECT_EQ(runtime_.Now(), begin);
}

TEST_F(ReflectorTest, StopsAtOnceDuringAList) {
  const MonotonicTime begin = runtime_.Now();
  ScriptedAnswer slow = JsonAnswer(200, PodListJson("9", {}));
  slow.delay = 20s;
  transport_->On("GET", kPodList, slow);
  Start({}, 1h);
  Stop();
  EXPECT_EQ(runtime_.Now(), begin);
}

TEST_F(ReflectorTest, ListsConsistentlyInPagesWhenTheServerLostTheLastVersion) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {PodJson("a", "1")})));
  transport_->On("GET", WatchFrom("9"), StatusAnswer(410, "Expired"));
  transport_->On("GET", ListFrom("9"), StatusAnswer(410, "Expired"));
  transport_->On("GET", kConsistentPodList,
                 JsonAnswer(200, PodListJson("70", {PodJson("b", "66")}, "more")));
  transport_->On("GET", "/api/v1/pods?limit=500&continue=more",
                 JsonAnswer(200, PodListJson("70", {PodJson("c", "67")})));
  auto watch = transport_->OnWatch(WatchFrom("70"));
  transport_->On("GET", ListFrom("70"), JsonAnswer(200, PodListJson("80", {})));
  auto last = transport_->OnWatch(WatchFrom("80"));
  Start();
  ASSERT_TRUE(runtime_.RunUntil([&] { return watch->IsOpen(); }, 10s));
  EXPECT_THAT(Stored(), ElementsAre("b@66", "c@67"));
  // From then on it prefers the watch cache again.
  watch->SendEvent("ERROR", R"({"kind":"Status","status":"Failure","reason":"Gone","code":410})");
  EXPECT_TRUE(runtime_.RunUntil([&] { return last->IsOpen(); }, 10s));
}

TEST_F(ReflectorTest, ListsConsistentlyAtOnceWhenTheServerDoesNotHaveTheLastVersionYet) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {})));
  transport_->On("GET", WatchFrom("9"), StatusAnswer(410, "Expired"));
  transport_->On("GET", ListFrom("9"), TooLargeVersion());
  transport_->On("GET", kConsistentPodList, JsonAnswer(200, PodListJson("8", {})));
  auto watch = transport_->OnWatch(WatchFrom("8"));
  Start();
  EXPECT_TRUE(runtime_.RunUntil([&] { return watch->IsOpen(); }, 2s));
}

TEST_F(ReflectorTest, PagesItsListsWhereTheServerHasNoWatchCache) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {PodJson("a", "1")}, "more")));
  transport_->On("GET", "/api/v1/pods?limit=500&continue=more",
                 JsonAnswer(200, PodListJson("9", {PodJson("b", "2")})));
  transport_->On("GET", WatchFrom("9"), StatusAnswer(410, "Expired"));
  transport_->On("GET", "/api/v1/pods?limit=500&resourceVersion=9",
                 JsonAnswer(200, PodListJson("20", {PodJson("a", "1")})));
  auto watch = transport_->OnWatch(WatchFrom("20"));
  Start();
  EXPECT_TRUE(runtime_.RunUntil([&] { return watch->IsOpen(); }, 10s));
}

TEST_F(ReflectorTest, AsksForListsByWatchAgainTenMinutesAfterARefusal) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {})));
  transport_->On("GET", WatchFrom("9"), StatusAnswer(410, "Expired"));
  transport_->On("GET", ListFrom("9"), JsonAnswer(200, PodListJson("20", {})));
  auto watch = transport_->OnWatch(WatchFrom("20"));
  Start();
  ASSERT_TRUE(runtime_.RunUntil([&] { return watch->IsOpen(); }, 10s));
  EXPECT_EQ(WatchLists(), 1u);
  runtime_.AdvanceBy(10min);
  auto upgraded = transport_->OnWatch(WatchListFrom("20"));
  watch->SendEvent("ERROR", R"({"kind":"Status","status":"Failure","reason":"Gone","code":410})");
  EXPECT_TRUE(runtime_.RunUntil([&] { return upgraded->IsOpen(); }, 10s));
  EXPECT_EQ(WatchLists(), 2u);
}

// Of a server that supports lists by watch.
class WatchListTest : public ReflectorTestBase {
 protected:
  // Sends the pods a1000, a1001, ..., and returns what the store holds then.
  std::vector<std::string> SendPods(testing::ScriptedWatch& watch, int count) {
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) {
      const std::string name = "a" + std::to_string(1000 + i);
      watch.SendEvent("ADDED", PodJson(name, "1"));
      names.push_back(name + "@1");
    }
    runtime_.RunUntilIdle();
    std::ranges::sort(names);
    return names;
  }
};

TEST_F(WatchListTest, FillsTheStoreAtTheEndOfTheInitialEventsAndGoesOnWithTheSameWatch) {
  auto watch = transport_->OnWatch(WatchListFrom(""));
  Start();
  watch->SendEvent("ADDED", PodJson("a", "1"));
  watch->SendEvent("ADDED", PodJson("b", "2"));
  runtime_.RunUntilIdle();
  EXPECT_THAT(Stored(), ElementsAre());
  EXPECT_FALSE(fifo_.HasSynced());
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "");
  watch->SendEvent("BOOKMARK", kEndOfInitialEvents);
  runtime_.RunUntilIdle();
  EXPECT_TRUE(fifo_.HasSynced());
  EXPECT_THAT(Stored(), ElementsAre("a@1", "b@2"));
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "9");
  EXPECT_EQ(fifo_.AppliedResourceVersion(), "9");
  watch->SendEvent("MODIFIED", PodJson("a", "10"));
  watch->SendEvent("DELETED", PodJson("b", "11"));
  runtime_.RunUntilIdle();
  EXPECT_THAT(Stored(), ElementsAre("a@10"));
  auto next = transport_->OnWatch(WatchFrom("11"));
  watch->End();
  runtime_.RunUntilIdle();
  EXPECT_TRUE(next->IsOpen());
  EXPECT_EQ(Lists(), 0u);
}

TEST_F(WatchListTest, AnEmptyCollectionIsSynced) {
  auto watch = transport_->OnWatch(WatchListFrom(""));
  watch->SendEvent("BOOKMARK", kEndOfInitialEvents);
  Start();
  EXPECT_TRUE(fifo_.HasSynced());
  EXPECT_TRUE(watch->IsOpen());
}

TEST_F(WatchListTest, ALongFirstOneFillsTheStoreInPartsAndIsSyncedAtItsEnd) {
  auto watch = transport_->OnWatch(WatchListFrom(""));
  Start();
  const std::vector<std::string> names = SendPods(*watch, 1001);
  EXPECT_EQ(Stored().size(), 1000u);
  EXPECT_FALSE(fifo_.HasSynced());
  EXPECT_EQ(fifo_.AppliedResourceVersion(), "");
  watch->SendEvent("BOOKMARK", kEndOfInitialEvents);
  runtime_.RunUntilIdle();
  EXPECT_THAT(Stored(), ElementsAreArray(names));
  EXPECT_TRUE(fifo_.HasSynced());
  EXPECT_EQ(fifo_.AppliedResourceVersion(), "9");
  EXPECT_EQ(fifo_.AppliedLists(), 1u);
}

TEST_F(WatchListTest, ChangesBetweenTheInitialEventsReachPartsInTheStore) {
  auto watch = transport_->OnWatch(WatchListFrom(""));
  Start();
  const std::vector<std::string> names = SendPods(*watch, 500);
  watch->SendEvent("ADDED", PodJson("b", "1"));
  watch->SendEvent("MODIFIED", PodJson("a1000", "2"));
  watch->SendEvent("DELETED", PodJson("a1001", "3"));
  watch->SendEvent("DELETED", PodJson("b", "4"));
  watch->SendEvent("ADDED", PodJson("b", "5"));
  for (const char* type : {"ADDED", "MODIFIED"}) {
    watch->SendEvent(
        type, R"({"metadata":{"name":"a1002","namespace":"ns","resourceVersion":"6"},"spec":7})");
  }
  watch->SendEvent("BOOKMARK", kEndOfInitialEvents);
  runtime_.RunUntilIdle();
  std::vector<std::string> expected = names;
  expected[0] = "a1000@2";
  expected.erase(expected.begin() + 1);
  expected.emplace_back("b@5");
  EXPECT_THAT(Stored(), ElementsAreArray(expected));
  EXPECT_TRUE(fifo_.HasSynced());
}

TEST_F(WatchListTest, TheListAfterATornOneTakesBackWhatItDoesNotContain) {
  auto torn = transport_->OnWatch(WatchListFrom(""));
  auto watch = transport_->OnWatch(WatchListFrom(""));
  Start();
  SendPods(*torn, 500);
  EXPECT_EQ(Stored().size(), 500u);
  torn->Tear();
  ASSERT_TRUE(runtime_.RunUntil([&] { return watch->IsOpen(); }, 2s));
  const std::vector<std::string> names = SendPods(*watch, 499);
  watch->SendEvent("ADDED", PodJson("b", "3"));
  runtime_.RunUntilIdle();
  EXPECT_EQ(Stored().size(), 500u);
  EXPECT_FALSE(fifo_.HasSynced());
  watch->SendEvent("BOOKMARK", kEndOfInitialEvents);
  runtime_.RunUntilIdle();
  std::vector<std::string> expected = names;
  expected.emplace_back("b@3");
  EXPECT_THAT(Stored(), ElementsAreArray(expected));
  EXPECT_TRUE(fifo_.HasSynced());
}

TEST_F(WatchListTest, AppliesChangesBetweenTheInitialEvents) {
  auto watch = transport_->OnWatch(WatchListFrom(""));
  Start();
  watch->SendEvent("ADDED", PodJson("a", "1"));
  watch->SendEvent("ADDED", PodJson("b", "2"));
  watch->SendEvent("MODIFIED", PodJson("a", "6"));
  watch->SendEvent("DELETED", PodJson("b", "7"));
  watch->SendEvent("ADDED", PodJson("c", "8"));
  watch->SendEvent("BOOKMARK", R"({"metadata":{"resourceVersion":"8"}})");
  runtime_.RunUntilIdle();
  EXPECT_FALSE(fifo_.HasSynced());
  watch->SendEvent("BOOKMARK", kEndOfInitialEvents);
  runtime_.RunUntilIdle();
  EXPECT_THAT(Stored(), ElementsAre("a@6", "c@8"));
}

TEST_F(WatchListTest, ListsAnewFromTheLastVersionAndNoticesDeletions) {
  auto first = transport_->OnWatch(WatchListFrom(""));
  first->SendEvent("ADDED", PodJson("gone", "1"));
  first->SendEvent("ADDED", PodJson("stays", "2"));
  first->SendEvent("BOOKMARK", kEndOfInitialEvents);
  first->SendEvent("ERROR", R"({"kind":"Status","status":"Failure","reason":"Gone","code":410})");
  auto second = transport_->OnWatch(WatchListFrom("9"));
  second->SendEvent("ADDED", PodJson("stays", "2"));
  second->SendEvent("BOOKMARK", R"({"metadata":{"resourceVersion":"50",)"
                                R"("annotations":{"k8s.io/initial-events-end":"true"}}})");
  Start();
  ASSERT_TRUE(runtime_.RunUntil([&] { return second->IsOpen(); }, 10s));
  runtime_.RunUntilIdle();
  EXPECT_THAT(Stored(), ElementsAre("stays@2"));
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "50");
}

TEST_F(WatchListTest, BeginsAtTheMostRecentVersionWhenTheServerLostTheLastOne) {
  for (const ScriptedAnswer& answer : {StatusAnswer(410, "Expired"), TooLargeVersion()}) {
    auto first = transport_->OnWatch(WatchListFrom(""));
    first->SendEvent("BOOKMARK", kEndOfInitialEvents);
    first->SendEvent("ERROR", R"({"kind":"Status","status":"Failure","reason":"Gone","code":410})");
    transport_->On("GET", WatchListFrom("9"), answer);
    auto second = transport_->OnWatch(WatchListFrom(""));
    Start();
    EXPECT_TRUE(runtime_.RunUntil([&] { return second->IsOpen(); }, 2s));
    EXPECT_EQ(Lists(), 0u);
    Stop();
    stop_ = {};
  }
}

TEST_F(WatchListTest, ATornOneIsRepeatedOnceAndThenReplacedByAListForTenMinutes) {
  for (int i = 0; i < 2; ++i) {
    auto torn = transport_->OnWatch(WatchListFrom(""));
    torn->SendEvent("ADDED", PodJson("a", "1"));
    torn->Send("{\"type\":\"ADD");
    torn->Tear();
  }
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {PodJson("b", "2")})));
  auto watch = transport_->OnWatch(WatchFrom("9"));
  Start();
  EXPECT_EQ(Lists(), 0u);
  ASSERT_TRUE(runtime_.RunUntil([&] { return watch->IsOpen(); }, 2s));
  EXPECT_THAT(Stored(), ElementsAre("b@2"));
  transport_->On("GET", ListFrom("9"), JsonAnswer(200, PodListJson("20", {})));
  auto second = transport_->OnWatch(WatchFrom("20"));
  watch->SendEvent("ERROR", R"({"kind":"Status","status":"Failure","reason":"Gone","code":410})");
  ASSERT_TRUE(runtime_.RunUntil([&] { return second->IsOpen(); }, 10s));
  EXPECT_EQ(WatchLists(), 2u);
}

TEST_F(WatchListTest, OneThatEndsBeforeItsBookmarkFillsNothing) {
  auto first = transport_->OnWatch(WatchListFrom(""));
  first->SendEvent("ADDED", PodJson("a", "1"));
  first->End();
  auto second = transport_->OnWatch(WatchListFrom(""));
  Start();
  EXPECT_THAT(Stored(), ElementsAre());
  EXPECT_TRUE(runtime_.RunUntil([&] { return second->IsOpen(); }, 2s));
}

TEST_F(WatchListTest, IsRepeatedWithBackoffWhileTheServerRefusesConnections) {
  for (int i = 0; i < 4; ++i) transport_->On("GET", WatchListFrom(""), Refused());
  auto watch = transport_->OnWatch(WatchListFrom(""));
  const MonotonicTime begin = runtime_.Now();
  Start();
  ASSERT_TRUE(runtime_.RunUntil([&] { return watch->IsOpen(); }, 1min));
  EXPECT_GE(runtime_.Now() - begin, 12s);
  EXPECT_EQ(Lists(), 0u);
}

TEST_F(WatchListTest, WaitsAsA429Asks) {
  auto first = transport_->OnWatch(WatchListFrom(""));
  first->SendEvent("ERROR", R"({"kind":"Status","apiVersion":"v1","status":"Failure",)"
                            R"("reason":"TooManyRequests","code":429,)"
                            R"("details":{"retryAfterSeconds":40}})");
  auto second = transport_->OnWatch(WatchListFrom(""));
  Start();
  runtime_.AdvanceBy(39s);
  EXPECT_FALSE(second->IsOpen());
  runtime_.AdvanceBy(2s);
  EXPECT_TRUE(second->IsOpen());
  EXPECT_EQ(Lists(), 0u);
}

TEST_F(WatchListTest, AServerThatNeverSendsTheBookmarkIsListed) {
  auto silent = transport_->OnWatch(WatchListFrom(""));
  silent->SendEvent("ADDED", PodJson("a", "1"));
  silent->SendEvent("MODIFIED", PodJson("a", "8"));
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {PodJson("b", "2")})));
  auto watch = transport_->OnWatch(WatchFrom("9"));
  const MonotonicTime begin = runtime_.Now();
  Start();
  ASSERT_TRUE(runtime_.RunUntil([&] { return watch->IsOpen(); }, 1min));
  EXPECT_GE(runtime_.Now() - begin, 30s);
  EXPECT_LE(runtime_.Now() - begin, 40s);
  EXPECT_FALSE(silent->IsOpen());
  EXPECT_THAT(Stored(), ElementsAre("b@2"));
}

TEST_F(WatchListTest, SlowInitialEventsAreWaitedFor) {
  auto watch = transport_->OnWatch(WatchListFrom(""));
  Start();
  for (int i = 0; i < 10; ++i) {
    watch->SendEvent("ADDED", PodJson("a" + std::to_string(i), "1"));
    runtime_.AdvanceBy(19s);
  }
  EXPECT_TRUE(watch->IsOpen());
  watch->SendEvent("BOOKMARK", kEndOfInitialEvents);
  runtime_.AdvanceBy(2min);
  EXPECT_TRUE(watch->IsOpen());
  EXPECT_EQ(Stored().size(), 10u);
}

TEST_F(WatchListTest, AServerThatDoesNotRespondIsListed) {
  ScriptedAnswer late = JsonAnswer(200, "");
  late.delay = 5min;
  transport_->On("GET", WatchListFrom(""), late);
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {})));
  auto watch = transport_->OnWatch(WatchFrom("9"));
  Start();
  EXPECT_TRUE(runtime_.RunUntil([&] { return watch->IsOpen(); }, 70s));
}

TEST_F(WatchListTest, AnotherErrorIsFollowedByAListForThisTimeOnly) {
  transport_->On("GET", WatchListFrom(""), StatusAnswer(500, "InternalError"));
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {})));
  transport_->On("GET", WatchFrom("9"), StatusAnswer(410, "Expired"));
  auto watch = transport_->OnWatch(WatchListFrom("9"));
  Start();
  EXPECT_TRUE(runtime_.RunUntil([&] { return watch->IsOpen(); }, 10s));
}

TEST_F(WatchListTest, KeepsAnObjectThatExistsButDoesNotDecode) {
  auto first = transport_->OnWatch(WatchListFrom(""));
  first->SendEvent("ADDED", PodJson("a", "1"));
  first->SendEvent("ADDED", PodJson("b", "2"));
  first->SendEvent("BOOKMARK", kEndOfInitialEvents);
  first->SendEvent("ERROR", R"({"kind":"Status","status":"Failure","reason":"Gone","code":410})");
  auto second = transport_->OnWatch(WatchListFrom("9"));
  second->SendEvent(
      "ADDED", R"({"metadata":{"name":"a","namespace":"ns","resourceVersion":"12"},"spec":7})");
  second->SendEvent("BOOKMARK", R"({"metadata":{"resourceVersion":"50",)"
                                R"("annotations":{"k8s.io/initial-events-end":"true"}}})");
  Start();
  ASSERT_TRUE(runtime_.RunUntil([&] { return second->IsOpen(); }, 10s));
  runtime_.RunUntilIdle();
  EXPECT_THAT(Stored(), ElementsAre("a@1"));
}

TEST_F(WatchListTest, StopsAtOnceDuringTheInitialEvents) {
  auto watch = transport_->OnWatch(WatchListFrom(""));
  watch->SendEvent("ADDED", PodJson("a", "1"));
  const MonotonicTime begin = runtime_.Now();
  Start();
  Stop();
  EXPECT_EQ(runtime_.Now(), begin);
  EXPECT_FALSE(watch->IsOpen());
}

TEST(Backoff, DoublesFrom800MillisecondsTo30SecondsWithJitterAndResets) {
  testing::SimulatedRuntime runtime;
  Backoff backoff(runtime);
  Duration base = 800ms;
  for (int i = 0; i < 10; ++i) {
    const Duration delay = backoff.Next();
    EXPECT_GE(delay, base);
    EXPECT_LE(delay, 2 * base);
    runtime.AdvanceBy(delay);
    base = std::min<Duration>(2 * base, 30s);
  }
  runtime.AdvanceBy(2min + 1s);
  EXPECT_LE(backoff.Next(), 1600ms);
}

}  // namespace
}  // namespace capstan
