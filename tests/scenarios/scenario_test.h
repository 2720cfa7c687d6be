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

// A test with a world of its own, and with the managers that it starts. At the end each manager
// must stop in good order.
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

  // What a user does. The Deployment is "web".
  void Apply(const Workload& workload);
  // Creates an object of this namespace: "deployments", "replicasets" or "pods".
  void CreateObject(const std::string& resource, const std::string& json);
  void SetImage(const std::string& image);
  void Scale(int replicas);
  void Pause();
  void Resume();
  // As `kubectl rollout undo`: the template of the revision before the present one.
  void Undo();
  // A new template whose pods never get ready.
  void SetBrokenImage(const std::string& image);
  // A merge patch of an object of this namespace, "pods/NAME" or "deployments/NAME/status".
  void Patch(const std::string& path, const std::string& merge_patch);
  void Annotate(const std::string& path, const std::string& key, const std::string& value);
  void Label(const std::string& path, const std::string& key, const std::string& value);
  void Delete(const std::string& path, const DeleteOptions& options = {});

  // An object of this namespace as the server has it, "deployments/web", or a list, "pods".
  json::Value Get(const std::string& path = "deployments/web");
  bool Exists(const std::string& path);
  json::Value LeaseSpec();

  // Waits for an event of this reason and message. (They are written beside the work.)
  ::testing::AssertionResult IsTold(const std::string& reason, const std::string& message);
  // Lets that much time pass, in which nothing is expected to happen.
  void Wait(Duration time);

  // Applies the workload and waits until it is complete.
  ::testing::AssertionResult Create(const Workload& workload);
  // Waits until the newest generation of the Deployment is complete, with so many pods.
  ::testing::AssertionResult BecomesComplete(int replicas, Duration limit = Seconds(60));
  ::testing::AssertionResult Eventually(const std::string& what, const std::function<bool()>& is,
                                        Duration limit = Seconds(60));
  // What a rolling update promises at every moment.
  ::testing::AssertionResult StaysWithin(size_t mark, int max_replicas, int min_available);

  const std::unique_ptr<World> world_;
  testing::Kubelet& kubelet_;
  Observer observer_;
  std::vector<std::unique_ptr<Manager>> managers_;
};

// A scenario that takes place in each world that the test binary offers.
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

// The member of each item of a list, e.g. each pod's image.
std::vector<std::string> Each(const json::Value& list,
                              const std::function<std::string(const json::Value&)>& of);
std::string ImageOf(const json::Value& pod);
// What the revision annotation of a Deployment or a ReplicaSet says.
std::string RevisionOf(const json::Value& object);
// The condition of this type in an object's status, or a null.
json::Value ConditionOf(const json::Value& object, const std::string& type);

}  // namespace capstan::scenarios
