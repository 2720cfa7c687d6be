#include "apiserver/storage/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include <capstan/testing/simulated_runtime.h>

namespace capstan::testing::server {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kPods = "pods";

json::Value Object(std::string_view name, std::string_view data = "") {
  return json::Value::Object({{"data", data}, {"metadata", json::Value::Object({{"name", name}})}});
}

std::vector<std::string> Names(const Snapshot& snapshot) {
  std::vector<std::string> names;
  for (const StoredObjectPtr& object : snapshot.objects) {
    names.push_back(object->value().Get("metadata", "name").AsString());
  }
  return names;
}

class StoreTest : public ::testing::Test {
 protected:
  explicit StoreTest(size_t history = 100) : store(runtime, history) {}

  StoredObjectPtr Create(std::string name, std::string namespace_ = "default") {
    return store.Put(kPods, {namespace_, name}, nullptr, Object(name));
  }
  StoredObjectPtr Modify(const std::string& name, std::string_view data) {
    const NamespacedName key{"default", name};
    return store.Put(kPods, key, store.Get(kPods, key), Object(name, data));
  }
  StoredObjectPtr Remove(const std::string& name) {
    const NamespacedName key{"default", name};
    const StoredObjectPtr present = store.Get(kPods, key);
    return store.Remove(kPods, key, present, present->value());
  }
  Result<std::vector<Change>> ChangesSince(int64_t version, int64_t* upto = nullptr) {
    int64_t complete = 0;
    std::stop_source stopped;
    stopped.request_stop();
    auto changes = store.Changes(kPods, version, std::nullopt, stopped.get_token(), complete);
    if (upto) *upto = complete;
    return changes;
  }

  SimulatedRuntime runtime;
  Store store;
};

class StoreWithShortHistory : public StoreTest {
 protected:
  StoreWithShortHistory() : StoreTest(3) {}
};

TEST_F(StoreTest, UsesOneVersionCounterForAllStorages) {
  const auto pod = Create("a");
  const auto lease = store.Put("leases", {"default", "l"}, nullptr, Object("l"));
  EXPECT_EQ(pod->version(), 2);
  EXPECT_EQ(lease->version(), 3);
  EXPECT_EQ(store.Version(), 3);
  EXPECT_EQ(pod->value().Get("metadata", "resourceVersion").AsString(), "2");
}

TEST_F(StoreTest, RefusesToCreateAnExistingObject) {
  ASSERT_TRUE(Create("a"));
  EXPECT_FALSE(Create("a"));
  EXPECT_EQ(store.Version(), 2);
}

TEST_F(StoreTest, RefusesAWriteWithAStaleVersion) {
  const auto first = Create("a");
  ASSERT_TRUE(Modify("a", "new"));
  EXPECT_FALSE(store.Put(kPods, {"default", "a"}, first, Object("a", "late")));
  EXPECT_FALSE(store.Remove(kPods, {"default", "a"}, first, Object("a")));
  EXPECT_EQ(store.Get(kPods, {"default", "a"})->value().Get("data").AsString(), "new");
}

TEST_F(StoreTest, RefusesToRemoveAMissingObject) {
  const auto first = Create("a");
  ASSERT_TRUE(Remove("a"));
  EXPECT_FALSE(store.Remove(kPods, {"default", "a"}, first, Object("a")));
  EXPECT_FALSE(store.Get(kPods, {"default", "a"}));
}

TEST_F(StoreTest, ListsInKeyOrderLikeEtcd) {
  Create("x", "ns");
  Create("z", "ns-1");
  Create("y", "ns");
  Create("w", "ns.a");
  // '-' and '.' sort before the '/' that ends the shorter namespace.
  EXPECT_THAT(Names(store.List(kPods, "")), ElementsAre("z", "w", "x", "y"));
  EXPECT_THAT(Names(store.List(kPods, "ns")), ElementsAre("x", "y"));
  EXPECT_THAT(Names(store.List(kPods, "n")), IsEmpty());
}

TEST_F(StoreTest, ListsAnOlderState) {
  Create("a");                                     // 2
  Create("b");                                     // 3
  const int64_t version = Create("d")->version();  // 4
  Create("c");
  Modify("b", "changed");
  Modify("b", "again");
  Remove("a");
  Create("z", "other");
  auto then = store.ListAt(kPods, "", version);
  ASSERT_TRUE(then.ok());
  EXPECT_EQ(then->version, version);
  EXPECT_THAT(Names(*then), ElementsAre("a", "b", "d"));
  EXPECT_EQ(then->objects[1]->value().Get("data").AsString(), "");
  EXPECT_THAT(Names(*store.ListAt(kPods, "default", store.Version())), ElementsAre("b", "c", "d"));
  EXPECT_THAT(Names(*store.ListAt(kPods, "other", version)), IsEmpty());
}

TEST_F(StoreTest, RefusesToListAFutureState) {
  Create("a");
  const Status status = store.ListAt(kPods, "", 99).status();
  EXPECT_TRUE(status.IsTimeout());
  EXPECT_EQ(status.message(), "Timeout: Too large resource version: 99, current: 2");
  EXPECT_TRUE(status.HasCause("ResourceVersionTooLarge"));
}

TEST_F(StoreTest, ReturnsChangesInOrderWithTheFormerObject) {
  Create("a");
  store.Put("leases", {"default", "l"}, nullptr, Object("l"));
  Modify("a", "new");
  Remove("a");
  int64_t upto = 0;
  const auto changes = ChangesSince(2, &upto);
  ASSERT_TRUE(changes.ok());
  ASSERT_EQ(changes->size(), 2U);
  EXPECT_EQ(changes->at(0).type, Change::Type::kModified);
  EXPECT_EQ(changes->at(0).previous->version(), 2);
  EXPECT_EQ(changes->at(1).type, Change::Type::kDeleted);
  EXPECT_EQ(changes->at(1).version, 5);
  EXPECT_EQ(changes->at(1).object->value().Get("metadata", "resourceVersion").AsString(), "5");
  EXPECT_EQ(upto, 5);
}

TEST_F(StoreTest, WaitsForTheNextChangeOfTheStorage) {
  std::vector<int64_t> seen;
  std::stop_source stop;
  auto thread = runtime.Start("watch", [&] {
    int64_t position = store.Version();
    while (true) {
      const auto changes = store.Changes(kPods, position, std::nullopt, stop.get_token(), position);
      ASSERT_TRUE(changes.ok());
      if (changes->empty()) return;
      for (const Change& change : *changes) seen.push_back(change.version);
    }
  });
  runtime.RunUntilIdle();
  store.Put("leases", {"default", "l"}, nullptr, Object("l"));
  runtime.RunUntilIdle();
  EXPECT_THAT(seen, IsEmpty());
  Create("a");
  runtime.RunUntilIdle();
  EXPECT_THAT(seen, ElementsAre(3));
  stop.request_stop();
  thread->Join();
}

TEST_F(StoreTest, EndsTheWaitAtTheDeadlineWithTheCurrentVersion) {
  bool ended = false;
  int64_t upto = 0;
  auto thread = runtime.Start("watch", [&] {
    const auto changes =
        store.Changes(kPods, 1, runtime.Now() + seconds(10), std::stop_token(), upto);
    EXPECT_TRUE(changes.ok() && changes->empty());
    ended = true;
  });
  runtime.AdvanceBy(seconds(9));
  store.Put("leases", {"default", "l"}, nullptr, Object("l"));
  EXPECT_FALSE(ended);
  runtime.AdvanceBy(seconds(1));
  EXPECT_TRUE(ended);
  EXPECT_EQ(upto, 2);
}

TEST_F(StoreTest, SkipsChangesUpToAFutureVersion) {
  Create("a");
  EXPECT_THAT(*ChangesSince(10), IsEmpty());
}

TEST_F(StoreWithShortHistory, ForgetsTheOldestChanges) {
  for (const char* name : {"a", "b", "c", "d", "e"}) Create(name);  // versions 2 to 6
  EXPECT_EQ(store.OldestVersion(kPods), 3);
  EXPECT_EQ(ChangesSince(3)->size(), 3U);
  const Status status = ChangesSince(2).status();
  EXPECT_TRUE(status.IsGone());
  EXPECT_EQ(status.message(), "too old resource version: 2 (3)");
  EXPECT_TRUE(store.ListAt(kPods, "", 3).ok());
  EXPECT_TRUE(store.ListAt(kPods, "", 2).status().IsGone());
}

TEST_F(StoreTest, CompactionExpiresOlderStates) {
  Create("a");
  Create("b");
  store.Compact();
  Create("c");
  EXPECT_TRUE(store.ListAt(kPods, "", 2).status().IsGone());
  EXPECT_TRUE(store.ListAt("leases", "", 2).status().IsGone());
  EXPECT_THAT(Names(*store.ListAt(kPods, "", 3)), ElementsAre("a", "b"));
  EXPECT_TRUE(ChangesSince(2).status().IsGone());
}

TEST_F(StoreTest, CompactionDoesNotAffectReadersThatAreUpToDate) {
  Create("a");
  store.Put("leases", {"default", "l"}, nullptr, Object("l"));
  store.Compact();
  EXPECT_TRUE(ChangesSince(2).ok());
}

TEST_F(StoreTest, ARestoredStateEqualsTheSavedOne) {
  Create("a");
  Create("b");
  const json::Value saved = store.Save();
  Remove("a");
  Create("c");
  ASSERT_TRUE(store.Load(saved).ok());
  EXPECT_EQ(store.Version(), 3);
  EXPECT_THAT(Names(store.List(kPods, "")), ElementsAre("a", "b"));
  EXPECT_EQ(store.Get(kPods, {"default", "b"})->version(), 3);
  EXPECT_EQ(Create("d")->version(), 4);
}

TEST_F(StoreTest, ARestoreEndsEarlierWaits) {
  Create("a");
  const json::Value saved = store.Save();
  Create("b");
  Status status;
  const int64_t epoch = store.Epoch();
  auto thread = runtime.Start("watch", [&] {
    int64_t upto = 0;
    status = store.Changes(kPods, 3, std::nullopt, std::stop_token(), upto, epoch).status();
  });
  runtime.RunUntilIdle();
  EXPECT_TRUE(status.ok());
  ASSERT_TRUE(store.Load(saved).ok());
  runtime.RunUntilIdle();
  EXPECT_TRUE(status.IsGone());
}

TEST_F(StoreTest, AwaitsAVersionChange) {
  int64_t seen = 0;
  auto thread = runtime.Start("collector", [&] {
    EXPECT_TRUE(store.AwaitChange(1, std::stop_token()));
    seen = store.Version();
  });
  runtime.RunUntilIdle();
  EXPECT_EQ(seen, 0);
  store.Put("leases", {"default", "l"}, nullptr, Object("l"));
  runtime.RunUntilIdle();
  EXPECT_EQ(seen, 2);
}

struct BadState {
  const char* name;
  const char* json;
};

class StoreLoad : public StoreTest, public ::testing::WithParamInterface<BadState> {};

TEST_P(StoreLoad, RefusesAnInvalidStateAndKeepsTheCurrentOne) {
  Create("a");
  auto state = json::ParseValue(GetParam().json);
  ASSERT_TRUE(state.ok());
  EXPECT_FALSE(store.Load(state->value).ok());
  EXPECT_THAT(Names(store.List(kPods, "")), ElementsAre("a"));
  EXPECT_EQ(store.Version(), 2);
}

INSTANTIATE_TEST_SUITE_P(
    BadStates, StoreLoad,
    ::testing::Values(
        BadState{"NotAnObject", "[]"}, BadState{"NoVersion", R"({"storages":{}})"},
        BadState{"VersionBelowOne", R"({"version":0})"},
        BadState{"VersionIsText", R"({"version":"5"})"},
        BadState{"StorageIsNoList", R"({"version":5,"storages":{"pods":{}}})"},
        BadState{"EntryWithoutName", R"({"version":5,"storages":{"pods":[{"object":{}}]}})"},
        BadState{"EntryWithoutObject", R"({"version":5,"storages":{"pods":[{"name":"a"}]}})"},
        BadState{"ObjectWithoutVersion",
                 R"({"version":5,"storages":{"pods":[{"name":"a","object":{}}]}})"},
        BadState{"ObjectOfTheFuture",
                 R"({"version":5,"storages":{"pods":[{"name":"a","object":
                    {"metadata":{"resourceVersion":"6"}}}]}})"}),
    [](const auto& info) { return info.param.name; });

TEST(StoredObject, PrintsItselfWithAndWithoutItsKind) {
  const StoredObject object(
      json::Value::Object({{"apiVersion", "v1"}, {"data", "x"}, {"kind", "ConfigMap"}}), 7);
  EXPECT_EQ(object.text(), R"({"apiVersion":"v1","data":"x","kind":"ConfigMap"})");
  EXPECT_EQ(object.item_text(), R"({"data":"x"})");
}

}  // namespace
}  // namespace capstan::testing::server
