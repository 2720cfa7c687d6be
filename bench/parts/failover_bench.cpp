#include "bench/parts/failover_bench.h"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

#include <capstan/api/apps_v1.h>

#include "bench/parts/admin_client.h"

namespace capstan::bench {
namespace {

using e2e::AuditedRequest;
using e2e::Milliseconds;
using e2e::Process;
using e2e::Seconds;

constexpr int kReplicas = 3;
constexpr Seconds kStopTimeout{60};

}  // namespace

FailoverBench::FailoverBench(std::string kind, std::vector<std::string> command)
    : kind_(std::move(kind)), command_(std::move(command)) {
  server_ = e2e::NewKubeApiServer(audit_.ServerFlags());
  client_.emplace(NewAdminClient(*server_));
  for (int i = 0; i < kReplicas; ++i) StartReplica();
}

Milliseconds FailoverBench::Round(int signal) {
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

void FailoverBench::StartReplica() {
  const std::string user = kind_ + "-" + std::to_string(++started_);
  const auto file = files_.path() / (user + ".kubeconfig");
  e2e::WriteFile(file, e2e::ImpersonatingKubeconfig(server_->kubeconfig(), user));
  std::vector<std::string> command = command_;
  command.push_back("--kubeconfig=" + file.string());
  replicas_[user] = std::make_unique<Process>(command, files_.path() / (user + ".log"));
}

void FailoverBench::Follow() {
  for (const AuditedRequest& request : audit_.NewRequests()) {
    if (request.resource == "leases" && request.succeeded) {
      seen_.insert(request.user);
      if (request.IsWrite()) leader_ = request.user;
    }
    if (request.IsWork() && request.succeeded) writes_.push_back(request);
  }
}

template <class Done>
void FailoverBench::Await(const char* what, Done done) {
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
void FailoverBench::AwaitReplicas() {
  Await("the replicas", [&] {
    return std::all_of(replicas_.begin(), replicas_.end(),
                       [&](const auto& replica) { return seen_.contains(replica.first); });
  });
  std::this_thread::sleep_for(Seconds(1));
}

std::string FailoverBench::AwaitLeader() {
  Await("a leader", [&] { return replicas_.contains(leader_); });
  return leader_;
}

// Creates Deployments all the time, so that a ReplicaSet is always missing.
FailoverBench::Moment FailoverBench::AwaitFirstWrite(const std::string& old_leader, Moment begin) {
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

void FailoverBench::CreateDeployment() {
  const std::string name = "d" + std::to_string(++deployments_);
  const std::string json = R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":")" +
                           name + R"("},"spec":{"replicas":0,"selector":{"matchLabels":{"app":")" +
                           name + R"("}},"template":{"metadata":{"labels":{"app":")" + name +
                           R"("}},"spec":{"containers":[{"name":"c","image":"c"}]}}}})";
  const auto made = client_->Create(DescriptorOf<api::apps::v1::Deployment>(), "default", json);
  if (!made) throw std::runtime_error(made.status().ToString());
}

void FailoverBench::CleanUp() {
  writes_.clear();
  server_->Kubectl({"delete", "deployments,replicasets", "--all", "--wait=false"});
  Follow();
  writes_.clear();
}

}  // namespace capstan::bench
