#include <string>

#include <gmock/gmock.h>

#include "scenario_test.h"

namespace capstan::scenarios {
namespace {

using ::testing::HasSubstr;

constexpr char kOneByOne[] = R"({"rollingUpdate":{"maxSurge":1,"maxUnavailable":0}})";

class Progress : public Scenario {
 protected:
  // Waits for a condition of "web".
  ::testing::AssertionResult Becomes(const std::string& type, const std::string& status,
                                     const std::string& reason) {
    return Eventually(type + "=" + status + " (" + reason + ")", [&] {
      const json::Value condition = ConditionOf(Get(), type);
      return condition.Get("status").AsString() == status &&
             condition.Get("reason").AsString() == reason;
    });
  }
  void SetReady(bool ready) {
    for (const std::string& pod : observer_.Now().PodNames()) {
      kubelet_.SetReady({world_->namespace_name(), pod}, ready);
    }
  }
};
CAPSTAN_IN_EVERY_WORLD(Progress);

TEST_P(Progress, ReportsPauseAndResume) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2, .strategy = kOneByOne}));
  SetBrokenImage("example.com/web:2");
  ASSERT_TRUE(observer_.Eventually("it stalls", [](const View& view) {
    return view.ActivePods() == 3 && view.deployment->status.updatedReplicas == 1;
  }));

  Pause();
  EXPECT_TRUE(Becomes("Progressing", "Unknown", "DeploymentPaused"));
  Resume();
  EXPECT_TRUE(Becomes("Progressing", "Unknown", "DeploymentResumed"));
}

TEST_P(Progress, HasNoConditionWithoutADeadline) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 1, .more_spec = R"("progressDeadlineSeconds":2147483647,)"}));
  Pause();
  const int64_t generation = Get().Get("metadata", "generation").AsInteger();
  ASSERT_TRUE(observer_.Eventually("the pause is observed", [&](const View& view) {
    return view.deployment->status.observedGeneration >= generation;
  }));
  EXPECT_TRUE(ConditionOf(Get(), "Progressing").IsNull());
  EXPECT_EQ(ConditionOf(Get(), "Available").Get("status").AsString(), "True");
}

TEST_P(Progress, RecoversFromATimeoutWhenThePodsBecomeReady) {
  StartLeader();
  kubelet_.Behave({.ready_after = std::nullopt});
  Apply({.replicas = 2, .more_spec = R"("progressDeadlineSeconds":2,)"});
  ASSERT_TRUE(Becomes("Progressing", "False", "ProgressDeadlineExceeded"));
  const std::string name = observer_.Now().replica_sets[0]->metadata.name;
  EXPECT_EQ(ConditionOf(Get(), "Progressing").Get("message").AsString(),
            "ReplicaSet \"" + name + "\" has timed out progressing.");
  EXPECT_EQ(ConditionOf(Get(), "Available").Get("reason").AsString(), "MinimumReplicasUnavailable");

  // The condition stays while the Deployment is paused.
  Pause();
  const int64_t generation = Get().Get("metadata", "generation").AsInteger();
  ASSERT_TRUE(observer_.Eventually("the pause is observed", [&](const View& view) {
    return view.deployment->status.observedGeneration >= generation;
  }));
  EXPECT_TRUE(Becomes("Progressing", "False", "ProgressDeadlineExceeded"));
  Resume();

  SetReady(true);
  ASSERT_TRUE(BecomesComplete(2));
  EXPECT_TRUE(Becomes("Progressing", "True", "NewReplicaSetAvailable"));
}

TEST_P(Progress, TheAvailableConditionFollowsThePods) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2, .strategy = kOneByOne}));
  EXPECT_TRUE(Becomes("Available", "True", "MinimumReplicasAvailable"));
  SetReady(false);
  EXPECT_TRUE(Becomes("Available", "False", "MinimumReplicasUnavailable"));
  SetReady(true);
  EXPECT_TRUE(Becomes("Available", "True", "MinimumReplicasAvailable"));
  EXPECT_EQ(ConditionOf(Get(), "Progressing").Get("reason").AsString(), "NewReplicaSetAvailable")
      << "that pods come and go is no rollout";
}

// The Deployment's annotations have the maximum size, so those of the ReplicaSet would exceed it.
TEST_P(Progress, ReportsAFailedReplicaSetCreationAndRecovers) {
  constexpr size_t kMaxAnnotations = size_t{256} << 10;
  constexpr std::string_view kKey = "example.com/large";
  StartLeader();
  const std::string json = Workload{.replicas = 1}.ToJson();
  const std::string name = R"("name":"web")";
  CreateObject("deployments", std::string(json).replace(
                                  json.find(name), name.size(),
                                  name + R"(,"annotations":{")" + std::string(kKey) + R"(":")" +
                                      std::string(kMaxAnnotations - kKey.size(), 'x') + R"("})"));
  ASSERT_TRUE(Becomes("Progressing", "False", "ReplicaSetCreateError"));
  const std::string message = ConditionOf(Get(), "Progressing").Get("message").AsString();
  EXPECT_THAT(message, HasSubstr("Failed to create new replica set \"web-"));
  EXPECT_TRUE(HasEvent("ReplicaSetCreateError", message));

  Patch("deployments/web", R"({"metadata":{"annotations":{"example.com/large":null}}})");
  ASSERT_TRUE(BecomesComplete(1));
  EXPECT_TRUE(Becomes("Progressing", "True", "NewReplicaSetAvailable"));
}

// The API server does not validate finalizers in a template, but rejects pods with invalid ones.
TEST_P(Progress, ReportsAFailedPodCreationAndRecovers) {
  StartLeader();
  const std::string json = Workload{.replicas = 2}.ToJson();
  const std::string metadata = R"("template":{"metadata":{)";
  CreateObject("deployments",
               std::string(json).replace(json.find(metadata), metadata.size(),
                                         metadata + R"("finalizers":["not a finalizer"],)"));
  ASSERT_TRUE(Becomes("ReplicaFailure", "True", "FailedCreate"));
  const std::string message = ConditionOf(Get(), "ReplicaFailure").Get("message").AsString();
  EXPECT_THAT(message, HasSubstr("finalizer"));
  EXPECT_TRUE(HasEvent("FailedCreate", "Error creating: " + message));
  const json::Value replica_sets = Get("replicasets");
  EXPECT_EQ(ConditionOf(replica_sets.Get("items").items().at(0), "ReplicaFailure")
                .Get("message")
                .AsString(),
            message);

  Patch("deployments/web", R"({"spec":{"template":{"metadata":{"finalizers":null}}}})");
  ASSERT_TRUE(BecomesComplete(2));
  EXPECT_TRUE(Eventually("no failure is left",
                         [&] { return ConditionOf(Get(), "ReplicaFailure").IsNull(); }));
}

}  // namespace
}  // namespace capstan::scenarios
