// Free-threaded, so that the thread sanitizer finds races that the simulated runtime hides.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "election/leader_election.h"
#include "manager/fake_api_server.h"
#include "support/fast_clock_runtime.h"

namespace capstan::manager {
namespace {

using namespace std::chrono_literals;

// A process that restarts whenever it has lost the election.
class RestartingCandidate {
 public:
  RestartingCandidate(FakeApiServer& server, std::string identity, std::atomic<int>& elections)
      : identity_(std::move(identity)),
        runtime_(server.runtime()),
        transport_(std::make_shared<FakeTransport>(server)),
        elector_(LeaderElectionConfig{.lease = {"kube-system", "capstan"},
                                      .identity = identity_,
                                      .lease_duration = 15s,
                                      .renew_deadline = 10s,
                                      .retry_period = 2s},
                 Client(transport_, runtime_, {.qps = 0, .timeout = 5s}), runtime_, metrics_,
                 nullptr,
                 {.on_started_leading = [&elections] { ++elections; },
                  .on_new_leader = nullptr,
                  .on_stopped_leading = nullptr}) {}
  ~RestartingCandidate() { Stop(); }

  void Start() {
    stop_ = std::stop_source();
    thread_ = runtime_.Start(identity_, [this, stop = stop_.get_token()] {
      while (!stop.stop_requested()) elector_.Run(stop);
    });
  }
  void Stop() {
    stop_.request_stop();
    thread_.reset();
  }

  const std::string& identity() const { return identity_; }
  LeaderElector& elector() { return elector_; }
  FakeTransport& transport() { return *transport_; }
  std::string Metrics() const { return metrics_.Serialize(); }

 private:
  const std::string identity_;
  Runtime& runtime_;
  const std::shared_ptr<FakeTransport> transport_;
  MetricsRegistry metrics_;
  LeaderElector elector_;
  std::stop_source stop_;
  std::unique_ptr<Thread> thread_;
};

TEST(LeaderElectionStress, AStandbyTakesOverAfterAnyFailureOfTheLeader) {
  testing::FastClockRuntime runtime(200);
  FakeApiServer server(runtime);
  std::atomic<int> elections = 0;
  std::list<RestartingCandidate> candidates;
  for (const char* identity : {"a", "b", "c"}) {
    candidates.emplace_back(server, identity, elections).Start();
  }
  std::atomic<bool> done = false;
  std::thread observer([&] {
    while (!done) {
      for (RestartingCandidate& candidate : candidates) {
        if (candidate.elector().IsLeading()) (void)candidate.elector().Check(1s);
        (void)candidate.elector().Term();
        ASSERT_LE(candidate.elector().Leader().size(), 1u);
        (void)candidate.Metrics();
      }
      std::this_thread::yield();
    }
  });

  const MonotonicTime limit = SystemRuntime().Now() + 1min;
  const auto await_election = [&](int after) {
    while (elections == after && SystemRuntime().Now() < limit) std::this_thread::yield();
    return elections > after;
  };
  ASSERT_TRUE(await_election(0));
  for (int round = 0; round < 8; ++round) {
    const std::string holder = server.Holder();
    const int before = elections;
    for (RestartingCandidate& candidate : candidates) {
      if (candidate.identity() != holder) continue;
      switch (round % 4) {
        case 0:
          candidate.Stop();
          break;
        case 1:
          candidate.transport().Set(FakeTransport::State::kRefuses);
          break;
        case 2:
          candidate.elector().GiveUp("chance");
          break;
        default:
          candidate.transport().Set(FakeTransport::State::kHangs);
          break;
      }
    }
    EXPECT_TRUE(await_election(before)) << "round " << round;
    for (RestartingCandidate& candidate : candidates) {
      candidate.transport().Set(FakeTransport::State::kWorks);
      if (candidate.identity() == holder && round % 4 == 0) candidate.Start();
    }
  }
  for (RestartingCandidate& candidate : candidates) candidate.Stop();
  done = true;
  observer.join();
  for (RestartingCandidate& candidate : candidates) EXPECT_FALSE(candidate.elector().IsLeading());
  EXPECT_EQ(server.Holder(), "");
}

}  // namespace
}  // namespace capstan::manager
