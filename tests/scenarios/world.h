#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <capstan/client/client.h>
#include <capstan/runtime/runtime.h>
#include <capstan/testing/kubelet.h>

namespace capstan::scenarios {

using Seconds = std::chrono::seconds;
using Milliseconds = std::chrono::milliseconds;

// Where a scenario takes place.
enum class WorldKind {
  kFake,        // all of it in this process, in virtual time
  kPlayground,  // capstan-playground and managers in processes of their own
  kReal,        // the same with a kube-apiserver
};

// "fake", "playground", "real"
const char* NameOf(WorldKind kind);

struct ManagerOptions {
  bool leader_elect = true;
  Seconds lease_duration{5};
  Seconds renew_deadline{3};
  Milliseconds retry_period{500};
};

// A controller manager with the Deployment and ReplicaSet controllers.
class Manager {
 public:
  virtual ~Manager() = default;
  virtual bool IsRunning() = 0;
  virtual bool IsLeading() = 0;
  // As SIGKILL does: no draining, no release.
  virtual void Kill() = 0;
  // As SIGTERM does; the exit code. Throws when it does not end.
  virtual int Terminate() = 0;
  // The end of what it said, for a failure message.
  virtual std::string LogTail() = 0;
};

// A namespace on an API server, in which pods come to life, and managers.
class World {
 public:
  virtual ~World() = default;

  virtual Runtime& runtime() = 0;
  // An administrator's, without a rate limit.
  virtual const Client& client() = 0;
  // Of the pods of this namespace.
  virtual testing::Kubelet& kubelet() = 0;
  virtual const std::string& namespace_name() const = 0;
  // The managers of a world compete for it.
  virtual NamespacedName lease() const = 0;

  // Lets time pass until `done`. False when `limit` has passed first.
  virtual bool Until(const std::function<bool()>& done, Duration limit) = 0;
  virtual std::unique_ptr<Manager> StartManager(const ManagerOptions& options) = 0;
  // In between no request gets through, and every watch has ended.
  virtual void StopServer() = 0;
  virtual void StartServer() = 0;
};

// What the test binary offers.
std::vector<WorldKind> Worlds();
// Throws std::runtime_error when it cannot be made.
std::unique_ptr<World> NewWorld(WorldKind kind);

}  // namespace capstan::scenarios
