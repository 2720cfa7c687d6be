#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "process.h"

namespace capstan::e2e {

// A kube-apiserver over an etcd of its own, on free ports of 127.0.0.1. No controller, scheduler or
// kubelet runs beside it: what a test creates stays as it is until the test's own parts act.
// Not thread-safe. Throws std::runtime_error, with the end of the server's log, when a server does
// not get ready.
class ApiServer {
 public:
  // The one of this test binary, started at the first call.
  static ApiServer& Shared();
  // Ends the shared one; at the end of the binary, from the thread that started it.
  static void EndShared();

  ApiServer();
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  // Stops and starts the kube-apiserver; etcd, the address and the certificates stay. Every watch
  // ends and every request fails in between.
  void Stop();
  void Start();

  const std::string& url() const { return url_; }
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

 private:
  void WriteKubeconfig();

  TempDirectory directory_;
  std::string etcd_url_;
  std::string url_;
  int port_ = 0;
  std::unique_ptr<Process> etcd_;
  std::unique_ptr<Process> server_;
};

}  // namespace capstan::e2e
