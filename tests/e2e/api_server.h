#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "process.h"

namespace capstan::e2e {

enum class ServerKind {
  kReal,        // a kube-apiserver over an etcd of its own
  kPlayground,  // capstan-playground
};

// "real", "playground"
const char* NameOf(ServerKind kind);
// Those that the programs of this build allow: the playground, and kube-apiserver when it has been
// built.
std::vector<ServerKind> ServerKinds();

// A Kubernetes API server in processes of its own, on free ports of 127.0.0.1. No scheduler or
// kubelet runs beside it: what a test creates stays as it is until the test's own parts act.
// Not thread-safe. Throws std::runtime_error, with the end of the server's log, when a server does
// not get ready.
class ApiServer {
 public:
  // The one of its kind of this test binary, started at the first call.
  static ApiServer& Shared(ServerKind kind);
  // Ends the shared ones; at the end of the binary, from the thread that started them.
  static void EndShared();

  virtual ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  // Stops and starts it; objects, address and certificates stay. Every watch ends and every request
  // fails in between.
  virtual void Stop() = 0;
  virtual void Start() = 0;

  // An administrator's kubeconfig.
  std::filesystem::path kubeconfig() const { return directory_.path() / "kubeconfig"; }
  // For logs and files of whoever works with this server.
  const std::filesystem::path& directory() const { return directory_.path(); }

  // Runs kubectl as the administrator and returns what it wrote to stdout; throws when it fails.
  std::string Kubectl(std::vector<std::string> arguments, const std::string& input = "",
                      Milliseconds timeout = Seconds(60));
  // The same for commands that may fail.
  CommandResult TryKubectl(std::vector<std::string> arguments, const std::string& input = "",
                           Milliseconds timeout = Seconds(60));

 protected:
  ApiServer();
  // Until /readyz says so; `processes` are what it takes.
  void AwaitReady(const std::vector<Process*>& processes);

 private:
  TempDirectory directory_;
};

// The path of etcd, kube-apiserver or kubectl ($CAPSTAN_E2E_SERVERS, else build/servers).
std::filesystem::path ServerBinary(const std::string& name);

// `flags` are given to kube-apiserver besides its own.
std::unique_ptr<ApiServer> NewKubeApiServer(std::vector<std::string> flags = {});
std::unique_ptr<ApiServer> NewPlayground();

}  // namespace capstan::e2e
