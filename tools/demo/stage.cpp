#include "demo/stage.h"

#include <signal.h>

#include <filesystem>
#include <utility>

#include <capstan/client/rest_config.h>

namespace capstan::demo {
namespace {

constexpr std::chrono::seconds kStartLimit{20};
constexpr std::chrono::seconds kStopLimit{10};
constexpr std::chrono::milliseconds kLook{20};
constexpr char kLeads[] = "Successfully acquired lease";

// Starts a program with an empty log file.
Result<ChildProcess> StartProgram(const std::vector<std::string>& argv, const std::string& log) {
  std::filesystem::remove(log);
  return ChildProcess::Start(argv, log);
}

// Polls until `is` returns true. Returns false at the deadline or when `stop` is triggered.
template <class Is>
bool Await(const std::stop_token& stop, Is is) {
  const MonotonicTime deadline = SystemRuntime().Now() + kStartLimit;
  while (!is()) {
    if (SystemRuntime().Now() > deadline || !SystemRuntime().SleepFor(kLook, stop)) return false;
  }
  return true;
}

bool HasLogged(const ChildProcess& process, std::string_view text) {
  return process.LogText().find(text) != std::string::npos;
}

Status Failed(const std::string& what, const ChildProcess& process) {
  return Status(StatusReason::kInternalError, what + "; its log " + process.LogTail());
}

}  // namespace

Status Stage::Start(const std::stop_token& stop) {
  if (Status status = StartPlayground(stop); !status.ok()) return status;
  for (int i = 1; i <= options_.managers; ++i) {
    if (Status status = StartManager("manager-" + std::to_string(i)); !status.ok()) return status;
  }
  const bool leads = Await(stop, [this] { return FindLeader() != nullptr || !Check().ok(); });
  if (Status status = Check(); !status.ok()) return status;
  if (stop.stop_requested()) return Status::Canceled();
  return leads ? Status::Ok() : Failed("no manager leads", managers_.front().process);
}

Status Stage::StartPlayground(const std::stop_token& stop) {
  kubeconfig_ = options_.directory + "/kubeconfig";
  std::filesystem::remove(kubeconfig_);
  auto process =
      StartProgram({options_.bin_directory + "/capstan-playground", "--kubeconfig=" + kubeconfig_,
                    "--secure-port=" + std::to_string(options_.secure_port), "--pod-ready-after=1s",
                    "--pod-gone-after=300ms"},
                   options_.directory + "/playground.log");
  if (!process) return process.status();
  playground_ = *std::move(process);
  const bool ready = Await(
      stop, [this] { return std::filesystem::exists(kubeconfig_) || !playground_->IsRunning(); });
  if (stop.stop_requested()) return Status::Canceled();
  if (!ready || !std::filesystem::exists(kubeconfig_)) {
    return Failed("the playground did not start", *playground_);
  }
  const auto config = LoadKubeconfig({.paths = {kubeconfig_}, .context = {}, .master = {}});
  if (!config) return config.status();
  auto transport = NewHttpTransport(*config, SystemRuntime());
  if (!transport) return transport.status();
  transport_ = *std::move(transport);
  return Status::Ok();
}

Status Stage::StartManager(const std::string& name) {
  // A lease duration of three seconds keeps the demonstration short; the default is fifteen.
  auto process =
      StartProgram({options_.bin_directory + "/capstan-controller-manager",
                    "--kubeconfig=" + kubeconfig_, "--leader-elect-lease-duration=3s",
                    "--leader-elect-renew-deadline=2s", "--leader-elect-retry-period=500ms",
                    "--kube-api-qps=200", "--kube-api-burst=400", "--secure-port=0"},
                   options_.directory + "/" + name + ".log");
  if (!process) return process.status();
  managers_.push_back({name, *std::move(process)});
  return Status::Ok();
}

void Stage::Stop() {
  for (Manager& manager : managers_) manager.process.Kill(SIGTERM);
  for (Manager& manager : managers_) manager.process.Wait(kStopLimit);
  if (!playground_) return;
  playground_->Kill(SIGTERM);
  playground_->Wait(kStopLimit);
}

Stage::Manager* Stage::FindLeader() {
  for (Manager& manager : managers_) {
    if (!manager.killed && HasLogged(manager.process, kLeads)) return &manager;
  }
  return nullptr;
}

std::string Stage::Leader() {
  const Manager* leader = FindLeader();
  return leader ? leader->name : "";
}

std::vector<std::string> Stage::Standbys() {
  std::vector<std::string> names;
  const Manager* leader = FindLeader();
  for (const Manager& manager : managers_) {
    if (!manager.killed && &manager != leader) names.push_back(manager.name);
  }
  return names;
}

std::string Stage::KillLeader() {
  Manager* leader = FindLeader();
  if (!leader) return "";
  leader->process.Kill(SIGKILL);
  leader->process.Wait(kStopLimit);
  leader->killed = true;
  return leader->name;
}

Status Stage::Check() {
  if (playground_ && !playground_->IsRunning()) return Failed("the playground ended", *playground_);
  for (Manager& manager : managers_) {
    if (!manager.killed && !manager.process.IsRunning()) {
      return Failed(manager.name + " ended", manager.process);
    }
  }
  return Status::Ok();
}

}  // namespace capstan::demo
