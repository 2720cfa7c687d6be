#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>
#include <capstan/controller.h>
#include <capstan/plugin/hosted_plugin.h>
#include <capstan/testing/simulated_runtime.h>

#include "test_reconciler.h"
#include "watch_server.h"

namespace capstan {
namespace {

using api::apps::v1::Deployment;
using api::apps::v1::ReplicaSet;
using api::core::v1::Node;
using api::core::v1::Pod;
using std::chrono::hours;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SimulatedRuntime;
using ::testing::UnorderedElementsAre;

template <ApiObject T>
T Named(const std::string& name, const std::string& namespace_ = "ns") {
  T object;
  object.metadata.name = name;
  object.metadata.namespace_ = namespace_;
  object.metadata.uid = name + "-uid";
  return object;
}

Pod OwnedPod(const std::string& name, const std::string& owner,
             const std::string& kind = "ReplicaSet", const std::string& version = "apps/v1") {
  Pod pod = Named<Pod>(name);
  api::OwnerReference reference;
  reference.apiVersion = version;
  reference.kind = kind;
  reference.name = owner;
  reference.uid = owner + "-uid";
  reference.controller = true;
  pod.metadata.ownerReferences.emplace_back() = reference;
  return pod;
}

api::apps::v1::ReplicaSetStatus WithReplicas(int32_t replicas) {
  api::apps::v1::ReplicaSetStatus status;
  status.replicas = replicas;
  return status;
}

class Silence : public LogSink {
 public:
  Silence() { SetLogSink(this); }
  ~Silence() override { SetLogSink(nullptr); }
  void Write(std::string_view) override {}
};

ClientOptions Unlimited() {
  ClientOptions options;
  options.qps = 0;
  return options;
}

class ForwardingReconciler : public Reconciler {
 public:
  ForwardingReconciler(PluginContext&, TestReconciler& target) : target_(target) {}
  Result<Action> Reconcile(const Request& request) override { return target_.Reconcile(request); }

 private:
  TestReconciler& target_;
};

class ThrowingReconciler : public Reconciler {
 public:
  explicit ThrowingReconciler(PluginContext&) { throw std::runtime_error("no config"); }
  Result<Action> Reconcile(const Request&) override { return Action::AwaitChange(); }
};

class ControllerBuilderTest : public ::testing::Test {
 protected:
  ~ControllerBuilderTest() override { Stop(); }

  std::unique_ptr<HostedPlugin> NewPlugin(std::optional<std::string> instance_id = {}) {
    return std::make_unique<HostedPlugin>(
        "test-plugin", HostedPlugin::Host{.client = client,
                                          .informers = informers,
                                          .events = events,
                                          .scheme = scheme,
                                          .runtime = runtime,
                                          .metrics = metrics,
                                          .concurrent_syncs = 2,
                                          .instance_id = std::move(instance_id)});
  }
  PluginContext& context() { return plugin->context(); }
  ControllerBuilder New(std::string name = "test") {
    return context().NewController(std::move(name));
  }
  // Starts what was built and runs until the first lists have been served.
  void Start() {
    informers.Start();
    for (auto& controller : plugin->TakeControllers()) {
      controller->Start();
      controllers.push_back(std::move(controller));
    }
    runtime.AdvanceBy(seconds(2));
  }
  void Stop() {
    for (auto& controller : controllers) controller->RequestStop();
    controllers.clear();
  }
  std::vector<std::string> Seen() {
    runtime.AdvanceBy(seconds(1));
    return reconciler.Seen();
  }

  Silence silence;
  SimulatedRuntime runtime;
  MetricsRegistry metrics;
  std::shared_ptr<WatchServer> server = std::make_shared<WatchServer>(runtime);
  Client client{server, runtime, Unlimited()};
  SharedInformerFactory informers{client, runtime, hours(12)};
  EventBroadcaster events{client, runtime, "", metrics};
  Scheme scheme;
  TestReconciler reconciler;
  std::unique_ptr<HostedPlugin> plugin = NewPlugin();
  std::vector<std::unique_ptr<Controller>> controllers;
};

TEST_F(ControllerBuilderTest, EnqueuesAnObjectForEachOfItsChanges) {
  server->Put(Named<ReplicaSet>("listed"));
  ASSERT_TRUE(New().For<ReplicaSet>().Run<ForwardingReconciler>(reconciler).ok());
  Start();
  EXPECT_THAT(Seen(), ElementsAre("ns/listed"));
  server->Put(Named<ReplicaSet>("added"));
  EXPECT_THAT(Seen(), ElementsAre("ns/added"));
  server->Put(Named<ReplicaSet>("added"));
  EXPECT_THAT(Seen(), ElementsAre("ns/added"));
  server->Remove<ReplicaSet>({"ns", "added"});
  EXPECT_THAT(Seen(), ElementsAre("ns/added"));
}

TEST_F(ControllerBuilderTest, EnqueuesAllObjectsButNoOwnersAtAResync) {
  server->Put(Named<ReplicaSet>("web"));
  server->Put(OwnedPod("pod", "other"));
  int watched = 0;
  ASSERT_TRUE(New()
                  .For<ReplicaSet>()
                  .Owns<Pod>()
                  .Watches<Pod>([&](const Pod*, const Pod*, auto&) { ++watched; })
                  .Run<ForwardingReconciler>(reconciler)
                  .ok());
  Start();
  EXPECT_THAT(Seen(), UnorderedElementsAre("ns/web", "ns/other"));
  EXPECT_EQ(watched, 1);
  runtime.AdvanceBy(hours(13));
  EXPECT_THAT(Seen(), ElementsAre("ns/web"));
  EXPECT_EQ(watched, 1);
}

TEST_F(ControllerBuilderTest, EnqueuesTheOwnerOfAnObject) {
  ASSERT_TRUE(New().For<ReplicaSet>().Owns<Pod>().Run<ForwardingReconciler>(reconciler).ok());
  Start();
  server->Put(OwnedPod("pod", "web"));
  EXPECT_THAT(Seen(), ElementsAre("ns/web"));
  server->Put(OwnedPod("pod", "web"));
  EXPECT_THAT(Seen(), ElementsAre("ns/web"));
  server->Remove<Pod>({"ns", "pod"});
  EXPECT_THAT(Seen(), ElementsAre("ns/web"));
}

TEST_F(ControllerBuilderTest, EnqueuesBothOwnersWhenTheControllerReferenceChanges) {
  ASSERT_TRUE(New().For<ReplicaSet>().Owns<Pod>().Run<ForwardingReconciler>(reconciler).ok());
  Start();
  server->Put(OwnedPod("pod", "old"));
  EXPECT_THAT(Seen(), ElementsAre("ns/old"));
  server->Put(OwnedPod("pod", "new"));
  EXPECT_THAT(Seen(), UnorderedElementsAre("ns/old", "ns/new"));
  server->Put(Named<Pod>("pod"));
  EXPECT_THAT(Seen(), ElementsAre("ns/new"));
}

TEST_F(ControllerBuilderTest, OwnsEnqueuesTheOwnerForAPendingStatus) {
  ASSERT_TRUE(New().For<ReplicaSet>().Owns<Pod>().Run<ForwardingReconciler>(reconciler).ok());
  const Lister<Pod> pods = context().ListerFor<Pod>();
  StatusPublisher<Pod> publisher = context().NewStatusPublisher<Pod>();
  Start();
  server->Put(OwnedPod("pod", "web"));
  EXPECT_THAT(Seen(), ElementsAre("ns/web"));
  api::core::v1::PodStatus status;
  status.phase = "Running";
  publisher.Publish(pods.Get("ns", "pod"), status);
  EXPECT_THAT(Seen(), ElementsAre("ns/web"));
  publisher.Publish(pods.Get("ns", "pod"), status);
  EXPECT_THAT(Seen(), IsEmpty()) << "no news";
  status.phase = "Failed";
  publisher.Publish(pods.Get("ns", "pod"), status, seconds(2));
  EXPECT_THAT(Seen(), IsEmpty());
  EXPECT_THAT(Seen(), ElementsAre("ns/web"));
}

TEST_F(ControllerBuilderTest, ForAndWatchesIgnorePendingStatuses) {
  int watched = 0;
  ASSERT_TRUE(
      New()
          .For<ReplicaSet>()
          .Watches<ReplicaSet>([&](const ReplicaSet*, const ReplicaSet*, auto&) { ++watched; })
          .Run<ForwardingReconciler>(reconciler)
          .ok());
  const Lister<ReplicaSet> sets = context().ListerFor<ReplicaSet>();
  StatusPublisher<ReplicaSet> publisher = context().NewStatusPublisher<ReplicaSet>();
  Start();
  server->Put(Named<ReplicaSet>("web"));
  EXPECT_THAT(Seen(), ElementsAre("ns/web"));
  publisher.Publish(sets.Get("ns", "web"), WithReplicas(2));
  EXPECT_THAT(Seen(), IsEmpty());
  EXPECT_EQ(watched, 1);
}

TEST_F(ControllerBuilderTest, PredicatesFilterPendingStatuses) {
  ASSERT_TRUE(New()
                  .For<ReplicaSet>()
                  .Owns<Pod>()
                  .WithPredicate<Pod>([](const Pod* before, const Pod* after) {
                    return before && after && before->status.phase != after->status.phase;
                  })
                  .Run<ForwardingReconciler>(reconciler)
                  .ok());
  const Lister<Pod> pods = context().ListerFor<Pod>();
  StatusPublisher<Pod> publisher = context().NewStatusPublisher<Pod>();
  Start();
  server->Put(OwnedPod("pod", "web"));
  EXPECT_THAT(Seen(), IsEmpty());
  api::core::v1::PodStatus status;
  status.phase = "Running";
  publisher.Publish(pods.Get("ns", "pod"), status);
  EXPECT_THAT(Seen(), ElementsAre("ns/web"));
}

TEST_F(ControllerBuilderTest, AnotherPluginSeesAPendingStatusUntilTheObjectIsDeleted) {
  const std::unique_ptr<HostedPlugin> other = NewPlugin();
  const Lister<ReplicaSet> sets = context().ListerFor<ReplicaSet>();
  StatusPublisher<ReplicaSet> publisher = context().NewStatusPublisher<ReplicaSet>();
  const auto reader = other->context().PendingStatusesOf<ReplicaSet>();
  Start();
  server->Put(Named<ReplicaSet>("web"));
  runtime.AdvanceBy(seconds(1));
  const auto set = sets.Get("ns", "web");
  publisher.Publish(set, WithReplicas(2));
  EXPECT_EQ(reader.Latest(set)->status.replicas, 2);
  server->Remove<ReplicaSet>({"ns", "web"});
  runtime.AdvanceBy(seconds(1));
  EXPECT_EQ(informers.InformerFor<ReplicaSet>().pending_statuses().size(), 0U);
  EXPECT_EQ(reader.Latest(set), set);
}

TEST_F(ControllerBuilderTest, IgnoresOwnersOfAnotherKindOrGroup) {
  ASSERT_TRUE(New().For<ReplicaSet>().Owns<Pod>().Run<ForwardingReconciler>(reconciler).ok());
  Start();
  server->Put(Named<Pod>("orphan"));
  server->Put(OwnedPod("a", "web", "Deployment"));
  server->Put(OwnedPod("b", "web", "ReplicaSet", "example.dev/v1"));
  server->Put(OwnedPod("c", "web", "ReplicaSet", "v1"));
  Pod not_controlled = OwnedPod("d", "web");
  not_controlled.metadata.ownerReferences[0].controller = false;
  server->Put(not_controlled);
  EXPECT_THAT(Seen(), IsEmpty());
  server->Put(OwnedPod("e", "web", "ReplicaSet", "apps/v1beta2"));
  EXPECT_THAT(Seen(), ElementsAre("ns/web"));
}

TEST_F(ControllerBuilderTest, FindsAClusterScopedOwnerWithoutANamespace) {
  ASSERT_TRUE(New().For<Node>().Owns<Pod>().Run<ForwardingReconciler>(reconciler).ok());
  Start();
  server->Put(OwnedPod("pod", "node-1", "Node", "v1"));
  EXPECT_THAT(Seen(), ElementsAre("node-1"));
}

TEST_F(ControllerBuilderTest, EnqueuesTheKeysThatAWatchReturns) {
  ASSERT_TRUE(New()
                  .For<ReplicaSet>()
                  .Watches<Deployment>([](const Deployment* before, const Deployment* after,
                                          std::vector<NamespacedName>& keys) {
                    const Deployment& one = after ? *after : *before;
                    keys.push_back({"ns", one.metadata.name + (before ? "-before" : "")});
                    keys.push_back({"ns", one.metadata.name + (after ? "-after" : "")});
                  })
                  .Run<ForwardingReconciler>(reconciler)
                  .ok());
  Start();
  server->Put(Named<Deployment>("d"));
  EXPECT_THAT(Seen(), ElementsAre("ns/d", "ns/d-after"));
  server->Put(Named<Deployment>("d"));
  EXPECT_THAT(Seen(), ElementsAre("ns/d-before", "ns/d-after"));
  server->Remove<Deployment>({"ns", "d"});
  EXPECT_THAT(Seen(), ElementsAre("ns/d-before", "ns/d"));
}

TEST_F(ControllerBuilderTest, AppliesAllPredicatesOfASource) {
  ASSERT_TRUE(New()
                  .For<ReplicaSet>()
                  .Owns<Pod>()
                  .WithPredicate<Pod>([](const Pod* before, const Pod*) { return before; })
                  .WithPredicate<Pod>([](const Pod*, const Pod* after) { return !after; })
                  .Run<ForwardingReconciler>(reconciler)
                  .ok());
  Start();
  server->Put(Named<ReplicaSet>("web"));
  EXPECT_THAT(Seen(), ElementsAre("ns/web"));
  server->Put(OwnedPod("pod", "web"));
  server->Put(OwnedPod("pod", "web"));
  EXPECT_THAT(Seen(), IsEmpty());
  server->Remove<Pod>({"ns", "pod"});
  EXPECT_THAT(Seen(), ElementsAre("ns/web"));
}

TEST_F(ControllerBuilderTest, ContinuesAfterAKeysFunctionThatThrows) {
  int calls = 0;
  ASSERT_TRUE(New()
                  .For<ReplicaSet>()
                  .Watches<Pod>([&](const Pod*, const Pod*, std::vector<NamespacedName>& keys) {
                    if (++calls == 1) throw std::runtime_error("oops");
                    keys.push_back({"ns", "web"});
                  })
                  .Run<ForwardingReconciler>(reconciler)
                  .ok());
  Start();
  server->Put(Named<Pod>("a"));
  server->Put(Named<Pod>("b"));
  EXPECT_THAT(Seen(), ElementsAre("ns/web"));
}

TEST_F(ControllerBuilderTest, StartsNoWorkerBeforeAllSourcesHaveSynced) {
  server->Put(Named<ReplicaSet>("web"));
  server->Hold<Pod>();
  ASSERT_TRUE(New().For<ReplicaSet>().Owns<Pod>().Run<ForwardingReconciler>(reconciler).ok());
  Start();
  EXPECT_THAT(Seen(), IsEmpty());
  server->Release<Pod>();
  EXPECT_THAT(Seen(), ElementsAre("ns/web"));
}

TEST_F(ControllerBuilderTest, StopsAControllerThatWaitsForItsSources) {
  server->Put(Named<ReplicaSet>("web"));
  server->Hold<Pod>();
  ASSERT_TRUE(New().For<ReplicaSet>().Owns<Pod>().Run<ForwardingReconciler>(reconciler).ok());
  Start();
  controllers[0]->RequestStop();
  EXPECT_TRUE(controllers[0]->AwaitStopped(runtime.Now() + seconds(1)));
  server->Release<Pod>();
  EXPECT_THAT(Seen(), IsEmpty());
}

TEST_F(ControllerBuilderTest, AddsIndicesForListers) {
  ASSERT_TRUE(New()
                  .For<ReplicaSet>()
                  .Index<Pod>("node",
                              [](const Pod& pod, std::vector<std::string>& keys) {
                                keys.push_back(pod.spec.nodeName.str());
                              })
                  .Run<ForwardingReconciler>(reconciler)
                  .ok());
  const Lister<Pod> pods = context().ListerFor<Pod>();
  Start();
  Pod pod = Named<Pod>("a");
  pod.spec.nodeName = "node-1";
  server->Put(pod);
  server->Put(Named<Pod>("b"));
  runtime.AdvanceBy(seconds(1));
  ASSERT_EQ(pods.ByIndex("node", "node-1").size(), 1u);
  EXPECT_EQ(pods.ByIndex("node", "node-1")[0]->metadata.name, "a");
}

TEST_F(ControllerBuilderTest, TakesTheNumberOfWorkersFromTheContextByDefault) {
  ASSERT_TRUE(New("a").For<ReplicaSet>().Run<ForwardingReconciler>(reconciler).ok());
  ASSERT_TRUE(New("b").For<ReplicaSet>().Workers(7).Run<ForwardingReconciler>(reconciler).ok());
  const auto built = plugin->TakeControllers();
  ASSERT_EQ(built.size(), 2u);
  EXPECT_EQ(built[0]->workers(), 2);
  EXPECT_EQ(built[1]->workers(), 7);
  EXPECT_THAT(plugin->TakeControllers(), IsEmpty());
}

// Like a manager that loses its lease and acquires it again.
TEST_F(ControllerBuilderTest, CanBeSetUpAgainAfterItsControllersWereStopped) {
  const auto set_up = [&] {
    return New()
        .For<ReplicaSet>()
        .Owns<Pod>()
        .Index<Pod>("none", [](const Pod&, std::vector<std::string>&) {})
        .Run<ForwardingReconciler>(reconciler);
  };
  ASSERT_TRUE(set_up().ok());
  Start();
  server->Put(Named<ReplicaSet>("web"));
  EXPECT_THAT(Seen(), ElementsAre("ns/web"));

  Stop();
  plugin.reset();
  server->Put(Named<ReplicaSet>("web"));
  server->Put(OwnedPod("pod", "db"));
  EXPECT_THAT(Seen(), IsEmpty());

  plugin = NewPlugin();
  const Status status = set_up();
  ASSERT_TRUE(status.ok()) << status.ToString();
  Start();
  EXPECT_THAT(Seen(), UnorderedElementsAre("ns/web", "ns/db"));
  server->Put(Named<ReplicaSet>("web"));
  EXPECT_THAT(Seen(), ElementsAre("ns/web"));
}

ReplicaSet WithInstance(const std::string& name, const std::string& instance) {
  ReplicaSet set = Named<ReplicaSet>(name);
  set.metadata.labels.Set("capstan.dev/instance-id", instance);
  return set;
}

TEST_F(ControllerBuilderTest, ReconcilesTheObjectsOfAllInstancesWithoutAnInstanceId) {
  ASSERT_TRUE(New().For<ReplicaSet>().Run<ForwardingReconciler>(reconciler).ok());
  server->Put(WithInstance("blue", "blue"));
  server->Put(Named<ReplicaSet>("plain"));
  Start();
  EXPECT_THAT(Seen(), UnorderedElementsAre("ns/blue", "ns/plain"));
}

TEST_F(ControllerBuilderTest, ReconcilesTheObjectsOfItsInstanceOnly) {
  plugin = NewPlugin("blue");
  ASSERT_TRUE(New().For<ReplicaSet>().Owns<Pod>().Run<ForwardingReconciler>(reconciler).ok());
  server->Put(WithInstance("blue", "blue"));
  server->Put(WithInstance("green", "green"));
  server->Put(WithInstance("empty", ""));
  server->Put(Named<ReplicaSet>("plain"));
  Start();
  EXPECT_THAT(Seen(), ElementsAre("ns/blue"));
  server->Put(OwnedPod("pod", "green"));
  EXPECT_THAT(Seen(), IsEmpty()) << "a change of a child does not wake it";
  server->Put(WithInstance("green", "blue"));
  EXPECT_THAT(Seen(), ElementsAre("ns/green")) << "now it is";
  server->Put(WithInstance("blue", "green"));
  EXPECT_THAT(Seen(), IsEmpty());
  server->Remove<ReplicaSet>({"ns", "plain"});
  EXPECT_THAT(Seen(), ElementsAre("ns/plain")) << "its owner is unknown";
}

TEST_F(ControllerBuilderTest, ReconcilesObjectsWithoutTheLabelWhereTheInstanceIdIsEmpty) {
  plugin = NewPlugin("");
  ASSERT_TRUE(New().For<ReplicaSet>().Run<ForwardingReconciler>(reconciler).ok());
  server->Put(WithInstance("blue", "blue"));
  server->Put(WithInstance("empty", ""));
  server->Put(Named<ReplicaSet>("plain"));
  Start();
  EXPECT_THAT(Seen(), ElementsAre("ns/plain"));
  EXPECT_THAT(metrics.Serialize(),
              HasSubstr("capstan_reconcile_total{controller=\"test\",result=\"success\"} 3"));
}

TEST_F(ControllerBuilderTest, ForgetsTheBackoffOfAnObjectThatMovedToAnotherInstance) {
  int tries = 0;
  TestReconciler failing([&](const Request&) -> Result<Action> {
    ++tries;
    return Status(StatusReason::kInternalError, "x");
  });
  plugin = NewPlugin("blue");
  ASSERT_TRUE(New().For<ReplicaSet>().Run<ForwardingReconciler>(failing).ok());
  server->Put(WithInstance("web", "blue"));
  Start();
  EXPECT_GT(tries, 3);
  server->Put(WithInstance("web", "green"));
  runtime.AdvanceBy(seconds(60));
  const int before = tries;
  runtime.AdvanceBy(hours(1));
  EXPECT_EQ(tries, before);
}

TEST_F(ControllerBuilderTest, RegistersThePagesOfAPluginByPath) {
  EXPECT_THAT(plugin->Pages(), IsEmpty());
  const auto answer = [](std::string text) {
    return [text = std::move(text)](const PageRequest& request) {
      return PageAnswer{.status = 200, .body = text + " " + request.path};
    };
  };
  context().AddPage("", answer("first"));
  context().AddPage("queue/", answer("queue"));
  context().AddPage("", answer("second"));
  const auto pages = plugin->Pages();
  ASSERT_EQ(pages.size(), 2U);
  EXPECT_EQ(pages.at("")({.path = "", .query = {}}).body, "second ") << "the last one counts";
  const PageAnswer page = pages.at("queue/")({.path = "queue/slow", .query = {}});
  EXPECT_EQ(page.body, "queue queue/slow");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/plain; charset=utf-8");
}

TEST_F(ControllerBuilderTest, RegistersTheHealthChecksOfAPluginByName) {
  EXPECT_THAT(plugin->HealthChecks(), IsEmpty());
  bool broken = false;
  context().AddHealthCheck("disk", [] { return Status::InvalidArgument("replaced"); });
  context().AddHealthCheck(
      "disk", [&] { return broken ? Status(StatusReason::kInternalError, "full") : Status::Ok(); });
  context().AddHealthCheck("memory", [] { return Status::Ok(); });
  const auto checks = plugin->HealthChecks();
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_TRUE(checks.at("disk")().ok());
  EXPECT_TRUE(checks.at("memory")().ok());
  broken = true;
  EXPECT_EQ(checks.at("disk")().message(), "full");
}

TEST_F(ControllerBuilderTest, RefusesInvalidControllersWithAReason) {
  const auto error = [](const Status& status) {
    EXPECT_EQ(status.reason(), StatusReason::kInvalidArgument);
    return status.message();
  };
  const std::string who = "plugin test-plugin: controller \"test\": ";
  EXPECT_EQ(error(New().Run<ForwardingReconciler>(reconciler)),
            who + "For is missing: it names the type to reconcile");
  EXPECT_THAT(error(New().For<Pod>().For<ReplicaSet>().Run<ForwardingReconciler>(reconciler)),
              HasSubstr("For was called already"));
  EXPECT_THAT(error(New().Owns<Pod>().For<ReplicaSet>().Run<ForwardingReconciler>(reconciler)),
              HasSubstr("For must come first"));
  EXPECT_EQ(error(New().For<Pod>().Workers(0).Run<ForwardingReconciler>(reconciler)),
            who + "0 workers: there must be at least one");
  EXPECT_THAT(error(New()
                        .WithPredicate<Pod>([](const Pod*, const Pod*) { return true; })
                        .For<Pod>()
                        .Run<ForwardingReconciler>(reconciler)),
              HasSubstr("it must follow For, Owns or Watches"));
  EXPECT_THAT(error(New()
                        .For<ReplicaSet>()
                        .WithPredicate<Pod>([](const Pod*, const Pod*) { return true; })
                        .Run<ForwardingReconciler>(reconciler)),
              HasSubstr("the source before it is of type"));
  EXPECT_THAT(
      error(New().For(DescriptorOf<api::ObjectMeta>(), {}).Run<ForwardingReconciler>(reconciler)),
      HasSubstr("the type is not a resource"));
  EXPECT_THAT(error(New("").For<Pod>().Run<ForwardingReconciler>(reconciler)),
              HasSubstr("the name is empty"));
  EXPECT_EQ(error(New().For<Pod>().Run<ThrowingReconciler>()),
            who + "the reconciler's constructor threw: no config");
  EXPECT_THAT(
      error(New().For<Pod>().Run([](PluginContext&) { return std::shared_ptr<Reconciler>(); })),
      HasSubstr("the reconciler is null"));
  EXPECT_THAT(plugin->TakeControllers(), IsEmpty());
}

TEST_F(ControllerBuilderTest, RefusesADuplicateControllerName) {
  ASSERT_TRUE(New().For<Pod>().Run<ForwardingReconciler>(reconciler).ok());
  const auto taken = plugin->TakeControllers();
  EXPECT_THAT(New().For<Pod>().Run<ForwardingReconciler>(reconciler).message(),
              HasSubstr("already has a controller of this name"));
}

TEST_F(ControllerBuilderTest, RefusesADuplicateIndex) {
  const auto build = [&](std::string name) {
    return New(std::move(name))
        .For<Pod>()
        .Index<Pod>("shared", [](const Pod&, std::vector<std::string>&) {})
        .Run<ForwardingReconciler>(reconciler);
  };
  EXPECT_TRUE(build("a").ok());
  const Status status = build("b");
  EXPECT_EQ(status.reason(), StatusReason::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("shared"));
}

TEST_F(ControllerBuilderTest, TheContextReturnsTheDependenciesOfTheHost) {
  EXPECT_EQ(context().plugin_name(), "test-plugin");
  EXPECT_EQ(context().concurrent_syncs(), 2);
  EXPECT_EQ(&context().runtime(), &runtime);
  EXPECT_EQ(&context().metrics(), &metrics);
  EXPECT_EQ(&context().scheme(), &scheme);
  EXPECT_EQ(&context().informers().InformerFor<Pod>(), &informers.InformerFor<Pod>());
  EXPECT_EQ(&context().clock(), &runtime.clock());
}

}  // namespace
}  // namespace capstan
