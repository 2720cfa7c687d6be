#include "api_server.h"

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <thread>
#include <utility>

#include <capstan/client/client.h>
#include <capstan/client/rest_config.h>

#include "support/paths.h"

namespace capstan::e2e {
namespace {

std::map<ServerKind, std::unique_ptr<ApiServer>>& SharedServers() {
  static std::map<ServerKind, std::unique_ptr<ApiServer>> servers;
  return servers;
}

Status AskReady(const std::filesystem::path& kubeconfig) {
  KubeconfigOptions options;
  options.paths = {kubeconfig.string()};
  Result<RestConfig> config = LoadKubeconfig(options);
  if (!config) return config.status();
  Result<std::unique_ptr<Transport>> transport = NewHttpTransport(*config, SystemRuntime());
  if (!transport) return transport.status();
  return Client(std::move(*transport), SystemRuntime()).GetPath("/readyz").status();
}

}  // namespace

const char* NameOf(ServerKind kind) { return kind == ServerKind::kReal ? "real" : "playground"; }

std::vector<ServerKind> ServerKinds() {
  std::vector<ServerKind> kinds;
  if (access(tests::PlaygroundProgram().c_str(), X_OK) == 0)
    kinds.push_back(ServerKind::kPlayground);
  if (access(ServerBinary("kube-apiserver").c_str(), X_OK) == 0) kinds.push_back(ServerKind::kReal);
  return kinds;
}

ApiServer& ApiServer::Shared(ServerKind kind) {
  std::unique_ptr<ApiServer>& server = SharedServers()[kind];
  if (!server) server = kind == ServerKind::kReal ? NewKubeApiServer() : NewPlayground();
  return *server;
}

void ApiServer::EndShared() { SharedServers().clear(); }

ApiServer::ApiServer() = default;
ApiServer::~ApiServer() = default;

void ApiServer::AwaitReady(const std::vector<Process*>& processes) {
  // With many objects the server takes a while to fill its caches.
  constexpr Seconds kTimeout{300};
  const auto deadline = std::chrono::steady_clock::now() + kTimeout;
  for (;;) {
    const Status ready = AskReady(kubeconfig());
    if (ready.ok()) return;
    for (Process* process : processes) {
      if (!process->IsRunning()) {
        throw std::runtime_error("a server ended; " + process->LogTail());
      }
    }
    if (std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error("the server is not ready after " + std::to_string(kTimeout.count()) +
                               " s: " + ready.ToString() + "\n" + processes.back()->LogTail());
    }
    std::this_thread::sleep_for(Milliseconds(50));
  }
}

std::string ApiServer::Kubectl(std::vector<std::string> arguments, const std::string& input,
                               Milliseconds timeout) {
  std::string command = "kubectl";
  for (const std::string& argument : arguments) command += " " + argument;
  CommandResult result = TryKubectl(std::move(arguments), input, timeout);
  if (result.exit_code != 0) {
    throw std::runtime_error(command + " exits with " + std::to_string(result.exit_code) + ": " +
                             result.errors + result.output);
  }
  return std::move(result.output);
}

CommandResult ApiServer::TryKubectl(std::vector<std::string> arguments, const std::string& input,
                                    Milliseconds timeout) {
  // The default cache directory of the user contains the discovery of other servers.
  std::vector<std::string> argv{ServerBinary("kubectl"), "--kubeconfig=" + kubeconfig().string(),
                                "--cache-dir=" + (directory() / "kubectl-cache").string()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return RunCommand(argv, input, timeout);
}

std::filesystem::path ServerBinary(const std::string& name) {
  const char* set = std::getenv("CAPSTAN_E2E_SERVERS");
  const std::filesystem::path build = tests::BuildFolder();
  return (set != nullptr ? std::filesystem::path(set) : build.parent_path() / "servers") / name;
}

}  // namespace capstan::e2e
