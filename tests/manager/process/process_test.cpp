#include "process/process.h"

#include <capstan/api/apps_v1.h>
#include <capstan/testing/simulated_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "manager/fake_api_server.h"

namespace capstan::manager {
namespace {

using capstan::testing::SimulatedRuntime;
using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace std::chrono_literals;
using State = FakeTransport::State;

// Setup is a plain function, so its configured result and recorded calls are kept here.
struct SetupRecord {
  int calls = 0;
  int concurrent_syncs = 0;
  std::optional<Client> client;
  Status result;
};
SetupRecord* record = nullptr;

Status RecordingSetup(PluginContext& context) {
  ++record->calls;
  context.ListerFor<api::apps::v1::Deployment>();
  record->concurrent_syncs = context.concurrent_syncs();
  record->client.emplace(context.client());
  return record->result;
}

// A transport on which lists of Deployments are never answered.
class HangingListTransport final : public Transport {
 public:
  HangingListTransport(std::unique_ptr<Transport> inner, Runtime& runtime)
      : inner_(std::move(inner)), runtime_(runtime) {}
  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override {
    if (!request.target.starts_with("/apis/apps/v1/deployments?")) {
      return inner_->RoundTrip(request, std::move(stop));
    }
    runtime_.SleepFor(24h, stop);
    return Status::Canceled();
  }

 private:
  const std::unique_ptr<Transport> inner_;
  Runtime& runtime_;
};

class ProcessTest : public ::testing::Test {
 protected:
  ProcessTest() {
    record = &record_;
    options_.master = "http://api";
    options_.serving.secure_port = 0;
    options_.leader_election.resource_name = "capstan";
    PluginManifest manifest;
    manifest.name = "recording-controller";
    manifest.file = "/plugins/recording.so";
    options_.concurrent_syncs[manifest.name] = 3;
    selection_.Set({{manifest, RecordingSetup}});
  }
  ~ProcessTest() override {
    Stop();
    record_.client.reset();
    record = nullptr;
  }

  void Start() {
    thread_ = runtime_.Start("process", [this] {
      const Dependencies dependencies{
          .runtime = runtime_,
          .metrics = metrics_,
          .new_transport = [this](const RestConfig&,
                                  Runtime&) -> Result<std::unique_ptr<Transport>> {
            if (!transport_error_.ok()) return transport_error_;
            auto transport = std::make_unique<FakeTransport>(server_);
            transport->Set(state_);
            transports_.push_back(transport.get());
            if (lists_) return std::unique_ptr<Transport>(std::move(transport));
            return std::unique_ptr<Transport>(
                std::make_unique<HangingListTransport>(std::move(transport), runtime_));
          },
          .exit_at_once = [](int) { ADD_FAILURE() << "a worker did not stop"; }};
      code_ = manager::Run(options_, selection_, dependencies, stop_.get_token());
    });
    runtime_.RunUntilIdle();
  }
  void Set(State state) {
    for (FakeTransport* transport : transports_) transport->Set(state);
  }
  void Stop() {
    if (!thread_) return;
    stop_.request_stop();
    thread_->Join();
  }
  void LetAnotherLead() {
    server_.SetLease([](api::coordination::v1::Lease& lease) {
      lease.metadata.name = "capstan";
      lease.metadata.namespace_ = "kube-system";
      lease.spec.holderIdentity = "another";
      lease.spec.leaseDurationSeconds = 15;
    });
  }
  size_t Lists() const {
    const auto requests = server_.Requests();
    return static_cast<size_t>(std::ranges::count_if(requests, [](const std::string& request) {
      return request.starts_with("GET /apis/apps/v1/deployments?") &&
             request.find("watch=") == std::string::npos;
    }));
  }
  bool HasListed() const { return Lists() > 0; }
  bool IsRunning(const std::string& plugin = "recording-controller") const {
    return metrics_.Serialize().find("name=\"" + plugin + "\"} 1") != std::string::npos;
  }

  SimulatedRuntime runtime_;
  FakeApiServer server_{runtime_};
  MetricsRegistry metrics_;
  Options options_;
  PluginSelection selection_{{}};
  SetupRecord record_;
  State state_ = State::kWorks;
  bool lists_ = true;
  Status transport_error_;
  std::vector<FakeTransport*> transports_;
  std::stop_source stop_;
  std::optional<int> code_;
  std::unique_ptr<Thread> thread_;
};

TEST_F(ProcessTest, RunsControllersOnceItLeads) {
  Start();
  EXPECT_EQ(record_.calls, 1);
  EXPECT_EQ(record_.concurrent_syncs, 3);
  EXPECT_NE(server_.Holder(), "");
  EXPECT_THAT(metrics_.Serialize(), HasSubstr("running_managed_controllers{"));
}

TEST_F(ProcessTest, AStandbyFillsItsCachesAndRunsNoControllers) {
  LetAnotherLead();
  Start();
  runtime_.AdvanceBy(14s);
  EXPECT_EQ(record_.calls, 1);
  EXPECT_TRUE(HasListed());
  EXPECT_FALSE(IsRunning());
  EXPECT_TRUE(runtime_.RunUntil([&] { return IsRunning(); }, 10s));
  EXPECT_EQ(record_.calls, 1);
}

TEST_F(ProcessTest, AColdStandbyFillsItsCachesOnceItLeads) {
  options_.standby_cache = StandbyCache::kCold;
  LetAnotherLead();
  Start();
  runtime_.AdvanceBy(14s);
  EXPECT_FALSE(HasListed());
  EXPECT_TRUE(runtime_.RunUntil([&] { return IsRunning() && HasListed(); }, 10s));
}

TEST_F(ProcessTest, KeepsItsCachesWhenItLosesTheLease) {
  Start();
  ASSERT_TRUE(IsRunning());
  const size_t lists = Lists();
  server_.SetLease(
      [](api::coordination::v1::Lease& lease) { lease.spec.holderIdentity = "thief"; });
  ASSERT_TRUE(runtime_.RunUntil([&] { return !IsRunning(); }, 10s));
  ASSERT_TRUE(runtime_.RunUntil([&] { return IsRunning(); }, 60s));
  EXPECT_EQ(Lists(), lists);
}

TEST_F(ProcessTest, StartsAndDrainsControllersWhileItKeepsTheLease) {
  Start();
  const auto transitions = server_.Lease().spec.leaseTransitions;
  const size_t lists = Lists();
  const auto all = selection_.Get();
  selection_.Set({});
  EXPECT_TRUE(runtime_.RunUntil([&] { return !IsRunning(); }, 1s));
  selection_.Set(all);
  EXPECT_TRUE(runtime_.RunUntil([&] { return IsRunning(); }, 1s));
  EXPECT_EQ(record_.calls, 2);
  EXPECT_EQ(server_.Lease().spec.leaseTransitions, transitions);
  EXPECT_EQ(Lists(), lists);
}

TEST_F(ProcessTest, KeepsTheRunningControllersWhenAChangeCannotBeSetUp) {
  Start();
  auto more = selection_.Get();
  PluginManifest manifest;
  manifest.name = "broken-controller";
  manifest.file = "/plugins/broken.so";
  more.push_back({manifest, [](PluginContext&) { return Status::InvalidArgument("no"); }});
  selection_.Set(more);
  runtime_.AdvanceBy(5s);
  EXPECT_TRUE(IsRunning());
  EXPECT_FALSE(code_.has_value());
  server_.SetLease(
      [](api::coordination::v1::Lease& lease) { lease.spec.holderIdentity = "thief"; });
  ASSERT_TRUE(runtime_.RunUntil([&] { return !IsRunning(); }, 10s));
  EXPECT_TRUE(runtime_.RunUntil([&] { return IsRunning(); }, 60s));
}

class StartInterval : public ProcessTest {
 protected:
  StartInterval() {
    options_.controller_start_interval = 10s;
    std::vector<LoadedPlugin> plugins;
    for (const char* name : {"a-controller", "b-controller", "c-controller"}) {
      PluginManifest manifest;
      manifest.name = name;
      manifest.file = std::string("/plugins/") + name + ".so";
      plugins.push_back({manifest, RecordingSetup});
    }
    selection_.Set(plugins);
  }
  // The time until the plugin runs.
  Duration UntilRuns(const std::string& plugin) {
    const MonotonicTime begin = runtime_.Now();
    EXPECT_TRUE(runtime_.RunUntil([&] { return IsRunning(plugin); }, 60s)) << plugin;
    return runtime_.Now() - begin;
  }
};

TEST_F(StartInterval, DelaysTheStartOfTheNextControllerWithJitter) {
  Start();
  EXPECT_TRUE(IsRunning("a-controller"));
  EXPECT_FALSE(IsRunning("b-controller"));
  EXPECT_EQ(record_.calls, 3) << "all are set up at once";
  const Duration first = UntilRuns("b-controller");
  EXPECT_FALSE(IsRunning("c-controller"));
  const Duration second = UntilRuns("c-controller");
  for (const Duration interval : {first, second}) {
    EXPECT_GE(interval, 10s);
    EXPECT_LE(interval, 20s);
  }
  EXPECT_NE(first, second);
}

TEST_F(StartInterval, EndsWhenTheLeaseIsLost) {
  Start();
  server_.SetLease(
      [](api::coordination::v1::Lease& lease) { lease.spec.holderIdentity = "thief"; });
  ASSERT_TRUE(runtime_.RunUntil([&] { return !IsRunning("a-controller"); }, 10s));
  runtime_.AdvanceBy(12s);
  EXPECT_FALSE(IsRunning("b-controller")) << "the thief's lease still stands";
}

TEST_F(StartInterval, EndsAtAStop) {
  Start();
  const MonotonicTime begin = runtime_.Now();
  Stop();
  EXPECT_EQ(code_, 0);
  EXPECT_LT(runtime_.Now() - begin, 10s);
  EXPECT_FALSE(IsRunning("b-controller"));
}

TEST_F(ProcessTest, ALeaderThatCannotFillItsCachesReleasesTheLease) {
  lists_ = false;
  options_.controller_stuck_timeout = 60s;
  Start();
  EXPECT_NE(server_.Holder(), "");
  runtime_.AdvanceBy(59s);
  EXPECT_NE(server_.Holder(), "");
  EXPECT_TRUE(runtime_.RunUntil([&] { return server_.Holder().empty(); }, 35s));
  const MonotonicTime given_up = runtime_.Now();
  EXPECT_TRUE(runtime_.RunUntil([&] { return !server_.Holder().empty(); }, 60s))
      << "nobody else wants it";
  EXPECT_GE(runtime_.Now() - given_up, options_.leader_election.lease_duration);
  EXPECT_FALSE(code_.has_value());
}

TEST_F(ProcessTest, AStopReleasesTheLeaseAndIsASuccess) {
  Start();
  runtime_.AdvanceBy(10s);
  Stop();
  EXPECT_EQ(code_, 0);
  EXPECT_EQ(server_.Holder(), "");
}

TEST_F(ProcessTest, AStopOfAStandbyIsASuccess) {
  state_ = State::kRefuses;
  Start();
  runtime_.AdvanceBy(10s);
  Stop();
  EXPECT_EQ(code_, 0);
  EXPECT_FALSE(server_.HasLease());
}

TEST_F(ProcessTest, ALostLeaseEndsAllCallsAndMakesTheProcessAStandby) {
  Start();
  const Client first = *record_.client;
  Set(State::kRefuses);
  runtime_.AdvanceBy(60s);
  EXPECT_FALSE(code_.has_value());
  EXPECT_THAT(metrics_.Serialize(),
              AllOf(HasSubstr("leader_election_master_status{name=\"capstan\"} 0"),
                    HasSubstr("name=\"recording-controller\"} 0")));

  Set(State::kWorks);
  ASSERT_TRUE(runtime_.RunUntil([&] { return IsRunning(); }, 30s));
  EXPECT_TRUE(first.GetPath("/version").status().IsCanceled());
  EXPECT_TRUE(record_.client->GetPath("/version").ok());
  Stop();
  EXPECT_EQ(code_, 0);
  EXPECT_EQ(server_.Holder(), "");
}

TEST_F(ProcessTest, ALeaseTakenByAnotherIsNotWritten) {
  Start();
  const Client first = *record_.client;
  server_.SetLease(
      [](api::coordination::v1::Lease& lease) { lease.spec.holderIdentity = "thief"; });
  runtime_.AdvanceBy(10s);
  EXPECT_FALSE(code_.has_value());
  EXPECT_EQ(server_.Holder(), "thief");
  EXPECT_TRUE(first.GetPath("/version").status().IsCanceled());
  Stop();
  EXPECT_EQ(code_, 0);
  EXPECT_EQ(server_.Holder(), "thief");
}

TEST_F(ProcessTest, WithoutElectionItRunsAtOnceAndUsesNoLease) {
  options_.leader_election.enabled = false;
  Start();
  EXPECT_EQ(record_.calls, 1);
  runtime_.AdvanceBy(10s);
  Stop();
  EXPECT_EQ(code_, 0);
  EXPECT_FALSE(server_.HasLease());
}

TEST_F(ProcessTest, ADryRunUsesNoLeaseAndWritesNothing) {
  options_.dry_run = true;
  Start();
  EXPECT_TRUE(IsRunning());
  EXPECT_TRUE(record_.client->Delete<api::apps::v1::Deployment>({"shop", "web"}).ok());
  Stop();
  EXPECT_FALSE(server_.HasLease());
  EXPECT_EQ(server_.Count("DELETE"), 0u);
  EXPECT_EQ(server_.Count("POST"), 0u);
}

TEST_F(ProcessTest, WaitsForAnUnreachableServer) {
  state_ = State::kRefuses;
  Start();
  runtime_.AdvanceBy(600s);
  EXPECT_FALSE(code_.has_value());
  Set(State::kWorks);
  EXPECT_TRUE(runtime_.RunUntil([&] { return IsRunning(); }, 40s));
}

TEST_F(ProcessTest, AFailedSetupIsAFailureAndUsesNoLease) {
  record_.result = Status::InvalidArgument("no");
  Start();
  runtime_.AdvanceBy(5s);
  EXPECT_EQ(code_, 1);
  EXPECT_FALSE(server_.HasLease());
}

TEST_F(ProcessTest, AnInvalidServerConfigurationIsAFailure) {
  transport_error_ = Status::InvalidArgument("bad certificate");
  Start();
  EXPECT_EQ(code_, 1);
}

TEST(ConnectionOf, WithoutKubeconfigAndMasterIsAnError) {
  const auto config = ConnectionOf(Options());
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.status().message(), HasSubstr("neither --kubeconfig nor --master is given"));
}

TEST(ConnectionOf, AMasterUrlIsSufficient) {
  Options options;
  options.master = "https://10.0.0.1:6443";
  EXPECT_EQ(ConnectionOf(options)->server, "https://10.0.0.1:6443");
}

TEST(ConnectionOf, AMissingKubeconfigIsAnErrorThatNamesIt) {
  Options options;
  options.kubeconfig = "/does/not/exist";
  EXPECT_THAT(ConnectionOf(options).status().message(), HasSubstr("/does/not/exist"));
}

}  // namespace
}  // namespace capstan::manager
