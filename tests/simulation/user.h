#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/client/client.h>
#include <capstan/testing/kubelet.h>

#include "cluster.h"
#include "dice.h"

namespace capstan::simulation {

// A user who performs random actions on the Deployments "a" and "b" and on their objects. Not
// thread-safe: for the fibers of one SimulatedRuntime.
class User {
 public:
  User(const Client& client, testing::Kubelet& kubelet, std::string namespace_name, Dice& dice);

  // Creates the initial Deployments.
  void Begin();
  // Performs one random action. The server may refuse it.
  void Act();
  // Removes everything that keeps the controllers from converging: no Deployment is paused, and
  // every pod may become ready.
  void End();

 private:
  using Action = void (User::*)(const Deployment& deployment);
  static const std::vector<std::pair<int, Action>>& Actions();  // by weight

  void Create(const std::string& name);
  // Actions on an existing Deployment.
  void Scale(const Deployment& deployment);
  void SetImage(const Deployment& deployment);
  void Restart(const Deployment& deployment);
  void ChangeStrategy(const Deployment& deployment);
  void ChangeSettings(const Deployment& deployment);
  void PauseOrResume(const Deployment& deployment);
  void Delete(const Deployment& deployment);
  // Actions on objects of the Deployment, or on objects without an owner.
  void ScaleReplicaSet(const Deployment& deployment);
  void DeleteReplicaSet(const Deployment& deployment);
  void DeletePod(const Deployment& deployment);
  void RelabelPod(const Deployment& deployment);
  void CrashPod(const Deployment& deployment);
  void UnreadyPod(const Deployment& deployment);

  void Patch(const Deployment& deployment, std::string_view merge_patch,
             PatchType type = PatchType::kMerge);
  template <class T>
  const T* Any(const std::vector<std::shared_ptr<const T>>& objects) {
    return objects.empty() ? nullptr : dice_.Pick(objects).get();
  }
  NamespacedName NameIn(std::string_view name) const { return {namespace_, std::string(name)}; }
  PropagationPolicy AnyPropagation();
  std::string AnyStrategy();

  const Client client_;
  testing::Kubelet& kubelet_;
  const std::string namespace_;
  Dice& dice_;
  std::vector<NamespacedName> unready_;
};

}  // namespace capstan::simulation
