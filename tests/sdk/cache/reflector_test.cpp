#include <capstan/cache/reflector.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <chrono>
#include <memory>
#include <set>
#include <string>

#include "cache/backoff.h"
#include "pods.h"
#include "support/scripted_transport.h"

#include <capstan/testing/simulated_runtime.h>

namespace capstan {
namespace {

using namespace std::chrono_literals;
using testing::AsPod;
using ::testing::ElementsAre;
using testing::JsonAnswer;
using testing::kPodList;
using testing::Pod;
using testing::PodJson;
using testing::PodListJson;
using testing::Refused;
using testing::ScriptedAnswer;
using testing::StatusAnswer;
using testing::Versions;

constexpr const char* kAnyWatch = "/api/v1/pods?watch=true*";

std::string WatchFrom(std::string_view version) {
  return "/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=" +
         std::string(version) + "&timeoutSeconds=*";
}

class ReflectorTest : public ::testing::Test {
 protected:
  ~ReflectorTest() override { Stop(); }

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
  size_t Lists() const { return transport_->Count("GET", kPodList); }
  size_t Watches() const { return transport_->Count("GET", kAnyWatch); }

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
                 "/api/v1/namespaces/ns/pods?limit=500&labelSelector=a%3Db&fieldSelector=c%3Dd",
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
  transport_->On("GET", "/api/v1/pods",
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
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("50", {PodJson("a", "44")})));
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("70", {PodJson("a", "66")})));
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
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("10", {})));
  auto watch = transport_->OnWatch(WatchFrom("10"));
  Start();
  EXPECT_TRUE(runtime_.RunUntil([&] { return watch->IsOpen(); }, 10s));
}

TEST_F(ReflectorTest, ListsAgainWhenTheServerWasRestored) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("90", {})));
  transport_->On("GET", WatchFrom("90"), JsonAnswer(504, R"({"kind":"Status","apiVersion":"v1",
      "status":"Failure","reason":"Timeout","code":504,
      "details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}})"));
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("10", {})));
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
      "GET", kPodList,
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
