#include "bench/side_by_side/cluster.h"

#include <csignal>
#include <stdexcept>
#include <thread>
#include <utility>

#include "bench/parts/admin_client.h"
#include "bench/parts/process_usage.h"

namespace capstan::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Steady = std::chrono::steady_clock;

// 150,000 pods take more than etcd's default of 2 GB.
constexpr char kEtcdQuota[] = "--quota-backend-bytes=8589934592";

// Waits until `cpu` grows by less than `share` of a core for three windows of half a second, at
// most `limit`. Calls `busy` after each window in which it grows by more.
void AwaitIdle(const std::function<double()>& cpu, double share, seconds limit,
               const std::function<void()>& busy) {
  constexpr milliseconds kWindow{500};
  constexpr int kWindows = 3;
  const auto deadline = Steady::now() + limit;
  double before = cpu();
  for (int quiet = 0; quiet < kWindows && Steady::now() < deadline;) {
    std::this_thread::sleep_for(kWindow);
    const double now = cpu();
    const bool is_quiet = now - before < share * std::chrono::duration<double>(kWindow).count();
    before = now;
    quiet = is_quiet ? quiet + 1 : 0;
    if (quiet == 0) busy();
  }
}

}  // namespace

std::vector<std::string> FastFlags() { return {"--kube-api-qps=1000", "--kube-api-burst=2000"}; }

Cluster::Cluster(ManagerKind kind, std::function<void(const std::string&)> prepare) : kind_(kind) {
  server_ = std::make_unique<e2e::KubeApiServer>(
      e2e::KubeApiServerOptions{.server_flags = audit_.ServerFlags(),
                                .etcd_flags = {kEtcdQuota},
                                .prepare = std::move(prepare)});
  client_.emplace(NewAdminClient(*server_));
}

double Cluster::ManagerCpu() const { return CpuSecondsOf(manager_->pid()); }
double Cluster::ServerCpu() const { return CpuSecondsOf(server_->pid()); }

void Cluster::AwaitQuietServer() {
  AwaitIdle([this] { return ServerCpu(); }, 0.15, seconds(60), [] {});
}

void Cluster::StartManager(const std::vector<std::string>& flags) {
  const auto file = files_.path() / "manager.kubeconfig";
  e2e::WriteFile(file, e2e::ImpersonatingKubeconfig(server_->kubeconfig(), NameOf(kind_)));
  std::vector<std::string> command = CommandOf(kind_);
  command.push_back("--kubeconfig=" + file.string());
  command.push_back("--secure-port=0");
  command.insert(command.end(), flags.begin(), flags.end());
  leads_ = false;
  manager_ = std::make_unique<e2e::Process>(command, files_.path() / "manager.log");
}

void Cluster::StartManagerAndWait(const std::vector<std::string>& flags) {
  StartManager(flags);
  const auto deadline = Steady::now() + seconds(120);
  while (!leads_) {
    CheckManager();
    if (Steady::now() > deadline)
      throw std::runtime_error("the manager does not lead; " + manager_->LogTail());
    std::this_thread::sleep_for(milliseconds(50));
    Follow();
  }
  AwaitIdle([this] { return ManagerCpu(); }, 0.05, seconds(120), [] {});
}

void Cluster::StopManager() {
  manager_->Kill(SIGTERM);
  if (!manager_->Wait(seconds(60)))
    throw std::runtime_error("the manager does not exit; " + manager_->LogTail());
  manager_.reset();
}

void Cluster::CheckManager() {
  if (!manager_->IsRunning())
    throw std::runtime_error("the manager exited; " + manager_->LogTail());
}

bool Cluster::Follow() {
  bool has_written = false;
  for (const e2e::AuditedRequest& request : audit_.NewRequests()) {
    if (request.user != NameOf(kind_)) continue;
    ++cost_.requests;
    if (!request.IsWrite() || !request.succeeded) continue;
    if (request.resource == "leases") {
      leads_ = true;
      continue;
    }
    has_written = true;
    if (!request.IsWork()) {
      ++cost_.events;
      continue;
    }
    ++cost_.work;
    const std::string subresource = request.subresource.empty() ? "" : "/" + request.subresource;
    // One manager changes an object by PUT, the other one by PATCH.
    const bool changes = request.verb == "update" || request.verb == "patch";
    std::string write = changes ? "update or patch" : request.verb;
    write.append(" ").append(request.resource).append(subresource);
    ++cost_.writes[write];
    if (!cost_.first_write || request.received < *cost_.first_write)
      cost_.first_write = request.received;
  }
  return has_written;
}

void Cluster::SampleCpu() {
  cost_.manager_cpu = ManagerCpu() - manager_cpu_before_;
  cost_.server_cpu = ServerCpu() - server_cpu_before_;
}

void Cluster::BeginPhase() {
  Follow();
  cost_ = {};
  manager_cpu_before_ = manager_ ? ManagerCpu() : 0;
  server_cpu_before_ = ServerCpu();
}

void Cluster::AwaitFirstWrite(seconds limit) {
  const auto deadline = Steady::now() + limit;
  while (!cost_.first_write) {
    CheckManager();
    if (Steady::now() > deadline)
      throw std::runtime_error("the manager writes nothing; " + manager_->LogTail());
    std::this_thread::sleep_for(milliseconds(50));
    Follow();
  }
}

Cost Cluster::EndWhenIdle() {
  SampleCpu();
  AwaitIdle([this] { return ManagerCpu(); }, 0.05, seconds(120), [this] { SampleCpu(); });
  Follow();
  return cost_;
}

Cost Cluster::EndWhenWritten() {
  constexpr seconds kQuiet{3};
  const auto deadline = Steady::now() + seconds(300);
  SampleCpu();
  Follow();
  auto last_write = Steady::now();
  while (Steady::now() - last_write < kQuiet && Steady::now() < deadline) {
    CheckManager();
    std::this_thread::sleep_for(milliseconds(100));
    if (!Follow()) continue;
    last_write = Steady::now();
    SampleCpu();
  }
  return cost_;
}

}  // namespace capstan::bench
