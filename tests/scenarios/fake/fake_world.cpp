#include "fake_world.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/api/core_v1.h>
#include <capstan/log/log.h>
#include <capstan/testing/api_server.h>
#include <capstan/testing/fault_injector.h>
#include <capstan/testing/simulated_runtime.h>
#include <gtest/gtest.h>

namespace capstan::scenarios {
namespace {

constexpr char kNamespace[] = "scenario";
constexpr char kLeaseNamespace[] = "kube-system";
constexpr char kLease[] = "capstan";
constexpr size_t kLogTail = 60;

// One log for everything in this process. The managers share it.
class Recording final : public LogSink {
 public:
  void Write(std::string_view line) override {
    MutexLock lock(mutex_);
    lines_.emplace_back(line);
    if (lines_.size() > kLogTail) lines_.erase(lines_.begin());
  }
  std::string Text() const {
    MutexLock lock(mutex_);
    std::string text;
    for (const std::string& line : lines_) text += line + "\n";
    return text;
  }

 private:
  mutable Mutex mutex_;
  std::vector<std::string> lines_ CAPSTAN_GUARDED_BY(mutex_);
};

class FakeManager final : public Manager {
 public:
  FakeManager(World& world, const Recording& log, std::unique_ptr<InProcessManager> manager)
      : world_(world), log_(log), manager_(std::move(manager)) {}

  bool IsRunning() override { return manager_->IsRunning(); }
  bool IsLeading() override { return manager_->IsLeading(); }
  void Kill() override { manager_->Kill(); }
  int Terminate() override {
    manager_->RequestStop();
    if (!world_.Until([this] { return manager_->exit_code().has_value(); }, Seconds(60))) {
      throw std::runtime_error("the manager still runs 60 s after it was asked to stop; " +
                               LogTail());
    }
    return *manager_->exit_code();
  }
  std::string LogTail() override { return log_.Text(); }

 private:
  World& world_;
  const Recording& log_;
  const std::unique_ptr<InProcessManager> manager_;
};

}  // namespace

struct FakeWorld::Impl {
  explicit Impl(uint64_t seed)
      : runtime(seed),
        server(runtime),
        client(server.NewTransport(), runtime, {.qps = 0}),
        faults(std::make_shared<testing::FaultInjector>(server.NewTransport(), runtime)) {
    SetLogSink(&log);
    SetLogVerbosity(4);
    CreateNamespaces(client, {kNamespace});
    kubelet = std::make_unique<testing::Kubelet>(client, runtime,
                                                 testing::KubeletOptions{.namespace_ = kNamespace});
  }
  ~Impl() {
    kubelet.reset();
    SetLogSink(nullptr);
  }

  Recording log;
  testing::SimulatedRuntime runtime;
  testing::ApiServer server;
  const Client client;
  const std::shared_ptr<testing::FaultInjector> faults;
  std::unique_ptr<testing::Kubelet> kubelet;
  const std::string namespace_name = kNamespace;
  int managers = 0;
};

// With --gtest_shuffle each order gets a different interleaving. The gtest seed reproduces it.
FakeWorld::FakeWorld()
    : FakeWorld(static_cast<uint64_t>(::testing::UnitTest::GetInstance()->random_seed()) + 1) {}
FakeWorld::FakeWorld(uint64_t seed) : impl_(std::make_unique<Impl>(seed)) {}
FakeWorld::~FakeWorld() = default;

Runtime& FakeWorld::runtime() { return impl_->runtime; }
const Client& FakeWorld::client() { return impl_->client; }
testing::Kubelet& FakeWorld::kubelet() { return *impl_->kubelet; }
const std::string& FakeWorld::namespace_name() const { return impl_->namespace_name; }
NamespacedName FakeWorld::lease() const { return {kLeaseNamespace, kLease}; }
testing::ApiServer& FakeWorld::server() { return impl_->server; }
testing::FaultInjector& FakeWorld::faults() { return *impl_->faults; }

bool FakeWorld::Until(const std::function<bool()>& done, Duration limit) {
  return impl_->runtime.RunUntil(done, limit);
}

std::unique_ptr<Manager> FakeWorld::StartManager(const ManagerOptions& options) {
  auto manager = std::make_unique<InProcessManager>(
      impl_->runtime, "manager-" + std::to_string(++impl_->managers),
      InProcessOptions(options, lease()), impl_->faults);
  return std::make_unique<FakeManager>(*this, impl_->log, std::move(manager));
}

void FakeWorld::StopServer() {
  impl_->faults->SetDown(true);
  impl_->server.CloseWatches();
  impl_->runtime.AdvanceBy(Seconds(1));
}

void FakeWorld::StartServer() { impl_->faults->SetDown(false); }

manager::Options InProcessOptions(const ManagerOptions& options, const NamespacedName& lease) {
  manager::Options all;
  all.master = "http://fake";
  all.kube_api_qps = 200;
  all.kube_api_burst = 400;
  if (!options.protobuf) all.kube_api_content_type = manager::ContentType::kJson;
  all.serving.secure_port = 0;
  all.leader_election = {.enabled = options.leader_elect,
                         .lease_duration = options.lease_duration,
                         .renew_deadline = options.renew_deadline,
                         .retry_period = options.retry_period,
                         .resource_name = lease.name,
                         .resource_namespace = lease.namespace_};
  for (const manager::LoadedPlugin& plugin : BundledPlugins()) {
    all.concurrent_syncs[plugin.manifest.name] = plugin.manifest.concurrent_syncs;
  }
  return all;
}

void CreateNamespaces(const Client& client, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    api::core::v1::Namespace object;
    object.metadata.name = name;
    const Status status = client.Create(object).status();
    if (!status.ok() && !status.IsAlreadyExists()) throw std::runtime_error(status.ToString());
  }
}

std::vector<WorldKind> Worlds() { return {WorldKind::kFake}; }

std::unique_ptr<World> NewWorld(WorldKind) { return std::make_unique<FakeWorld>(); }

}  // namespace capstan::scenarios
