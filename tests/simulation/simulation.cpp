#include "simulation.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <capstan/testing/api_server.h>
#include <capstan/testing/fault_injector.h>
#include <capstan/testing/kubelet.h>
#include <capstan/testing/simulated_runtime.h>

#include "cluster.h"
#include "dice.h"
#include "invariant_checker.h"
#include "journal.h"
#include "json/value.h"
#include "scenarios/fake/fake_world.h"
#include "scenarios/fake/in_process_manager.h"
#include "user.h"

namespace capstan::simulation {
namespace {

using scenarios::InProcessManager;
using scenarios::Milliseconds;
using scenarios::Seconds;
using testing::FaultInjector;
using testing::PodBehaviour;

constexpr char kNamespace[] = "default";
constexpr Duration kLongestChaos = std::chrono::hours(1);
// A work queue delays a key that keeps failing by up to 1000 s.
constexpr Duration kTimeToConverge = std::chrono::minutes(40);
constexpr Duration kTimeAtRest = std::chrono::seconds(30);
constexpr int kLongestSilence = 4;  // see Pause()
constexpr size_t kMostManagers = 3;

class Simulation {
 public:
  Simulation(uint64_t seed, bool trace)
      : dice_(seed),
        has_watch_lists_(seed % 4 != 0),
        runtime_(dice_.Seed()),
        journal_(runtime_, trace),
        server_(runtime_),
        checker_(server_, runtime_, journal_),
        admin_(server_.NewTransport(), runtime_, {.qps = 0}) {
    scenarios::CreateNamespaces(admin_, {kNamespace, "kube-system"});
    kubelet_ = std::make_unique<testing::Kubelet>(
        Client(checker_.NewTransport("kubelet", false), runtime_, {.qps = 0}), runtime_);
    kubelet_->BehaveBy([this](const NamespacedName&) { return AnyBehaviour(); });
    user_ =
        std::make_unique<User>(Client(checker_.NewTransport("user", false), runtime_, {.qps = 0}),
                               *kubelet_, kNamespace, dice_);
  }

  ~Simulation() {
    for (const auto& manager : managers_) manager->Kill();
    managers_.clear();
    kubelet_.reset();
  }

  History Run() {
    History history;
    const int managers = dice_.Between(1, 3);
    for (int i = 0; i < managers; ++i) StartManager();
    RunWithFaults();
    RunUntilSettled();
    history.failure = Verdict();
    history.requests = checker_.requests();
    history.checks = checker_.checks();
    for (const auto& fault : faults_) history.faults += fault->Log().size();
    history.trace = journal_.TakeLines();
    return history;
  }

 private:
  // --- managers ---

  void StartManager() {
    const std::string name = "manager-" + std::to_string(managers_.size() + 1);
    journal_.Add(name, "starts");
    auto faults =
        std::make_shared<FaultInjector>(checker_.NewTransport(name, true), runtime_, dice_.Seed());
    RefuseWatchLists(*faults);
    faults->Randomly(random_faults_);
    faults_.push_back(faults);
    const scenarios::ManagerOptions options{
        .lease_duration = Seconds(15), .renew_deadline = Seconds(10), .retry_period = Seconds(2)};
    manager::Options all = scenarios::InProcessOptions(options, {"kube-system", "capstan"});
    if (dice_.Chance(25)) all.standby_cache = manager::StandbyCache::kCold;
    managers_.push_back(std::make_unique<InProcessManager>(
        runtime_, name, all, NewJournalTransport(journal_, name, faults)));
  }

  std::vector<size_t> RunningManagers() const {
    std::vector<size_t> running;
    for (size_t i = 0; i < managers_.size(); ++i) {
      if (managers_[i]->IsRunning() && !managers_[i]->IsStopping()) running.push_back(i);
    }
    return running;
  }

  void ChangeManagers() {
    const std::vector<size_t> running = RunningManagers();
    if (running.empty() || (running.size() < kMostManagers && dice_.Chance(40))) {
      return StartManager();
    }
    InProcessManager& manager = *managers_[dice_.Pick(running)];
    if (dice_.Chance(40)) return ChangeControllers(manager);
    if (dice_.Chance(50)) {
      journal_.Add(manager.name(), "is killed");
      manager.Kill();
    } else {
      journal_.Add(manager.name(), "is asked to stop");
      manager.RequestStop();
    }
  }

  // Like a changed configuration. One of the controllers is off, or both are on.
  void ChangeControllers(InProcessManager& manager) {
    std::vector<manager::LoadedPlugin> plugins = scenarios::BundledPlugins();
    const int off = dice_.Roll(3);
    if (off < 2) plugins.erase(plugins.begin() + off);
    journal_.Add(manager.name(), "runs " + std::to_string(plugins.size()) + " controllers, " +
                                     plugins.front().manifest.name + " among them");
    manager.Select(std::move(plugins));
  }

  // --- faults ---

  // As an API server before 1.27, for the managers of every fourth history.
  void RefuseWatchLists(FaultInjector& faults) const {
    if (!has_watch_lists_) faults.OnWatch({.target = "*sendInitialEvents=true*"}).Fail(422);
  }

  void ChangeFaults() {
    const size_t which = static_cast<size_t>(dice_.Roll(static_cast<int>(faults_.size())));
    switch (dice_.Roll(6)) {
      case 0:
        return SetRandomFaults({});
      case 1:
        return SetRandomFaults({.rate = dice_.Chance(70) ? 0.05 : 0.3});
      case 2:
        journal_.Add("network", "is down for manager-" + std::to_string(which + 1));
        return SetFaults([&] { faults_[which]->SetDown(true); });
      case 3:
        journal_.Add("network", "lags for manager-" + std::to_string(which + 1));
        return SetFaults([&] { faults_[which]->SetLagging(true); });
      case 4:
        return RestoreServer();
      default:
        journal_.Add("server", "compacts its history and closes all watches");
        server_.Compact();
        server_.CloseWatches();
        return checker_.DisturbWatches();
    }
  }

  // All changes since the backup are lost, including the lease holder. The versions continue to
  // count, as etcd recommends for a restore. Otherwise a client between two watches would follow a
  // history that no longer exists.
  void RestoreServer() {
    if (backup_.IsNull()) return;
    journal_.Add("server", "is restored from a backup");
    backup_.Set("version", server_.ResourceVersion() + 1);
    checker_.SetFaulty(true);
    if (const Status status = server_.Restore(ToJson(backup_)); !status.ok()) {
      throw std::runtime_error(status.ToString());
    }
    checker_.SetFaulty(is_faulty_);
  }

  void BackUpServer() {
    auto state = json::ParseValue(server_.Save());
    if (!state) throw std::runtime_error(state.status().ToString());
    backup_ = std::move(state->value);
  }

  void SetRandomFaults(const FaultInjector::RandomFaults& faults) {
    SetFaults([&] {
      random_faults_ = faults;
      for (const auto& each : faults_) each->Randomly(faults);
    });
    journal_.Add("network", "loses " + std::to_string(faults.rate) + " of the requests");
  }

  template <class Change>
  void SetFaults(Change change) {
    checker_.SetFaulty(true);
    is_faulty_ = true;
    change();
  }

  void EndFaults() {
    for (const auto& faults : faults_) {
      faults->Clear();
      RefuseWatchLists(*faults);
      faults->SetDown(false);
      faults->SetLagging(false);
    }
    random_faults_ = {};
    if (std::exchange(is_faulty_, false)) checker_.SetFaulty(false);
  }

  // --- pods and nodes ---

  PodBehaviour AnyBehaviour() {
    PodBehaviour behaviour;
    if (at_rest_) return behaviour;
    if (dice_.Chance(60)) behaviour.ready_after = dice_.UpTo(Seconds(3));
    if (dice_.Chance(10)) behaviour.ready_after = dice_.UpTo(Seconds(60));
    if (dice_.Chance(5)) behaviour.crash_after = dice_.UpTo(Seconds(20));
    if (dice_.Chance(50)) behaviour.gone_after = dice_.UpTo(Seconds(3));
    if (dice_.Chance(5)) behaviour.gone_after = dice_.UpTo(Seconds(40));
    return behaviour;
  }

  void ChangeNodes() {
    const std::string node = "node-" + std::to_string(dice_.Between(1, 3));
    const bool recovers = dice_.Chance(50);
    journal_.Add(node, recovers ? "is back" : "is lost");
    if (recovers) {
      kubelet_->RecoverNode(node);
    } else {
      kubelet_->LoseNode(node);
    }
    checker_.Disturb();
  }

  // --- the course of a history ---

  // Sleeps for no time, an instant, or up to 10 ms, 100 ms, ..., 100 s.
  void Pause() {
    Duration longest = Milliseconds(1);
    for (int i = dice_.Roll(kLongestSilence + 2); i > 0; --i) longest *= 10;
    runtime_.SleepFor(dice_.UpTo(longest), {});
  }

  // Runs on its own fiber, concurrently with the controllers.
  void RunWithFaults() {
    bool ended = false;
    const bool has_faults = dice_.Chance(60);
    const int steps = dice_.Between(4, 16);
    const int backup = dice_.Roll(steps);
    const auto chaos = runtime_.Start("chaos", [&] {
      user_->Begin();
      for (int i = 0; i < steps; ++i) {
        Pause();
        if (has_faults && i == backup) BackUpServer();
        const int roll = dice_.Roll(100);
        if (roll < 70) {
          user_->Act();
        } else if (roll < 82) {
          ChangeManagers();
        } else if (roll < 86) {
          ChangeNodes();
        } else if (has_faults) {
          ChangeFaults();
        }
      }
      ended = true;
    });
    runtime_.RunUntil([&] { return ended; }, kLongestChaos);
    chaos->Join();
  }

  void RunUntilSettled() {
    journal_.Add("all", "becomes idle");
    EndFaults();
    at_rest_ = true;
    kubelet_->Behave({});
    for (int node = 1; node <= 3; ++node) kubelet_->RecoverNode("node-" + std::to_string(node));
    user_->End();
    for (const size_t manager : RunningManagers()) {
      managers_[manager]->Select(scenarios::BundledPlugins());
    }
    if (RunningManagers().empty()) StartManager();
  }

  std::string Verdict() {
    const MonotonicTime deadline = runtime_.Now() + kTimeToConverge;
    std::string unrest;
    do {
      unrest = IsConverging(deadline) ? WhyUnsettledAfter(kTimeAtRest) : Unfinished();
    } while (!unrest.empty() && runtime_.Now() < deadline && checker_.violation().empty());
    if (!checker_.violation().empty()) return checker_.violation();
    if (!unrest.empty()) {
      return "it does not become idle: " + unrest + Cluster(admin_, kNamespace).ToString();
    }
    size_t leaders = 0;
    for (const auto& manager : managers_) leaders += manager->IsLeading() ? 1 : 0;
    return leaders == 1 ? "" : std::to_string(leaders) + " managers lead";
  }

  std::string Unfinished() { return Cluster(admin_, kNamespace).Unfinished(); }

  bool IsConverging(MonotonicTime deadline) {
    Duration pause = Milliseconds(100);
    while (!Unfinished().empty()) {
      if (runtime_.Now() >= deadline || !checker_.violation().empty()) return false;
      runtime_.AdvanceBy(pause);
      pause = std::min<Duration>(pause * 2, Seconds(10));
    }
    return true;
  }

  // Returns what the controllers do although there is nothing left to do. (A pod may still crash as
  // decided before.)
  std::string WhyUnsettledAfter(Duration time) {
    const size_t writes = checker_.controller_writes();
    runtime_.AdvanceBy(time);
    if (checker_.controller_writes() == writes) return Unfinished();
    return "the controllers keep writing\n";
  }

  Dice dice_;
  const bool has_watch_lists_;
  testing::SimulatedRuntime runtime_;
  Journal journal_;
  testing::ApiServer server_;
  InvariantChecker checker_;
  const Client admin_;
  std::unique_ptr<testing::Kubelet> kubelet_;
  std::unique_ptr<User> user_;
  bool at_rest_ = false;
  bool is_faulty_ = false;
  json::Value backup_;  // of the server, null before the first backup
  FaultInjector::RandomFaults random_faults_;
  std::vector<std::shared_ptr<FaultInjector>> faults_;  // one per manager
  std::vector<std::unique_ptr<InProcessManager>> managers_;
};

}  // namespace

History Simulate(uint64_t seed, bool trace) { return Simulation(seed, trace).Run(); }

}  // namespace capstan::simulation
