#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "process.h"

namespace capstan::e2e {

enum class ServerKind {
  kReal,        // kube-apiserver with its own etcd
  kPlayground,  // capstan-playground
};

// "real", "playground"
const char* NameOf(ServerKind kind);
// The kinds that the programs of this build allow: the playground, and kube-apiserver when it has
// been built.
std::vector<ServerKind> ServerKinds();

// A Kubernetes API server in separate processes, on free ports of 127.0.0.1. No scheduler or
// kubelet runs beside it, so objects stay unchanged until the test's own components change them.
// Not thread-safe. Throws std::runtime_error with the end of the server's log when a server does
// not become ready.
class ApiServer {
 public:
  // The shared server of this kind in this test binary. The first call starts it.
  static ApiServer& Shared(ServerKind kind);
  // Stops the shared servers. Called at the end of the binary, from the thread that started them.
  static void EndShared();

  virtual ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  // Stops and starts the server. Objects, address and certificates are kept. Between the calls all
  // watches end and all requests fail.
  virtual void Stop() = 0;
  virtual void Start() = 0;

  // The kubeconfig of an administrator.
  std::filesystem::path kubeconfig() const { return directory_.path() / "kubeconfig"; }
  // For the logs and files of programs that use this server.
  const std::filesystem::path& directory() const { return directory_.path(); }

  // Runs kubectl as the administrator and returns its stdout. Throws when it fails.
  std::string Kubectl(std::vector<std::string> arguments, const std::string& input = "",
                      Milliseconds timeout = Seconds(60));
  // The same for commands that may fail.
  CommandResult TryKubectl(std::vector<std::string> arguments, const std::string& input = "",
                           Milliseconds timeout = Seconds(60));

 protected:
  ApiServer();
  // Waits until /readyz succeeds. `processes` are the processes of the server.
  void AwaitReady(const std::vector<Process*>& processes);

 private:
  TempDirectory directory_;
};

// The path of etcd, kube-apiserver or kubectl ($CAPSTAN_E2E_SERVERS, else build/servers).
std::filesystem::path ServerBinary(const std::string& name);

// `flags` are passed to kube-apiserver in addition to the default ones.
std::unique_ptr<ApiServer> NewKubeApiServer(std::vector<std::string> flags = {});
std::unique_ptr<ApiServer> NewPlayground();

}  // namespace capstan::e2e
