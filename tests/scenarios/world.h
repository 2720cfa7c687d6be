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

// Where a scenario runs.
enum class WorldKind {
  kFake,        // everything in this process, in virtual time
  kPlayground,  // capstan-playground and managers in separate processes
  kReal,        // the same with a kube-apiserver
};

// "fake", "playground", "real"
const char* NameOf(WorldKind kind);

struct ManagerOptions {
  bool leader_elect = true;
  Seconds lease_duration{5};
  Seconds renew_deadline{3};
  Milliseconds retry_period{500};
  bool protobuf = true;  // whether it asks for protobuf
};

// A controller manager with the Deployment and ReplicaSet controllers.
class Manager {
 public:
  virtual ~Manager() = default;
  virtual bool IsRunning() = 0;
  virtual bool IsLeading() = 0;
  // Like SIGKILL: no draining, no release of the lease.
  virtual void Kill() = 0;
  // Like SIGTERM. Returns the exit code. Throws when the manager does not exit.
  virtual int Terminate() = 0;
  // The end of the log, for a failure message.
  virtual std::string LogTail() = 0;
};

// A namespace on an API server with a kubelet for its pods, and managers.
class World {
 public:
  virtual ~World() = default;

  virtual Runtime& runtime() = 0;
  // A client with administrator rights and no rate limit.
  virtual const Client& client() = 0;
  // The kubelet of the pods in this namespace.
  virtual testing::Kubelet& kubelet() = 0;
  virtual const std::string& namespace_name() const = 0;
  // The Lease for which the managers of this world compete.
  virtual NamespacedName lease() const = 0;

  // Lets time pass until `done` holds. Returns false when `limit` passes first.
  virtual bool Until(const std::function<bool()>& done, Duration limit) = 0;
  virtual std::unique_ptr<Manager> StartManager(const ManagerOptions& options) = 0;
  // Between these calls no request reaches the server, and all watches are closed.
  virtual void StopServer() = 0;
  virtual void StartServer() = 0;
};

// The worlds that the test binary offers.
std::vector<WorldKind> Worlds();
// Throws std::runtime_error when the world cannot be created.
std::unique_ptr<World> NewWorld(WorldKind kind);

}  // namespace capstan::scenarios
