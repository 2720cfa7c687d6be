#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "json/value.h"
#include "observer.h"
#include "workload.h"
#include "world.h"

namespace capstan::scenarios {

// A test with its own world and the managers that it starts. At the end each manager must stop
// cleanly.
class ScenarioTest : public ::testing::Test {
 protected:
  explicit ScenarioTest(WorldKind kind);
  explicit ScenarioTest(std::unique_ptr<World> world);
  ~ScenarioTest() override;
  void TearDown() override;

  Manager& StartManager(const ManagerOptions& options = {});
  // Starts one manager and waits until it leads.
  Manager& StartLeader(const ManagerOptions& options = {});
  ::testing::AssertionResult GetsToLead(Manager& manager);

  // User actions. The Deployment is "web".
  void Apply(const Workload& workload);
  // Creates an object in this namespace: "deployments", "replicasets" or "pods".
  void CreateObject(const std::string& resource, const std::string& json);
  void SetImage(const std::string& image);
  void Scale(int replicas);
  void Pause();
  void Resume();
  // Like `kubectl rollout undo`: restores the template of the previous revision.
  void Undo();
  // Sets a new template whose pods never become ready.
  void SetBrokenImage(const std::string& image);
  // Applies a merge patch to an object in this namespace, "pods/NAME" or "deployments/NAME/status".
  void Patch(const std::string& path, const std::string& merge_patch);
  void Annotate(const std::string& path, const std::string& key, const std::string& value);
  void Label(const std::string& path, const std::string& key, const std::string& value);
  void Delete(const std::string& path, const DeleteOptions& options = {});

  // An object of this namespace from the server, "deployments/web", or a list, "pods".
  json::Value Get(const std::string& path = "deployments/web");
  bool Exists(const std::string& path);
  json::Value LeaseSpec();

  // Waits for an event with this reason and message. (Events are written asynchronously.)
  ::testing::AssertionResult HasEvent(const std::string& reason, const std::string& message);
  // Lets that much time pass without a condition to wait for.
  void Wait(Duration time);

  // Applies the workload and waits until it is complete.
  ::testing::AssertionResult Create(const Workload& workload);
  // Waits until the newest generation of the Deployment is complete with this number of pods.
  ::testing::AssertionResult BecomesComplete(int replicas, Duration limit = Seconds(60));
  ::testing::AssertionResult Eventually(const std::string& what, const std::function<bool()>& is,
                                        Duration limit = Seconds(60));
  // Whether the bounds of the rolling update held in every state since `mark`.
  ::testing::AssertionResult StaysWithin(size_t mark, int max_replicas, int min_available);

  const std::unique_ptr<World> world_;
  testing::Kubelet& kubelet_;
  Observer observer_;
  std::vector<std::unique_ptr<Manager>> managers_;
};

// A scenario that runs in each world that the test binary offers.
class Scenario : public ScenarioTest, public ::testing::WithParamInterface<WorldKind> {
 protected:
  Scenario() : ScenarioTest(GetParam()) {}
};

template <class Test>
std::string NameOfWorld(const Test& test) {
  return NameOf(test.param);
}

#define CAPSTAN_IN_EVERY_WORLD(suite)                                   \
  INSTANTIATE_TEST_SUITE_P(World, suite, ::testing::ValuesIn(Worlds()), \
                           [](const auto& test) { return NameOfWorld(test); })

// Maps each item of a list, e.g. to its image.
std::vector<std::string> Each(const json::Value& list,
                              const std::function<std::string(const json::Value&)>& of);
std::string ImageOf(const json::Value& pod);
// The value of the revision annotation of a Deployment or a ReplicaSet.
std::string RevisionOf(const json::Value& object);
// The condition of this type in an object's status, or null.
json::Value ConditionOf(const json::Value& object, const std::string& type);

}  // namespace capstan::scenarios
