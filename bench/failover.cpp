// Measures the control gap after the leading manager ends: from the signal to the first write of
// its successor, as recorded in the audit log of a real kube-apiserver. It runs three replicas of
// each kind of manager. Each kind has a separate kube-apiserver, and both run at the same time. All
// leader election flags have their defaults.
//
//   failover [rounds] [TERM|KILL|both] [capstan|kcm|both]

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <capstan/api/apps_v1.h>
#include <capstan/client/client.h>
#include <capstan/client/rest_config.h>
#include <capstan/runtime/runtime.h>

#include "e2e/api_server.h"
#include "e2e/audit_log.h"
#include "e2e/process.h"
#include "support/paths.h"

namespace {

using capstan::api::apps::v1::Deployment;
using capstan::e2e::AuditedRequest;
using capstan::e2e::Milliseconds;
using capstan::e2e::Process;
using capstan::e2e::Seconds;
using Moment = std::chrono::system_clock::time_point;

constexpr int kReplicas = 3;
constexpr Seconds kStopTimeout{60};

// Three replicas of one kind of manager, and their API server. Used by one thread only, since the
// child processes are tied to the thread that starts them.
class FailoverBench {
 public:
  FailoverBench(std::string kind, std::vector<std::string> command)
      : kind_(std::move(kind)), command_(std::move(command)) {
    server_ = capstan::e2e::NewKubeApiServer(audit_.ServerFlags());
    auto config =
        capstan::LoadKubeconfig({.paths = {server_->kubeconfig()}, .context = {}, .master = {}});
    if (!config) throw std::runtime_error(config.status().ToString());
    auto transport = capstan::NewHttpTransport(*config, capstan::SystemRuntime());
    if (!transport) throw std::runtime_error(transport.status().ToString());
    client_.emplace(std::shared_ptr<capstan::Transport>(*std::move(transport)),
                    capstan::SystemRuntime(), capstan::ClientOptions{.qps = 0});
    for (int i = 0; i < kReplicas; ++i) StartReplica();
  }

  const std::string& kind() const { return kind_; }

  // Ends the leader and measures the time until another replica writes.
  Milliseconds Round(int signal) {
    AwaitReplicas();
    const std::string leader = AwaitLeader();
    const Moment begin = std::chrono::system_clock::now();
    replicas_.at(leader)->Kill(signal);
    const Moment first = AwaitFirstWrite(leader, begin);
    if (!replicas_.at(leader)->Wait(kStopTimeout))
      throw std::runtime_error(leader + " does not exit");
    replicas_.erase(leader);
    StartReplica();
    CleanUp();
    return std::chrono::duration_cast<Milliseconds>(first - begin);
  }

 private:
  void StartReplica() {
    const std::string user = kind_ + "-" + std::to_string(++started_);
    const auto file = files_.path() / (user + ".kubeconfig");
    capstan::e2e::WriteFile(file,
                            capstan::e2e::ImpersonatingKubeconfig(server_->kubeconfig(), user));
    std::vector<std::string> command = command_;
    command.push_back("--kubeconfig=" + file.string());
    replicas_[user] = std::make_unique<Process>(command, files_.path() / (user + ".log"));
  }

  void Follow() {
    for (const AuditedRequest& request : audit_.NewRequests()) {
      if (request.resource == "leases" && request.succeeded) {
        seen_.insert(request.user);
        if (request.IsWrite()) leader_ = request.user;
      }
      if (request.IsWork() && request.succeeded) writes_.push_back(request);
    }
  }

  template <class Done>
  void Await(const char* what, Done done) {
    const auto deadline = std::chrono::steady_clock::now() + kStopTimeout;
    for (Follow(); !done(); Follow()) {
      if (std::chrono::steady_clock::now() > deadline) {
        throw std::runtime_error(kind_ + ": timed out waiting for " + what + "; " +
                                 replicas_.begin()->second->LogTail());
      }
      std::this_thread::sleep_for(Milliseconds(5));
    }
  }

  // Waits until each replica has tried to acquire the lease, and has had time to fill its caches if
  // it does so before.
  void AwaitReplicas() {
    Await("the replicas", [&] {
      return std::all_of(replicas_.begin(), replicas_.end(),
                         [&](const auto& replica) { return seen_.contains(replica.first); });
    });
    std::this_thread::sleep_for(Seconds(1));
  }
  std::string AwaitLeader() {
    Await("a leader", [&] { return replicas_.contains(leader_); });
    return leader_;
  }

  // Creates Deployments all the time, so that a ReplicaSet is always missing.
  Moment AwaitFirstWrite(const std::string& old_leader, Moment begin) {
    int created = 0;
    auto next = std::chrono::steady_clock::now();
    std::optional<Moment> first;
    Await("the successor", [&] {
      if (std::chrono::steady_clock::now() >= next) {
        CreateDeployment();
        next += ++created < 40 ? Milliseconds(10) : Milliseconds(500);
      }
      for (const AuditedRequest& write : writes_) {
        if (!replicas_.contains(write.user) || write.user == old_leader) continue;
        if (write.received < begin) continue;
        if (!first || write.received < *first) first = write.received;
      }
      return first.has_value();
    });
    return *first;
  }

  void CreateDeployment() {
    const std::string name = "d" + std::to_string(++deployments_);
    const std::string json = R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":")" +
                             name +
                             R"("},"spec":{"replicas":0,"selector":{"matchLabels":{"app":")" +
                             name + R"("}},"template":{"metadata":{"labels":{"app":")" + name +
                             R"("}},"spec":{"containers":[{"name":"c","image":"c"}]}}}})";
    const auto made = client_->Create(capstan::DescriptorOf<Deployment>(), "default", json);
    if (!made) throw std::runtime_error(made.status().ToString());
  }

  void CleanUp() {
    writes_.clear();
    server_->Kubectl({"delete", "deployments,replicasets", "--all", "--wait=false"});
    Follow();
    writes_.clear();
  }

  const std::string kind_;
  const std::vector<std::string> command_;
  const capstan::e2e::TempDirectory files_;
  capstan::e2e::AuditLog audit_{files_.path()};
  std::unique_ptr<capstan::e2e::ApiServer> server_;
  std::optional<capstan::Client> client_;
  std::map<std::string, std::unique_ptr<Process>> replicas_;
  int started_ = 0;
  int deployments_ = 0;
  std::string leader_;
  std::set<std::string> seen_;
  std::vector<AuditedRequest> writes_;
};

void Print(const std::string& kind, const char* signal, std::vector<Milliseconds> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    const long index = std::lround(share * static_cast<double>(times.size() - 1));
    return static_cast<long>(times[static_cast<size_t>(index)].count());
  };
  std::printf("%-8s SIG%-4s %3zu rounds: min %ld, median %ld, p90 %ld, p99 %ld, max %ld ms\n",
              kind.c_str(), signal, times.size(), at(0), at(0.5), at(0.9), at(0.99), at(1));
  std::fflush(stdout);
}

void Run(const std::string& kind, const std::vector<std::string>& command, int rounds,
         const std::string& signals) {
  try {
    FailoverBench bench(kind, command);
    for (const auto& [name, number] : {std::pair{"TERM", SIGTERM}, std::pair{"KILL", SIGKILL}}) {
      if (signals != "both" && signals != name) continue;
      std::vector<Milliseconds> times;
      times.reserve(static_cast<size_t>(rounds));
      for (int i = 0; i < rounds; ++i) times.push_back(bench.Round(number));
      Print(kind, name, std::move(times));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "failover: %s: %s\n", kind.c_str(), error.what());
    std::exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 30;
  const std::string signals = argc > 2 ? argv[2] : "both";
  const std::string kinds = argc > 3 ? argv[3] : "both";
  if (rounds < 1) {
    std::fprintf(stderr, "usage: failover [rounds] [TERM|KILL|both] [capstan|kcm|both]\n");
    return 2;
  }
  if (!exists(capstan::e2e::ServerBinary("kube-apiserver"))) {
    std::printf("failover: skipped, as kube-apiserver is not built; see ./dev e2e\n");
    return 0;
  }
  const std::string controllers = "--controllers=deployment-controller,replicaset-controller";
  std::vector<std::thread> benches;
  if (kinds != "kcm") {
    benches.emplace_back(
        Run, "capstan",
        std::vector<std::string>{capstan::tests::ManagerProgram(), controllers, "--secure-port=0"},
        rounds, signals);
  }
  if (kinds != "capstan") {
    benches.emplace_back(
        Run, "kcm",
        std::vector<std::string>{capstan::e2e::ServerBinary("kube-controller-manager"), controllers,
                                 "--leader-elect=true", "--secure-port=0"},
        rounds, signals);
  }
  for (std::thread& bench : benches) bench.join();
  return 0;
}
