#include "deployment/wake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/controller/ownership.h>

#include "builders.h"

namespace capstan::deployment {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PodWakeUp : public ::testing::Test {
 protected:
  PodWakeUp() {
    deployment_.spec.strategy = {.type = "Recreate", .rollingUpdate = std::nullopt};
    set_.metadata.ownerReferences = {ControllerReferenceTo(deployment_)};
    Store();
  }
  void Store() {
    deployments_->Put(std::make_shared<Deployment>(deployment_));
    sets_->Put(std::make_shared<ReplicaSet>(set_));
  }
  Pod PodOf(std::string_view name, std::string_view phase = "Running") const {
    Pod pod;
    pod.metadata.name = std::string(name);
    pod.metadata.namespace_ = "default";
    pod.metadata.uid = Uid("uid-of-" + std::string(name));
    pod.metadata.ownerReferences = {ControllerReferenceTo(set_)};
    pod.status.phase = phase;
    return pod;
  }
  std::vector<std::string> WokenByPod(const Pod* before, const Pod* after) {
    std::vector<NamespacedName> keys;
    WakeRecreate(before, after, Lister<Deployment>(deployments_), Lister<ReplicaSet>(sets_),
                 Lister<Pod>(pods_), keys);
    return Names(keys);
  }
  static std::vector<std::string> Names(const std::vector<NamespacedName>& keys) {
    std::vector<std::string> names;
    for (const NamespacedName& key : keys) names.push_back(key.name);
    return names;
  }

  Deployment deployment_ = DeploymentOf(1);
  ReplicaSet set_ = SetOf("a", "v0", 0, 0);
  std::shared_ptr<Indexer> deployments_ = std::make_shared<Indexer>(DescriptorOf<Deployment>());
  std::shared_ptr<Indexer> sets_ = std::make_shared<Indexer>(DescriptorOf<ReplicaSet>());
  std::shared_ptr<Indexer> pods_ = std::make_shared<Indexer>(DescriptorOf<Pod>());
};

TEST_F(PodWakeUp, WakesARecreateDeploymentWhenItsLastPodIsGone) {
  const Pod pod = PodOf("p");
  EXPECT_THAT(WokenByPod(&pod, nullptr), ElementsAre("web"));
}

TEST_F(PodWakeUp, WakesARecreateDeploymentWhenItsLastPodHasFinished) {
  const Pod running = PodOf("p");
  const Pod finished = PodOf("p", "Failed");
  pods_->Put(std::make_shared<Pod>(finished));
  EXPECT_THAT(WokenByPod(&running, &finished), ElementsAre("web"));
  EXPECT_THAT(WokenByPod(&finished, nullptr), IsEmpty());
}

TEST_F(PodWakeUp, WakesNoDeploymentWhileAnotherPodRuns) {
  const Pod pod = PodOf("p");
  pods_->Put(std::make_shared<Pod>(PodOf("q")));
  EXPECT_THAT(WokenByPod(&pod, nullptr), IsEmpty());
}

TEST_F(PodWakeUp, WakesNoDeploymentForANewPod) {
  const Pod pod = PodOf("p");
  EXPECT_THAT(WokenByPod(nullptr, &pod), IsEmpty());
  EXPECT_THAT(WokenByPod(&pod, &pod), IsEmpty());
}

TEST_F(PodWakeUp, WakesNoRollingUpdateDeployment) {
  deployment_.spec.strategy.type = "RollingUpdate";
  Store();
  const Pod pod = PodOf("p");
  EXPECT_THAT(WokenByPod(&pod, nullptr), IsEmpty());
}

TEST_F(PodWakeUp, WakesNoDeploymentForAReplacedOwner) {
  const Pod pod = PodOf("p");
  set_.metadata.uid = "another";
  Store();
  EXPECT_THAT(WokenByPod(&pod, nullptr), IsEmpty());
}

}  // namespace
}  // namespace capstan::deployment
