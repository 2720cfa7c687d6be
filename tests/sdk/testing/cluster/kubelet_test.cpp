#include <capstan/testing/kubelet.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/kubelet_pod.h"
#include "json/value.h"

#include <capstan/api/core_v1.h>
#include <capstan/runtime/format.h>
#include <capstan/testing/api_server.h>
#include <capstan/testing/fault_injector.h>
#include <capstan/testing/simulated_runtime.h>

namespace capstan::testing {
namespace {

using api::core::v1::Namespace;
using api::core::v1::Pod;
using ::testing::ElementsAre;
using ::testing::Pair;
using namespace std::chrono_literals;

class KubeletTest : public ::testing::Test {
 protected:
  KubeletTest() {
    const Status status =
        client_.Create(DescriptorOf<Namespace>(), "", R"({"metadata":{"name":"default"}})")
            .status();
    EXPECT_TRUE(status.ok() || status.IsAlreadyExists()) << status.ToString();
    Run();
  }

  void Run() { runtime_.RunUntilIdle(); }

  void Create(const std::string& name, const std::string& annotations = "",
              const std::string& node = "") {
    const std::string json = Format(
        R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","annotations":{{{}}}}},"spec":)"
        R"({{"nodeName":"{}","containers":[{{"name":"one","image":"a:1"}},)"
        R"({{"name":"two","image":"b:2"}}]}}}})",
        name, annotations, node);
    const Status status = client_.Create(DescriptorOf<Pod>(), "default", json).status();
    ASSERT_TRUE(status.ok()) << status.ToString();
    Run();
  }
  void Delete(const std::string& name) {
    const Status status = client_.Delete<Pod>({"default", name});
    EXPECT_TRUE(status.ok()) << status.ToString();
    Run();
  }
  bool Exists(const std::string& name) { return client_.Get<Pod>({"default", name}).ok(); }
  json::Value Get(const std::string& path) {
    const Result<std::string> body = client_.GetPath(path);
    if (!body) return {};
    auto parsed = json::ParseValue(*body);
    return parsed ? std::move(parsed->value) : json::Value();
  }
  json::Value PodStatus(const std::string& name) {
    return Get("/api/v1/namespaces/default/pods/" + name).Get("status");
  }
  static json::Value Condition(const json::Value& status, std::string_view type) {
    for (const json::Value& condition : status.Get("conditions").items()) {
      if (condition.Get("type").AsString() == type) return condition;
    }
    return {};
  }
  // "Running 2/2 True": the phase, the ready containers, and the Ready condition.
  std::string Shown(const std::string& name) {
    const json::Value status = PodStatus(name);
    size_t ready = 0;
    const auto& containers = status.Get("containerStatuses").items();
    for (const json::Value& container : containers) ready += container.Get("ready").AsBool();
    return Format("{} {}/{} {}", status.Get("phase").AsString(), ready, containers.size(),
                  Condition(status, "Ready").Get("status").AsString());
  }
  std::string NodeOf(const std::string& name) {
    const auto pod = client_.Get<Pod>({"default", name});
    return pod ? (*pod)->spec.nodeName.str() : "none";
  }
  std::string NodeReady(const std::string& name) {
    return Condition(Get("/api/v1/nodes/" + name).Get("status"), "Ready").Get("status").AsString();
  }

  SimulatedRuntime runtime_;
  ApiServer server_{runtime_};
  std::shared_ptr<FaultInjector> faults_ =
      std::make_shared<FaultInjector>(server_.NewTransport(), runtime_);
  Client client_{server_.NewTransport(), runtime_, {.qps = 0}};
  Kubelet kubelet_{Client(faults_, runtime_, {.qps = 0}), runtime_};
};

TEST_F(KubeletTest, RegistersReadyNodes) {
  for (const char* node : {"node-1", "node-2", "node-3"}) {
    EXPECT_EQ(NodeReady(node), "True");
    const json::Value status = Get(Format("/api/v1/nodes/{}", node)).Get("status");
    EXPECT_EQ(status.Get("nodeInfo", "kubeletVersion").AsString(), "v1.36.3");
    EXPECT_EQ(status.Get("capacity", "pods").AsString(), "110");
  }
}

TEST_F(KubeletTest, RunsAPodAtOnce) {
  Create("web");
  EXPECT_EQ(Shown("web"), "Running 2/2 True");
  const json::Value status = PodStatus("web");
  EXPECT_EQ(Condition(status, "PodScheduled").Get("status").AsString(), "True");
  EXPECT_EQ(Condition(status, "ContainersReady").Get("status").AsString(), "True");
  EXPECT_EQ(Condition(status, "Ready").Get("lastTransitionTime").AsString(),
            api::Time(runtime_.clock().Now()).ToString());
  EXPECT_EQ(status.Get("startTime").AsString(), api::Time(runtime_.clock().Now()).ToString());
  EXPECT_EQ(status.Get("podIP").AsString(), "10.244.0.1");
  EXPECT_NE(status.Get("hostIP").AsString(), "");
  const json::Value& first = status.Get("containerStatuses").items().at(0);
  EXPECT_EQ(first.Get("name").AsString(), "one");
  EXPECT_EQ(first.Get("image").AsString(), "a:1");
  EXPECT_TRUE(first.Get("state").Find("running"));
}

TEST_F(KubeletTest, WritesABindingOneStatusAndOneDeletionPerPod) {
  std::vector<std::string> writes;
  faults_->On({.target = "*/pods/*"}).Do([&](const HttpRequest& request) {
    writes.push_back(request.method + " " + request.target.substr(request.target.rfind('/') + 1));
  });
  Create("web");
  EXPECT_THAT(writes, ElementsAre("POST binding", "PATCH status"));
  Delete("web");
  EXPECT_THAT(writes, ElementsAre("POST binding", "PATCH status", "DELETE web"));
}

TEST_F(KubeletTest, SchedulesEachPodOnTheNodeWithFewestPods) {
  std::map<std::string, int> pods;
  for (int i = 0; i < 6; ++i) {
    Create(Format("pod-{}", i));
    ++pods[NodeOf(Format("pod-{}", i))];
  }
  EXPECT_THAT(pods, ElementsAre(Pair("node-1", 2), Pair("node-2", 2), Pair("node-3", 2)));
  const std::string freed = NodeOf("pod-4");
  Delete("pod-4");
  Create("next");
  EXPECT_EQ(NodeOf("next"), freed);
}

TEST_F(KubeletTest, StartsAnAlreadyBoundPod) {
  Create("web", "", "node-9");
  EXPECT_EQ(Shown("web"), "Running 2/2 True");
  EXPECT_EQ(NodeOf("web"), "node-9");
}

TEST_F(KubeletTest, APodIsRunningBeforeItIsReady) {
  kubelet_.Behave({.ready_after = 5s});
  Create("web");
  EXPECT_EQ(Shown("web"), "Running 0/2 False");
  EXPECT_EQ(Condition(PodStatus("web"), "Ready").Get("reason").AsString(), "ContainersNotReady");
  runtime_.AdvanceBy(4999ms);
  EXPECT_EQ(Shown("web"), "Running 0/2 False");
  runtime_.AdvanceBy(1ms);
  EXPECT_EQ(Shown("web"), "Running 2/2 True");
  EXPECT_EQ(Condition(PodStatus("web"), "Ready").Get("reason").AsString(), "");
}

TEST_F(KubeletTest, APodKeepsTheBehaviorOfItsStart) {
  kubelet_.Behave({.ready_after = std::nullopt});
  Create("never");
  kubelet_.Behave({});
  Create("at-once");
  runtime_.AdvanceBy(1h);
  EXPECT_EQ(Shown("never"), "Running 0/2 False");
  EXPECT_EQ(Shown("at-once"), "Running 2/2 True");
}

TEST_F(KubeletTest, AnAnnotationOverridesTheBehavior) {
  Create("never", R"("capstan.dev/ready-after":"never")");
  Create("late", R"("capstan.dev/ready-after":"2s")");
  Create("misspelt", R"("capstan.dev/ready-after":"soon")");
  EXPECT_EQ(Shown("misspelt"), "Running 2/2 True");
  runtime_.AdvanceBy(1999ms);
  EXPECT_EQ(Shown("late"), "Running 0/2 False");
  runtime_.AdvanceBy(1h);
  EXPECT_EQ(Shown("late"), "Running 2/2 True");
  EXPECT_EQ(Shown("never"), "Running 0/2 False");
}

TEST_F(KubeletTest, TheBehaviorCanBeChosenPerPod) {
  kubelet_.BehaveBy([](const NamespacedName& pod) {
    PodBehaviour behaviour;
    if (pod.name == "bad") behaviour.ready_after.reset();
    return behaviour;
  });
  Create("good");
  Create("bad");
  EXPECT_EQ(Shown("good"), "Running 2/2 True");
  EXPECT_EQ(Shown("bad"), "Running 0/2 False");
}

TEST_F(KubeletTest, APodCanCrashAfterItWasReady) {
  kubelet_.Behave({.ready_after = 1s, .crash_after = 2s});
  Create("web");
  runtime_.AdvanceBy(2999ms);
  EXPECT_EQ(Shown("web"), "Running 2/2 True");
  runtime_.AdvanceBy(1ms);
  EXPECT_EQ(Shown("web"), "Failed 0/2 False");
  const json::Value status = PodStatus("web");
  EXPECT_EQ(
      status.Get("containerStatuses").items().at(0).Get("state", "terminated", "reason").AsString(),
      "Error");
}

TEST_F(KubeletTest, APodCrashesOnRequest) {
  Create("web");
  Create("other");
  kubelet_.Crash({"default", "web"});
  Run();
  EXPECT_EQ(Shown("web"), "Failed 0/2 False");
  EXPECT_EQ(Shown("other"), "Running 2/2 True");
}

TEST_F(KubeletTest, ARejectedPodFailsBeforeAnyContainerStarts) {
  kubelet_.Behave({.rejected = "OutOfcpu"});
  Create("web");
  const json::Value status = PodStatus("web");
  EXPECT_EQ(status.Get("phase").AsString(), "Failed");
  EXPECT_EQ(status.Get("reason").AsString(), "OutOfcpu");
  EXPECT_EQ(status.Get("message").AsString(), "Pod was rejected: OutOfcpu");
  EXPECT_TRUE(status.Get("containerStatuses").items().empty());
  EXPECT_NE(NodeOf("web"), "");
  kubelet_.SetReady({"default", "web"}, true);
  kubelet_.Behave({});
  runtime_.AdvanceBy(1h);
  EXPECT_EQ(Shown("web"), "Failed 0/0 ") << "for good";
  Create("other");
  EXPECT_EQ(Shown("other"), "Running 2/2 True");
  Delete("web");
  EXPECT_FALSE(Exists("web"));
}

TEST_F(KubeletTest, ReadinessCanChange) {
  Create("web");
  kubelet_.SetReady({"default", "web"}, false);
  Run();
  EXPECT_EQ(Shown("web"), "Running 0/2 False");
  runtime_.AdvanceBy(10s);
  kubelet_.SetReady({"default", "web"}, true);
  Run();
  EXPECT_EQ(Shown("web"), "Running 2/2 True");
  EXPECT_EQ(Condition(PodStatus("web"), "Ready").Get("lastTransitionTime").AsString(),
            api::Time(runtime_.clock().Now()).ToString());
}

TEST_F(KubeletTest, FinishesADeletionWhenItIsDue) {
  kubelet_.Behave({.gone_after = 30s});
  Create("web");
  Delete("web");
  runtime_.AdvanceBy(29s);
  EXPECT_TRUE(Exists("web"));
  runtime_.AdvanceBy(1s);
  EXPECT_FALSE(Exists("web"));
}

TEST_F(KubeletTest, ADeletionIsDelayedUntilTheBehaviorChanges) {
  kubelet_.Behave({.gone_after = std::nullopt});
  Create("web");
  Delete("web");
  runtime_.AdvanceBy(1h);
  EXPECT_TRUE(Exists("web"));
  kubelet_.Behave({.gone_after = 10s});
  runtime_.AdvanceBy(9s);
  EXPECT_TRUE(Exists("web"));
  runtime_.AdvanceBy(1s);
  EXPECT_FALSE(Exists("web"));
}

TEST_F(KubeletTest, APodWithAReusedNameIsStarted) {
  for (int i = 0; i < 3; ++i) {
    Create("web");
    EXPECT_EQ(Shown("web"), "Running 2/2 True");
    Delete("web");
    EXPECT_FALSE(Exists("web"));
  }
}

TEST_F(KubeletTest, AnUnschedulablePodWaitsUntilTheBehaviorChanges) {
  kubelet_.Behave({.unschedulable = true});
  Create("web");
  const json::Value condition = Condition(PodStatus("web"), "PodScheduled");
  EXPECT_EQ(condition.Get("status").AsString(), "False");
  EXPECT_EQ(condition.Get("reason").AsString(), "Unschedulable");
  EXPECT_EQ(PodStatus("web").Get("phase").AsString(), "Pending");
  EXPECT_EQ(NodeOf("web"), "");
  kubelet_.Behave({});
  Run();
  EXPECT_EQ(Shown("web"), "Running 2/2 True");
  EXPECT_EQ(Condition(PodStatus("web"), "PodScheduled").Get("reason").AsString(), "");
}

TEST_F(KubeletTest, PodsOfALostNodeAreNotReadyUntilItReturns) {
  Create("web");
  const std::string node = NodeOf("web");
  kubelet_.LoseNode(node);
  Run();
  EXPECT_EQ(NodeReady(node), "Unknown");
  EXPECT_EQ(Condition(PodStatus("web"), "Ready").Get("status").AsString(), "False");
  EXPECT_EQ(PodStatus("web").Get("phase").AsString(), "Running");
  for (int i = 0; i < 4; ++i) {
    Create(Format("other-{}", i));
    EXPECT_NE(NodeOf(Format("other-{}", i)), node);
  }
  Delete("web");
  runtime_.AdvanceBy(1h);
  EXPECT_TRUE(Exists("web"));

  kubelet_.RecoverNode(node);
  Run();
  EXPECT_EQ(NodeReady(node), "True");
  EXPECT_FALSE(Exists("web"));
}

TEST_F(KubeletTest, APodIsReadyAgainWhenItsNodeReturns) {
  Create("web");
  kubelet_.LoseNode(NodeOf("web"));
  Run();
  EXPECT_EQ(Condition(PodStatus("web"), "Ready").Get("reason").AsString(), "NodeNotReady");
  kubelet_.RecoverNode(NodeOf("web"));
  Run();
  EXPECT_EQ(Shown("web"), "Running 2/2 True");
  EXPECT_EQ(Condition(PodStatus("web"), "Ready").Get("reason").AsString(), "");
}

TEST_F(KubeletTest, PodsWaitForANode) {
  for (const char* node : {"node-1", "node-2", "node-3"}) kubelet_.LoseNode(node);
  Create("web");
  EXPECT_EQ(NodeOf("web"), "");
  kubelet_.RecoverNode("node-2");
  Run();
  EXPECT_EQ(NodeOf("web"), "node-2");
  EXPECT_EQ(Shown("web"), "Running 2/2 True");
}

TEST_F(KubeletTest, ContinuesAfterBrokenWatchesAndLostHistory) {
  Create("before");
  Create("gone");
  faults_->SetDown(true);
  Run();
  Create("between");
  Delete("gone");
  server_.Compact();
  faults_->SetDown(false);
  runtime_.AdvanceBy(1s);
  EXPECT_EQ(Shown("between"), "Running 2/2 True");
  EXPECT_FALSE(Exists("gone"));
  server_.CloseWatches();
  Run();
  Create("after");
  EXPECT_EQ(Shown("after"), "Running 2/2 True");
}

TEST_F(KubeletTest, RepeatsWritesThatARestoredServerLost) {
  kubelet_.Behave({.ready_after = 10s, .gone_after = 10s});
  Create("started");
  Create("deleted");
  const std::string unready = server_.Save();
  runtime_.AdvanceBy(10s);
  Delete("deleted");
  ASSERT_EQ(Shown("started"), "Running 2/2 True");

  ASSERT_TRUE(server_.Restore(unready).ok());
  Run();
  EXPECT_EQ(Shown("started"), "Running 2/2 True");
  EXPECT_EQ(Shown("deleted"), "Running 2/2 True");
  runtime_.AdvanceBy(1min);
  EXPECT_TRUE(Exists("deleted")) << "its deletion is forgotten as well";
}

TEST_F(KubeletTest, RebindsAPodThatARestoredServerShowsUnbound) {
  kubelet_.Behave({.unschedulable = true});
  Create("web");
  const std::string unbound = server_.Save();
  kubelet_.Behave({});
  Run();
  ASSERT_EQ(Shown("web"), "Running 2/2 True");
  ASSERT_TRUE(server_.Restore(unbound).ok());
  Run();
  EXPECT_NE(NodeOf("web"), "");
  EXPECT_EQ(Shown("web"), "Running 2/2 True");
}

// The kubelet repeats each write until it has taken effect once.
TEST_F(KubeletTest, ConvergesWithRandomFaults) {
  faults_->Randomly({.rate = 0.3});
  for (int i = 0; i < 10; ++i) Create(Format("pod-{}", i));
  const auto all = [this](const std::string& wanted) {
    for (int i = 0; i < 10; ++i) {
      if (Shown(Format("pod-{}", i)) != wanted) return false;
    }
    return true;
  };
  EXPECT_TRUE(runtime_.RunUntil([&] { return all("Running 2/2 True"); }, 1h));
  for (int i = 0; i < 10; ++i) Delete(Format("pod-{}", i));
  EXPECT_TRUE(runtime_.RunUntil(
      [&] {
        for (int i = 0; i < 10; ++i) {
          if (Exists(Format("pod-{}", i))) return false;
        }
        return true;
      },
      1h));
}

TEST(KubeletDuration, ParsesGoDurations) {
  EXPECT_EQ(kubelet::ParseDuration("2s"), 2s);
  EXPECT_EQ(kubelet::ParseDuration("1m30s"), 90s);
  EXPECT_EQ(kubelet::ParseDuration("1.5h"), 90min);
  EXPECT_EQ(kubelet::ParseDuration("250ms"), 250ms);
}

TEST(KubeletDuration, RefusesInvalidText) {
  for (const char* text : {"", "never", "5", "s", "-1s", "1s2", "1x", "nan", "infs", "1e300h",
                           "9999999999999999h", "1 s"}) {
    EXPECT_EQ(kubelet::ParseDuration(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace capstan::testing
