#include "process.h"

#include <capstan/testing/simulated_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "fake_api_server.h"

namespace capstan::manager {
namespace {

using capstan::testing::SimulatedRuntime;
using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace std::chrono_literals;
using State = FakeTransport::State;

// Setup is a plain function, so what it should do and what it saw stand here.
struct SetupRecord {
  int calls = 0;
  int concurrent_syncs = 0;
  std::optional<Client> client;
  Status result;
};
SetupRecord* record = nullptr;

Status RecordingSetup(PluginContext& context) {
  ++record->calls;
  record->concurrent_syncs = context.concurrent_syncs();
  record->client.emplace(context.client());
  return record->result;
}

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
      const Surroundings surroundings{
          .runtime = runtime_,
          .metrics = metrics_,
          .new_transport = [this](const RestConfig&,
                                  Runtime&) -> Result<std::unique_ptr<Transport>> {
            if (!transport_error_.ok()) return transport_error_;
            auto transport = std::make_unique<FakeTransport>(server_);
            transport->Set(state_);
            transports_.push_back(transport.get());
            return std::unique_ptr<Transport>(std::move(transport));
          },
          .exit_at_once = [](int) { ADD_FAILURE() << "a worker did not stop"; }};
      code_ = manager::Run(options_, selection_, surroundings, stop_.get_token());
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
  bool SetUpWithin(Duration limit) {
    return runtime_.RunUntil([&] { return record_.calls > 0; }, limit);
  }

  SimulatedRuntime runtime_;
  FakeApiServer server_{runtime_};
  MetricsRegistry metrics_;
  Options options_;
  PluginSelection selection_{{}};
  SetupRecord record_;
  State state_ = State::kWorks;
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

TEST_F(ProcessTest, SetsNothingUpWhileAnotherLeads) {
  server_.SetLease([](api::coordination::v1::Lease& lease) {
    lease.metadata.name = "capstan";
    lease.metadata.namespace_ = "kube-system";
    lease.spec.holderIdentity = "another";
    lease.spec.leaseDurationSeconds = 15;
  });
  Start();
  runtime_.AdvanceBy(14s);
  EXPECT_EQ(record_.calls, 0);
  EXPECT_TRUE(SetUpWithin(10s));
}

TEST_F(ProcessTest, AStopGivesTheLeaseBackAndIsASuccess) {
  Start();
  runtime_.AdvanceBy(10s);
  Stop();
  EXPECT_EQ(code_, 0);
  EXPECT_EQ(server_.Holder(), "");
}

TEST_F(ProcessTest, AStopWhileStandingByIsASuccess) {
  state_ = State::kRefuses;
  Start();
  runtime_.AdvanceBy(10s);
  Stop();
  EXPECT_EQ(code_, 0);
  EXPECT_FALSE(server_.HasLease());
}

TEST_F(ProcessTest, ALostLeaseEndsAllCallsAndMeansStandingByAgain) {
  Start();
  const Client first = *record_.client;
  Set(State::kRefuses);
  runtime_.AdvanceBy(60s);
  EXPECT_FALSE(code_.has_value());
  EXPECT_THAT(metrics_.Serialize(),
              AllOf(HasSubstr("leader_election_master_status{name=\"capstan\"} 0"),
                    HasSubstr("name=\"recording-controller\"} 0")));

  Set(State::kWorks);
  ASSERT_TRUE(runtime_.RunUntil([&] { return record_.calls == 2; }, 30s));
  EXPECT_TRUE(first.GetPath("/version").status().IsCanceled());
  EXPECT_TRUE(record_.client->GetPath("/version").ok());
  Stop();
  EXPECT_EQ(code_, 0);
  EXPECT_EQ(server_.Holder(), "");
}

TEST_F(ProcessTest, ALeaseThatAnotherTookIsLeftToIt) {
  Start();
  server_.SetLease(
      [](api::coordination::v1::Lease& lease) { lease.spec.holderIdentity = "thief"; });
  runtime_.AdvanceBy(10s);
  EXPECT_FALSE(code_.has_value());
  EXPECT_EQ(server_.Holder(), "thief");
  EXPECT_TRUE(record_.client->GetPath("/version").status().IsCanceled());
  Stop();
  EXPECT_EQ(code_, 0);
  EXPECT_EQ(server_.Holder(), "thief");
}

TEST_F(ProcessTest, WithoutElectionItRunsAtOnceAndTouchesNoLease) {
  options_.leader_election.enabled = false;
  Start();
  EXPECT_EQ(record_.calls, 1);
  runtime_.AdvanceBy(10s);
  Stop();
  EXPECT_EQ(code_, 0);
  EXPECT_FALSE(server_.HasLease());
}

TEST_F(ProcessTest, WaitsForAServerThatIsNotThere) {
  state_ = State::kRefuses;
  Start();
  runtime_.AdvanceBy(600s);
  EXPECT_FALSE(code_.has_value());
  Set(State::kWorks);
  EXPECT_TRUE(SetUpWithin(10s));
}

TEST_F(ProcessTest, ASetupThatFailsGivesTheLeaseBackAndIsAFailure) {
  record_.result = Status::InvalidArgument("no");
  Start();
  runtime_.AdvanceBy(5s);
  EXPECT_EQ(code_, 1);
  EXPECT_EQ(server_.Holder(), "");
}

TEST_F(ProcessTest, AServerThatCanNotBeConfiguredIsAFailure) {
  transport_error_ = Status::InvalidArgument("bad certificate");
  Start();
  EXPECT_EQ(code_, 1);
}

TEST(ConnectionOf, SaysWhatIsMissing) {
  const auto config = ConnectionOf(Options());
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.status().message(), HasSubstr("neither --kubeconfig nor --master is given"));
}

TEST(ConnectionOf, MasterAloneIsEnough) {
  Options options;
  options.master = "https://10.0.0.1:6443";
  EXPECT_EQ(ConnectionOf(options)->server, "https://10.0.0.1:6443");
}

TEST(ConnectionOf, AMissingKubeconfigIsNamed) {
  Options options;
  options.kubeconfig = "/does/not/exist";
  EXPECT_THAT(ConnectionOf(options).status().message(), HasSubstr("/does/not/exist"));
}

}  // namespace
}  // namespace capstan::manager
