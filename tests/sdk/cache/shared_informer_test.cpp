#include <capstan/cache/shared_informer.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pods.h"
#include "support/scripted_transport.h"

#include <capstan/api/apps_v1.h>
#include <capstan/testing/simulated_runtime.h>

namespace capstan {
namespace {

using namespace std::chrono_literals;
using testing::AsPod;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::JsonAnswer;
using testing::kPodList;
using testing::Pod;
using testing::PodJson;
using testing::PodListJson;
using testing::ScriptedAnswer;
using testing::StatusAnswer;
using ::testing::UnorderedElementsAre;

constexpr const char* kRelist = "/api/v1/pods?resourceVersion=9";
constexpr const char* kWatch = "/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=*";

std::string NameOf(const ObjectPtr& object) {
  return AsPod(object).metadata.name + "@" + AsPod(object).metadata.resourceVersion;
}

EventHandler Record(std::vector<std::string>& notifications) {
  return {[&notifications](const ObjectPtr& object, bool initial) {
            notifications.push_back("add " + NameOf(object) + (initial ? " initial" : ""));
          },
          [&notifications](const ObjectPtr& before, const ObjectPtr& after) {
            notifications.push_back("update " + NameOf(before) + " " + NameOf(after));
          },
          [&notifications](const ObjectPtr& object, bool unknown) {
            notifications.push_back("delete " + NameOf(object) + (unknown ? " unknown" : ""));
          }};
}

// Lists are by request here; reflector_test.cpp has those by watch.
void RefuseWatchLists(testing::ScriptedTransport& transport) {
  transport.OnEvery("GET", "*sendInitialEvents=true*",
                    [](const HttpRequest&) { return StatusAnswer(422, "Invalid"); });
}

class SharedInformerTest : public ::testing::TestWithParam<uint64_t> {
 protected:
  SharedInformerTest() { RefuseWatchLists(*transport_); }

  SharedInformer& Informer(Duration resync_period = {}) {
    informer_ = std::make_unique<SharedInformer>(client_, DescriptorOf<Pod>(), InformerScope{},
                                                 runtime_, resync_period);
    return *informer_;
  }

  void Keep(std::shared_ptr<void> registration) {
    registrations_.push_back(std::move(registration));
  }

  testing::SimulatedRuntime runtime_{GetParam()};
  std::shared_ptr<testing::ScriptedTransport> transport_ =
      std::make_shared<testing::ScriptedTransport>(runtime_);
  Client client_{transport_, runtime_, {.qps = 0}};
  std::unique_ptr<SharedInformer> informer_;
  std::vector<std::shared_ptr<void>> registrations_;
};

// Each seed gives a different interleaving.
INSTANTIATE_TEST_SUITE_P(Seeds, SharedInformerTest, ::testing::Range<uint64_t>(1, 11));

TEST_P(SharedInformerTest, NotifiesHandlersOfTheFirstListAndThenOfEachChange) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {PodJson("a", "1")})));
  auto watch = transport_->OnWatch(kWatch);
  SharedInformer& informer = Informer();
  std::vector<std::string> notifications;
  Keep(informer.AddEventHandler(Record(notifications)));
  EXPECT_FALSE(informer.HasSynced());
  informer.Start();
  informer.Start();
  runtime_.RunUntilIdle();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_EQ(informer.LastSyncResourceVersion(), "9");
  watch->SendEvent("ADDED", PodJson("b", "10"));
  runtime_.RunUntilIdle();
  watch->SendEvent("MODIFIED", PodJson("a", "11"));
  runtime_.RunUntilIdle();
  watch->SendEvent("DELETED", PodJson("b", "12"));
  runtime_.RunUntilIdle();
  EXPECT_THAT(notifications,
              ElementsAre("add a@1 initial", "add b@10", "update a@1 a@11", "delete b@12"));
  EXPECT_EQ(informer.LastSyncResourceVersion(), "12");
  EXPECT_EQ(informer.indexer()->size(), 1u);
}

TEST_P(SharedInformerTest, TheStoreIsAtLeastAsNewAsANotification) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {PodJson("a", "1")})));
  auto watch = transport_->OnWatch(kWatch);
  SharedInformer& informer = Informer();
  const auto store = informer.indexer();
  int checked = 0;
  Keep(informer.AddEventHandler({[&](const ObjectPtr& object, bool) {
                                   EXPECT_EQ(store->Get("ns", AsPod(object).metadata.name), object);
                                   ++checked;
                                 },
                                 nullptr,
                                 [&](const ObjectPtr& object, bool) {
                                   EXPECT_EQ(store->Get("ns", AsPod(object).metadata.name),
                                             nullptr);
                                   ++checked;
                                 }}));
  informer.Start();
  runtime_.RunUntilIdle();
  watch->SendEvent("DELETED", PodJson("a", "10"));
  runtime_.RunUntilIdle();
  EXPECT_EQ(checked, 2);
}

TEST(SharedInformer, NotifiesHandlersOfAFirstListThatComesInPartsWhenItIsComplete) {
  testing::SimulatedRuntime runtime;
  const auto transport = std::make_shared<testing::ScriptedTransport>(runtime);
  const auto watch = transport->OnWatch(testing::kPodWatchList);
  SharedInformer informer(Client(transport, runtime, {.qps = 0}), DescriptorOf<Pod>(), {}, runtime,
                          {});
  std::vector<std::string> notifications;
  const auto registration = informer.AddEventHandler(Record(notifications));
  informer.Start();
  for (int i = 0; i < 500; ++i) {
    watch->SendEvent("ADDED", PodJson("a" + std::to_string(i), "1"));
  }
  watch->SendEvent("DELETED", PodJson("a7", "2"));
  watch->SendEvent("MODIFIED", PodJson("a8", "3"));
  runtime.RunUntilIdle();
  EXPECT_EQ(informer.indexer()->size(), 500u);
  EXPECT_THAT(notifications, ElementsAre());
  EXPECT_FALSE(informer.HasSynced());
  watch->SendEvent("BOOKMARK", testing::kEndOfInitialEvents);
  runtime.RunUntilIdle();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_EQ(notifications.size(), 499u);
  EXPECT_THAT(notifications, Contains("add a8@3 initial"));
}

TEST_P(SharedInformerTest, NotifiesALateHandlerOfTheStoreAndThenOfEachChangeOnce) {
  transport_->On("GET", kPodList,
                 JsonAnswer(200, PodListJson("9", {PodJson("a", "1"), PodJson("b", "2")})));
  auto watch = transport_->OnWatch(kWatch);
  SharedInformer& informer = Informer();
  std::vector<std::string> early, late;
  Keep(informer.AddEventHandler(Record(early)));
  informer.Start();
  // Both are notified of the list before or after the change, depending on the seed.
  auto adder = runtime_.Start("adder", [&] { Keep(informer.AddEventHandler(Record(late))); });
  watch->SendEvent("MODIFIED", PodJson("a", "10"));
  runtime_.RunUntilIdle();
  watch->SendEvent("DELETED", PodJson("b", "11"));
  runtime_.RunUntilIdle();
  for (const std::vector<std::string>& seen : {early, late}) {
    EXPECT_THAT(seen, Contains("add b@2 initial").Times(1));
    EXPECT_THAT(seen, Contains("delete b@11").Times(1));
    const bool saw_change = std::ranges::find(seen, "update a@1 a@10") != seen.end();
    EXPECT_THAT(seen, Contains(saw_change ? "add a@1 initial" : "add a@10 initial").Times(1));
    EXPECT_EQ(seen.size(), saw_change ? 4u : 3u);
  }
  EXPECT_TRUE(informer.HasSynced());
}

TEST_P(SharedInformerTest, ALateHandlerHasSyncedAfterItsFirstNotifications) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {PodJson("a", "1")})));
  auto watch = transport_->OnWatch(kWatch);
  SharedInformer& informer = Informer();
  informer.Start();
  EXPECT_TRUE(informer.WaitForSync({}));
  std::vector<std::string> notifications;
  Keep(informer.AddEventHandler(Record(notifications)));
  bool synced_during_notification = false;
  Keep(informer.AddEventHandler(
      {[&](const ObjectPtr&, bool) { synced_during_notification = informer.HasSynced(); }, nullptr,
       nullptr}));
  EXPECT_FALSE(informer.HasSynced());
  EXPECT_TRUE(informer.WaitForSync({}));
  EXPECT_THAT(notifications, ElementsAre("add a@1 initial"));
  EXPECT_FALSE(synced_during_notification);
}

TEST_P(SharedInformerTest, HasSyncedAfterAnEmptyList) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {})));
  auto watch = transport_->OnWatch(kWatch);
  SharedInformer& informer = Informer();
  informer.Start();
  EXPECT_TRUE(informer.WaitForSync({}));
  EXPECT_EQ(informer.LastSyncResourceVersion(), "9");
}

TEST_P(SharedInformerTest, NotifiesOfADeletionThatANewListReveals) {
  transport_->On("GET", kPodList,
                 JsonAnswer(200, PodListJson("9", {PodJson("a", "1"), PodJson("b", "2")})));
  transport_->On("GET", kWatch, StatusAnswer(410, "Expired"));
  transport_->On("GET", kRelist,
                 JsonAnswer(200, PodListJson("20", {PodJson("a", "1"), PodJson("c", "15")})));
  auto watch = transport_->OnWatch(kWatch);
  SharedInformer& informer = Informer();
  std::vector<std::string> notifications;
  Keep(informer.AddEventHandler(Record(notifications)));
  informer.Start();
  ASSERT_TRUE(runtime_.RunUntil([&] { return watch->IsOpen(); }, 10s));
  EXPECT_THAT(notifications, UnorderedElementsAre("add a@1 initial", "add b@2 initial", "add c@15",
                                                  "delete b@2 unknown"));
  EXPECT_EQ(informer.LastSyncResourceVersion(), "20");
}

TEST_P(SharedInformerTest, RepeatsEachObjectAtAResync) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {PodJson("a", "1")})));
  auto watch = transport_->OnWatch(kWatch);
  SharedInformer& informer = Informer(1h);
  std::vector<std::string> notifications;
  Keep(informer.AddEventHandler(Record(notifications)));
  informer.Start();
  runtime_.AdvanceBy(2h);
  EXPECT_THAT(notifications, ElementsAre("add a@1 initial", "update a@1 a@1", "update a@1 a@1"));
}

TEST_P(SharedInformerTest, DoesNotNotifyARemovedHandler) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {PodJson("a", "1")})));
  auto watch = transport_->OnWatch(kWatch);
  SharedInformer& informer = Informer();
  std::vector<std::string> kept, dropped;
  Keep(informer.AddEventHandler(Record(kept)));
  auto registration = informer.AddEventHandler(Record(dropped));
  informer.Start();
  runtime_.RunUntilIdle();
  registration.reset();
  watch->SendEvent("ADDED", PodJson("b", "10"));
  runtime_.RunUntilIdle();
  EXPECT_THAT(kept, ElementsAre("add a@1 initial", "add b@10"));
  EXPECT_THAT(dropped, ElementsAre("add a@1 initial"));
}

TEST_P(SharedInformerTest, RemovalOfAHandlerWaitsForItsCurrentCall) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {PodJson("a", "1")})));
  transport_->OnWatch(kWatch);
  SharedInformer& informer = Informer();
  bool calling = false;
  bool called = false;
  auto registration = informer.AddEventHandler({[&](const ObjectPtr&, bool) {
                                                  calling = true;
                                                  runtime_.SleepFor(1s, {});
                                                  calling = false;
                                                  called = true;
                                                },
                                                nullptr, nullptr});
  informer.Start();
  ASSERT_TRUE(runtime_.RunUntil([&] { return calling; }, 10s));
  bool was_calling = true;
  auto remover = runtime_.Start("remover", [&] {
    registration.reset();
    was_calling = calling;
  });
  ASSERT_TRUE(runtime_.RunUntil([&] { return called; }, 10s));
  remover->Join();
  EXPECT_FALSE(was_calling);
}

TEST_P(SharedInformerTest, APartOfAFactoryHandlesOnlyItsOwnInformers) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {})));
  transport_->OnWatch(kWatch);
  SharedInformerFactory whole(client_, runtime_, 0s);
  whole.InformerFor<api::apps::v1::ReplicaSet>();
  {
    SharedInformerFactory part(whole);
    SharedInformer& pods = part.InformerFor<api::core::v1::Pod>();
    EXPECT_EQ(&pods, &whole.InformerFor<api::core::v1::Pod>());
    EXPECT_THAT(part.Informers(), ElementsAre(&pods));
    part.Start();
    EXPECT_TRUE(part.WaitForCacheSync({}));
    EXPECT_TRUE(part.HasSynced());
    EXPECT_FALSE(whole.HasSynced());
  }
  EXPECT_TRUE(whole.InformerFor<api::core::v1::Pod>().HasSynced());
  EXPECT_EQ(whole.Informers().size(), 2u);
}

// --- Which fields are kept ---

std::string FullPod(std::string_view name, std::string_view version) {
  return Format(R"({{"metadata":{{"name":"{}","namespace":"ns","resourceVersion":"{}"}},)"
                R"("spec":{{"nodeName":"node","priority":7}},"status":{{"phase":"Running"}}}})",
                name, version);
}

FieldSet Fields(std::string_view path) {
  return *FieldSet::Of(DescriptorOf<Pod>(), std::span(&path, 1));
}

// "a@1 node/-/-": the fields that are kept.
std::string Shown(const ObjectPtr& object) {
  const Pod& pod = AsPod(object);
  const auto text = [](std::string_view value) { return value.empty() ? "-" : std::string(value); };
  return Format("{} {}/{}/{}", NameOf(object), text(pod.spec.nodeName),
                pod.spec.extras->priority.value_or(0), text(pod.status.phase));
}

EventHandler ShowAll(std::vector<std::string>& notifications) {
  return {[&notifications](const ObjectPtr& object, bool) {
            notifications.push_back("add " + Shown(object));
          },
          [&notifications](const ObjectPtr& before, const ObjectPtr& after) {
            notifications.push_back("update " + Shown(before) + " to " + Shown(after));
          },
          [&notifications](const ObjectPtr& object, bool) {
            notifications.push_back("delete " + Shown(object));
          }};
}

TEST_P(SharedInformerTest, KeepsTheRequestedFields) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {FullPod("a", "1")})));
  auto watch = transport_->OnWatch(kWatch);
  SharedInformer& informer = Informer();
  informer.Keep(Fields("spec.nodeName"));
  informer.Keep(Fields("status.phase"));
  std::vector<std::string> notifications;
  Keep(informer.AddEventHandler(ShowAll(notifications)));
  informer.Start();
  runtime_.RunUntilIdle();
  watch->SendEvent("MODIFIED", FullPod("a", "10"));
  runtime_.RunUntilIdle();
  EXPECT_THAT(notifications, ElementsAre("add a@1 node/0/Running",
                                         "update a@1 node/0/Running to a@10 node/0/Running"));
}

TEST_P(SharedInformerTest, KeepsAllFieldsWithoutAFieldSelection) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {FullPod("a", "1")})));
  transport_->OnWatch(kWatch);
  SharedInformer& informer = Informer();
  informer.Start();
  runtime_.RunUntilIdle();
  EXPECT_EQ(Shown(informer.indexer()->Get("ns", "a")), "a@1 node/7/Running");
}

TEST_P(SharedInformerTest, ListsAgainForMoreFieldsAndKeepsTheFormerOnesUntilThen) {
  transport_->On("GET", kPodList,
                 JsonAnswer(200, PodListJson("9", {FullPod("a", "1"), FullPod("b", "2")})));
  auto first = transport_->OnWatch(kWatch);
  SharedInformer& informer = Informer();
  informer.Keep(Fields("spec.nodeName"));
  std::vector<std::string> notifications, late_notifications;
  Keep(informer.AddEventHandler(ShowAll(notifications)));
  informer.Start();
  runtime_.RunUntilIdle();
  // The list is slow.
  ScriptedAnswer answer =
      JsonAnswer(200, PodListJson("20", {FullPod("a", "1"), FullPod("b", "15")}));
  answer.delay = 1s;
  transport_->On("GET", kRelist, answer);
  auto second = transport_->OnWatch(kWatch);
  informer.Keep(Fields("spec.priority"));
  Keep(informer.AddEventHandler(ShowAll(late_notifications)));
  runtime_.AdvanceBy(500ms);
  EXPECT_FALSE(first->IsOpen());
  EXPECT_FALSE(informer.HasSynced());
  EXPECT_FALSE(informer.HasSynced(Fields("spec.priority")));
  EXPECT_TRUE(informer.HasSynced(Fields("spec.nodeName"))) << "the existing handler continues";
  EXPECT_THAT(late_notifications, ElementsAre());
  runtime_.AdvanceBy(1s);
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_TRUE(second->IsOpen());
  EXPECT_THAT(late_notifications, UnorderedElementsAre("add a@1 node/7/-", "add b@15 node/7/-"));
  EXPECT_THAT(notifications, UnorderedElementsAre("add a@1 node/0/-", "add b@2 node/0/-",
                                                  "update b@2 node/0/- to b@15 node/7/-"))
      << "of a nothing has changed";
  EXPECT_EQ(Shown(informer.indexer()->Get("ns", "a")), "a@1 node/7/-");
  // No additional fields are requested.
  informer.Keep(Fields("spec.nodeName"));
  runtime_.RunUntilIdle();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_EQ(transport_->Requests().size(), 5u);
}

TEST_P(SharedInformerTest, ListsOnceMoreWhenFieldsAreAddedDuringTheFirstList) {
  ScriptedAnswer answer = JsonAnswer(200, PodListJson("9", {FullPod("a", "1")}));
  answer.delay = 1s;
  transport_->On("GET", kPodList, answer);
  transport_->On("GET", kPodList, answer);
  transport_->OnWatch(kWatch);
  SharedInformer& informer = Informer();
  informer.Keep(Fields("spec.nodeName"));
  std::vector<std::string> notifications, late_notifications;
  Keep(informer.AddEventHandler(ShowAll(notifications)));
  informer.Start();
  runtime_.AdvanceBy(500ms);
  informer.Keep(Fields("spec.priority"));
  Keep(informer.AddEventHandler(ShowAll(late_notifications)));
  runtime_.AdvanceBy(2s);
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_THAT(notifications, ElementsAre("add a@1 node/7/-"));
  EXPECT_THAT(late_notifications, ElementsAre("add a@1 node/7/-"));
}

TEST_P(SharedInformerTest, HasNotSyncedUntilTheListForMoreFieldsSucceeds) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {FullPod("a", "1")})));
  auto first = transport_->OnWatch(kWatch);
  SharedInformer& informer = Informer();
  informer.Keep(Fields("spec.nodeName"));
  informer.Start();
  runtime_.RunUntilIdle();
  transport_->On("GET", kRelist, StatusAnswer(500, "InternalError"));
  transport_->On("GET", kRelist, JsonAnswer(200, PodListJson("20", {})));
  transport_->OnWatch(kWatch);
  informer.Keep(Fields("spec.priority"));
  runtime_.RunUntilIdle();
  EXPECT_FALSE(informer.HasSynced());
  EXPECT_TRUE(informer.HasSynced(Fields("spec.nodeName")));
  runtime_.AdvanceBy(10s);
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_EQ(informer.indexer()->size(), 0u);
}

TEST_P(SharedInformerTest, PartsOfAFactoryMergeTheirFields) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {FullPod("a", "1")})));
  transport_->OnWatch(kWatch);
  SharedInformerFactory whole(client_, runtime_, 0s);
  SharedInformerFactory one(whole);
  SharedInformerFactory two(whole);
  one.Reads(DescriptorOf<Pod>(), Fields("spec.nodeName"));
  const auto pods = one.ListerFor<Pod>();
  two.InformerFor<Pod>();
  two.Reads(DescriptorOf<Pod>(), Fields("spec.priority"));
  two.Reads(DescriptorOf<Pod>(), Fields("status.phase"));
  one.ShareReads();
  two.ShareReads();
  one.Start();
  two.Start();
  EXPECT_TRUE(one.WaitForCacheSync({}));
  EXPECT_TRUE(two.HasSynced());
  EXPECT_EQ(Shown(pods.Get("ns", "a")), "a@1 node/7/Running");
  EXPECT_EQ(transport_->Requests().size(), 3u);
}

TEST_P(SharedInformerTest, APartWithoutAFieldSelectionKeepsAllFields) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {FullPod("a", "1")})));
  transport_->OnWatch(kWatch);
  SharedInformerFactory whole(client_, runtime_, 0s);
  SharedInformerFactory one(whole);
  SharedInformerFactory two(whole);
  one.Reads(DescriptorOf<Pod>(), Fields("spec.nodeName"));
  const auto pods = one.ListerFor<Pod>();
  two.InformerFor<Pod>();
  one.ShareReads();
  two.Start();
  EXPECT_TRUE(two.WaitForCacheSync({}));
  EXPECT_EQ(Shown(pods.Get("ns", "a")), "a@1 node/7/Running");
}

TEST_P(SharedInformerTest, OutlivesAHandlerThatThrows) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {PodJson("a", "1")})));
  auto watch = transport_->OnWatch(kWatch);
  SharedInformer& informer = Informer();
  std::vector<std::string> notifications;
  Keep(informer.AddEventHandler(
      {[](const ObjectPtr&, bool) { throw std::runtime_error("oops"); }, nullptr, nullptr}));
  Keep(informer.AddEventHandler({[](const ObjectPtr&, bool) { throw 7; }, nullptr, nullptr}));
  Keep(informer.AddEventHandler(Record(notifications)));
  informer.Start();
  watch->SendEvent("ADDED", PodJson("b", "10"));
  runtime_.RunUntilIdle();
  EXPECT_THAT(notifications, ElementsAre("add a@1 initial", "add b@10"));
}

TEST_P(SharedInformerTest, StopsAtOnceAndCannotRestart) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {})));
  auto watch = transport_->OnWatch(kWatch);
  SharedInformer& informer = Informer(1h);
  informer.Start();
  runtime_.RunUntilIdle();
  const MonotonicTime begin = runtime_.Now();
  {
    auto other = runtime_.Start("another stop", [&] { informer.Stop(); });
    informer.Stop();
  }
  EXPECT_EQ(runtime_.Now(), begin);
  EXPECT_FALSE(watch->IsOpen());
  informer.Start();
  runtime_.AdvanceBy(1h);
  EXPECT_EQ(transport_->Requests().size(), 3u);
}

TEST_P(SharedInformerTest, StopsWithoutAStart) {
  SharedInformer& informer = Informer();
  EXPECT_FALSE(informer.HasSynced());
  informer.Stop();
  EXPECT_FALSE(informer.WaitForSync({}));
}

class SharedInformerFactoryTest : public ::testing::Test {
 protected:
  SharedInformerFactoryTest() { RefuseWatchLists(*transport_); }

  testing::SimulatedRuntime runtime_;
  std::shared_ptr<testing::ScriptedTransport> transport_ =
      std::make_shared<testing::ScriptedTransport>(runtime_);
  SharedInformerFactory factory_{Client(transport_, runtime_, {.qps = 0}), runtime_, {}};
};

TEST_F(SharedInformerFactoryTest, ReturnsOneInformerPerTypeAndScope) {
  SharedInformer& all = factory_.InformerFor<Pod>();
  EXPECT_EQ(&factory_.InformerFor<Pod>(), &all);
  EXPECT_NE(&factory_.InformerFor<Pod>({"ns", "", ""}), &all);
  EXPECT_EQ(&factory_.InformerFor<Pod>({"ns", "", ""}), &factory_.InformerFor<Pod>({"ns", "", ""}));
  // Another struct for the same resource has its own informer.
  EXPECT_NE(&factory_.InformerFor<api::core::v1::PodFromTemplate>(), &all);
  EXPECT_EQ(factory_.InformerFor<Pod>({"ns", "", ""}).scope().namespace_, "ns");
}

TEST_F(SharedInformerFactoryTest, ScopesNamespacedObjectsToItsDefaultNamespace) {
  SharedInformerFactory shop(Client(transport_, runtime_, {.qps = 0}), runtime_, {}, "shop");
  SharedInformer& pods = shop.InformerFor<Pod>();
  EXPECT_EQ(pods.scope().namespace_, "shop");
  EXPECT_EQ(&shop.InformerFor<Pod>({"shop", "", ""}), &pods);
  EXPECT_EQ(shop.InformerFor<Pod>({"", "app=web", ""}).scope(),
            (InformerScope{"shop", "app=web", ""}));
  EXPECT_EQ(shop.InformerFor<Pod>({"other", "", ""}).scope().namespace_, "other");
  EXPECT_EQ(shop.InformerFor<api::core::v1::Node>().scope().namespace_, "");
  SharedInformerFactory part(shop);
  EXPECT_EQ(&part.InformerFor<Pod>(), &pods);
  EXPECT_EQ(&part.InformerFor<Pod>(), &pods);
  EXPECT_THAT(part.Informers(), ElementsAre(&pods));

  transport_->On("GET", "/api/v1/namespaces/shop/pods?limit=500&resourceVersion=0",
                 JsonAnswer(200, PodListJson("9", {})));
  transport_->OnWatch("/api/v1/namespaces/shop/pods?watch=true*&resourceVersion=9*");
  part.Start();
  EXPECT_TRUE(part.WaitForCacheSync({}));
}

TEST_F(SharedInformerFactoryTest, StartsAllAndWaitsForAll) {
  transport_->On("GET", kPodList, JsonAnswer(200, PodListJson("9", {PodJson("a", "1")})));
  transport_->On("GET", "/apis/apps/v1/deployments?limit=500&resourceVersion=0",
                 JsonAnswer(200, PodListJson("9", {})));
  auto pods = transport_->OnWatch(kWatch);
  auto deployments =
      transport_->OnWatch("/apis/apps/v1/deployments?watch=true*&resourceVersion=9*");
  const Lister<Pod> lister = factory_.ListerFor<Pod>();
  factory_.InformerFor<api::apps::v1::Deployment>();
  EXPECT_FALSE(factory_.HasSynced());
  factory_.Start();
  EXPECT_TRUE(factory_.WaitForCacheSync({}));
  EXPECT_TRUE(factory_.HasSynced());
  EXPECT_EQ(lister.Get("ns", "a")->metadata.resourceVersion, "1");
  factory_.Stop();
  EXPECT_FALSE(pods->IsOpen() || deployments->IsOpen());
}

TEST_F(SharedInformerFactoryTest, AStopTokenEndsAWait) {
  factory_.InformerFor<Pod>();
  std::stop_source stop;
  bool synced = true;
  {
    auto waiter =
        runtime_.Start("waiter", [&] { synced = factory_.WaitForCacheSync(stop.get_token()); });
    runtime_.RunUntilIdle();
    stop.request_stop();
  }
  EXPECT_FALSE(synced);
}

}  // namespace
}  // namespace capstan
