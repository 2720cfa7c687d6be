// The controllers of a manager: switched at run time, waiting for their resources, or restricted to
// a part of the cluster.

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <capstan/controller.h>
#include <capstan/plugin.h>

#include "all_lines.h"
#include "leadership_fixture.h"

namespace capstan::scenarios {

// A custom resource. A controller sets a label on each object.
struct Sprocket {
  api::ObjectMeta metadata;
};

}  // namespace capstan::scenarios

CAPSTAN_DEFINE_RESOURCE(capstan::scenarios::Sprocket,
                        (.group = "machines.example", .version = "v1", .resource = "sprockets",
                         .kind = "Sprocket", .namespaced = true),
                        CAPSTAN_FIELD(metadata))

namespace capstan::scenarios {
namespace {

using manager::LoadedPlugin;

class SprocketReconciler final : public Reconciler {
 public:
  explicit SprocketReconciler(PluginContext& context)
      : sprockets_(context.ListerFor<Sprocket>()), client_(context.client()) {}

  Result<Action> Reconcile(const Request& request) override {
    const auto sprocket = sprockets_.Get(request.name);
    if (!sprocket || sprocket->metadata.labels.Contains("oiled")) return Action::AwaitChange();
    const auto patched = client_.Patch<Sprocket>(request.name, PatchType::kMerge,
                                                 R"({"metadata":{"labels":{"oiled":"yes"}}})");
    if (!patched) return patched.status();
    return Action::AwaitChange();
  }

 private:
  Lister<Sprocket> sprockets_;
  const Client client_;
};

Status SetUpSprockets(PluginContext& context) {
  return context.NewController("sprocket").For<Sprocket>().Workers(1).Run<SprocketReconciler>();
}

class ControllersTest : public LeadershipTest {
 protected:
  std::vector<LoadedPlugin> Without(const std::string& name) {
    std::vector<LoadedPlugin> plugins = BundledPlugins();
    std::erase_if(plugins,
                  [&](const LoadedPlugin& plugin) { return plugin.manifest.name == name; });
    return plugins;
  }
  std::vector<LoadedPlugin> WithSprockets() {
    std::vector<LoadedPlugin> plugins = BundledPlugins();
    manager::PluginManifest manifest;
    manifest.name = "sprocket-controller";
    manifest.file = "/plugins/sprocket.so";
    plugins.push_back({manifest, SetUpSprockets});
    return plugins;
  }
  size_t WorkOn(const std::string& resource, MonotonicTime begin) {
    return audit_.Count([&](const AuditedRequest& request) {
      return request.at >= begin && request.IsWork() &&
             request.target.find("/" + resource) != std::string::npos;
    });
  }
};

class ControllerSwitch : public ControllersTest {};

TEST_F(ControllerSwitch, ARolloutContinuesWhenTheDeploymentControllerIsSwitchedOnAgain) {
  Replica& leader = StartReplicas(2);
  ASSERT_TRUE(BeginRollout(kPods, Seconds(5)));
  const int64_t transitions = Transitions();
  const MonotonicTime begin = Now();
  leader.manager.Select(Without("deployment-controller"));
  Wait(std::chrono::minutes(1));
  EXPECT_EQ(WorkOn("deployments/", begin + Seconds(1)), 0U);
  EXPECT_FALSE(IsComplete(observer_.Now(), kPods));
  // The replicaset controller still works: it replaces a deleted pod.
  const View view = observer_.Now();
  Delete("pods/" + view.pods.front()->metadata.name);
  EXPECT_TRUE(Eventually("another pod takes its place", [&] {
    return observer_.Now().ActivePods() == view.ActivePods() &&
           !observer_.Now().PodNames().contains(view.pods.front()->metadata.name);
  }));
  mark_ = observer_.Mark();

  leader.manager.Select(BundledPlugins());
  EXPECT_TRUE(BecomesComplete(kPods, std::chrono::minutes(5)));
  EXPECT_TRUE(StaysWithin(mark_, kPods + kPods / 4, kPods - kPods / 4));
  EXPECT_EQ(Transitions(), transitions);
  EXPECT_EQ(Leader(), &leader);
}

TEST_F(ControllerSwitch, SwitchingAllControllersOffAndOnKeepsTheCaches) {
  Replica& leader = StartReplicas(1);
  ASSERT_TRUE(Create({.replicas = kPods}));
  const MonotonicTime begin = Now();
  leader.manager.Select({});
  Wait(Seconds(5));  // lets work in progress end
  const MonotonicTime drained = Now();
  Scale(kPods + 2);
  Wait(std::chrono::minutes(1));
  EXPECT_EQ(WorkSince(leader, drained), 0U);
  EXPECT_TRUE(leader.manager.IsLeading());

  leader.manager.Select(BundledPlugins());
  EXPECT_TRUE(BecomesComplete(kPods + 2));
  EXPECT_EQ(audit_.Count(leader.name(), begin,
                         [](const AuditedRequest& request) {
                           return request.Lists("pods") &&
                                  request.target.starts_with("/api/v1/pods");
                         }),
            0U);
}

class MissingResource : public ControllersTest {};

TEST_F(MissingResource, DelaysOnlyItsControllerUntilTheServerServesIt) {
  Replica& leader = StartReplica(Options());
  leader.manager.Select(WithSprockets());
  ASSERT_TRUE(Eventually("it leads", [&] { return leader.manager.IsLeading(); }));
  ASSERT_TRUE(Create({.replicas = 3}));
  Wait(std::chrono::minutes(2));
  EXPECT_EQ(audit_.Count([](const AuditedRequest& request) { return request.Lists("sprockets"); }),
            0U);

  const testing::CustomResource resource{"machines.example", "v1", "Sprocket", "sprockets"};
  ASSERT_TRUE(fake().server().Register(resource).ok());
  const auto created = world_->client().Create(
      DescriptorOf<Sprocket>(), world_->namespace_name(),
      R"({"apiVersion":"machines.example/v1","kind":"Sprocket","metadata":{"name":"gear"}})");
  ASSERT_TRUE(created.ok()) << created.status().ToString();
  EXPECT_TRUE(Eventually("the controller has observed it", [&] {
    const auto gear = world_->client().Get<Sprocket>({world_->namespace_name(), "gear"});
    return gear && (*gear)->metadata.labels.Get("oiled") == "yes";
  }));
}

// Controllers restricted to a part of the cluster.
class Scope : public ControllersTest {
 protected:
  size_t ReplicaSetsIn(const std::string& namespace_name) {
    return world_->client().ListAll<ReplicaSet>(namespace_name)->size();
  }
  // Creates a Deployment whose pods belong to that instance.
  void CreateFor(const std::string& instance, const std::string& name) {
    json::Value deployment =
        json::ParseValue(Workload{.replicas = 2, .name = name}.ToJson())->value;
    for (json::Value* metadata :
         {&deployment.Mutable("metadata"), &deployment.Mutable("spec", "template", "metadata")}) {
      metadata->Mutable("labels").Set("capstan.dev/instance-id", instance);
    }
    CreateObject("deployments", json::ToJson(deployment));
  }
  int64_t AvailablePodsOf(const std::string& name) {
    return Get("deployments/" + name).Get("status", "availableReplicas").AsInteger();
  }
};

TEST_F(Scope, IsLimitedToANamespace) {
  CreateNamespaces(world_->client(), {"elsewhere"});
  const auto created = world_->client().Create(DescriptorOf<Deployment>(), "elsewhere",
                                               Workload{.replicas = 3}.ToJson());
  ASSERT_TRUE(created.ok()) << created.status().ToString();
  manager::Options options = Options();
  options.namespace_ = world_->namespace_name();
  StartReplicas(2, options);
  EXPECT_TRUE(Create({.replicas = 3}));
  Wait(std::chrono::minutes(5));
  EXPECT_EQ(ReplicaSetsIn("elsewhere"), 0U);
  EXPECT_EQ(audit_.Count([](const AuditedRequest& request) {
    return request.target.find("elsewhere") != std::string::npos;
  }),
            0U);
}

TEST_F(Scope, WithAnInstanceIdIgnoresObjectsOfOtherInstances) {
  manager::Options options = Options();
  options.instance_id = "blue";
  StartReplicas(1, options);
  CreateFor("blue", "web-blue");
  CreateFor("green", "web-green");
  Apply({.replicas = 2, .name = "web-nobody"});
  EXPECT_TRUE(Eventually("its own has its pods", [&] { return AvailablePodsOf("web-blue") == 2; }));
  Wait(std::chrono::minutes(5));
  EXPECT_EQ(ReplicaSetsIn(world_->namespace_name()), 1U);
}

TEST_F(Scope, WithAnEmptyInstanceIdIgnoresObjectsOfInstances) {
  StartReplicas(1);
  CreateFor("blue", "web-blue");
  Apply({.replicas = 2, .name = "web-nobody"});
  EXPECT_TRUE(
      Eventually("its own has its pods", [&] { return AvailablePodsOf("web-nobody") == 2; }));
  Wait(std::chrono::minutes(5));
  EXPECT_EQ(ReplicaSetsIn(world_->namespace_name()), 1U);
}

class DryRun : public ControllersTest {
 protected:
  void SetUp() override { SetLogSink(&log_); }
  void TearDown() override {
    ControllersTest::TearDown();
    SetLogSink(nullptr);
  }

  AllLines log_;
};

TEST_F(DryRun, LogsARolloutAndWritesNothing) {
  Replica& other = StartReplicas(1);
  ASSERT_TRUE(Create({.replicas = 3}));
  other.manager.RequestStop();
  ASSERT_TRUE(Eventually("it ends", [&] { return !other.manager.IsRunning(); }));
  SetImage("example.com/web:2");

  manager::Options options = Options();
  options.dry_run = true;
  const Replica& dry = StartReplica(options);
  Wait(std::chrono::minutes(5));
  EXPECT_TRUE(dry.manager.IsRunning());
  EXPECT_EQ(audit_.Count(dry.name(), {},
                         [](const AuditedRequest& request) { return request.method != "GET"; }),
            0U);
  EXPECT_EQ(Get("replicasets").Get("items").items().size(), 1U);
  EXPECT_TRUE(log_.Have("Dry run: not sent")) << log_.Text();
  EXPECT_TRUE(log_.Have("example.com/web:2")) << log_.Text();
}

}  // namespace
}  // namespace capstan::scenarios
