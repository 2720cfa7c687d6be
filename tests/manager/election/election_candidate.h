#pragma once

#include <algorithm>
#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <capstan/events/event_recorder.h>
#include <capstan/metrics/metrics.h>
#include <capstan/testing/simulated_runtime.h>
#include <gtest/gtest.h>

#include "election/leader_election.h"
#include "manager/fake_api_server.h"
#include "support/suspendable_runtime.h"

namespace capstan::manager {

struct ElectionSetup {
  bool coordinated = false;
  Runtime* runtime = nullptr;  // only for this process
};

// A process that takes part in leader election.
class Candidate {
 public:
  Candidate(FakeApiServer& server, const std::string& identity, ElectionSetup setup = {})
      : server_(server),
        runtime_(setup.runtime ? *setup.runtime : server.runtime()),
        transport_(std::make_shared<FakeTransport>(server, setup.runtime)),
        events_(Client(transport_, runtime_, Unlimited()), runtime_, "host"),
        elector_(LeaderElectionConfig{.lease = {"kube-system", "capstan"},
                                      .identity = identity,
                                      .lease_duration = std::chrono::seconds(15),
                                      .renew_deadline = std::chrono::seconds(10),
                                      .retry_period = std::chrono::seconds(2),
                                      .coordinated = setup.coordinated,
                                      .binary_version = "1.2.0",
                                      .emulation_version = "1.1.0"},
                 Client(transport_, runtime_, Unlimited()), runtime_, metrics_, &events_,
                 {.on_started_leading =
                      [this] {
                        leading_ = true;
                        led_at_ = runtime_.Now();
                      },
                  .on_new_leader = [this](const std::string& leader) { seen_.push_back(leader); },
                  .on_stopped_leading = [this] { Stopped(); }}) {}
  ~Candidate() { Stop(); }

  void Start() {
    outcome_.reset();
    stop_ = std::stop_source();
    thread_ = runtime_.Start("candidate", [this] { outcome_ = elector_.Run(stop_.get_token()); });
  }
  // Must be called after Run has returned by itself.
  void Restart() {
    thread_->Join();
    Start();
  }
  void Stop() {
    if (!thread_) return;
    stop_.request_stop();
    thread_->Join();
    events_.Stop();
  }

  // True from the callback that starts leading until the one that stops it.
  bool IsLeading() const { return leading_; }
  std::optional<LeaderElector::Outcome> outcome() const { return outcome_; }
  MonotonicTime led_at() const { return led_at_; }
  MonotonicTime ended_at() const { return ended_at_; }
  const std::vector<std::string>& seen() const { return seen_; }
  FakeTransport& transport() { return *transport_; }
  LeaderElector& elector() { return elector_; }
  std::string Metrics() const { return metrics_.Serialize(); }
  // The holder of the lease on the server at the end of the term.
  const std::string& holder_at_end() const { return holder_at_end_; }

 private:
  static ClientOptions Unlimited() {
    ClientOptions options;
    options.qps = 0;
    options.timeout = std::chrono::seconds(5);
    return options;
  }

  void Stopped() {
    EXPECT_FALSE(elector_.Term());
    EXPECT_FALSE(elector_.IsLeading());
    leading_ = false;
    ended_at_ = runtime_.Now();
    holder_at_end_ = server_.Holder();
  }

  FakeApiServer& server_;
  Runtime& runtime_;
  std::shared_ptr<FakeTransport> transport_;
  MetricsRegistry metrics_;
  EventBroadcaster events_;
  LeaderElector elector_;
  std::stop_source stop_;
  bool leading_ = false;
  std::optional<LeaderElector::Outcome> outcome_;
  MonotonicTime led_at_{};
  MonotonicTime ended_at_{};
  std::vector<std::string> seen_;
  std::string holder_at_end_;
  std::unique_ptr<Thread> thread_;
};

class ElectionTest : public ::testing::Test {
 protected:
  Candidate& Add(const std::string& identity, ElectionSetup setup = {}) {
    Candidate& candidate = candidates_.emplace_back(server_, identity, setup);
    candidate.Start();
    runtime_.RunUntilIdle();
    return candidate;
  }
  // Stops `from`. Returns the time until `to` leads.
  Duration TakesOver(Candidate& from, Candidate& to) {
    from.Stop();
    EXPECT_TRUE(LeadsWithin(to, std::chrono::seconds(60)));
    return to.led_at() - from.ended_at();
  }
  size_t Leaders() const {
    return static_cast<size_t>(
        std::count_if(candidates_.begin(), candidates_.end(),
                      [](const Candidate& candidate) { return candidate.IsLeading(); }));
  }
  bool LeadsWithin(Candidate& candidate, Duration limit) {
    return runtime_.RunUntil([&] { return candidate.IsLeading(); }, limit);
  }

  testing::SimulatedRuntime runtime_;
  testing::SuspendableRuntime machine_{runtime_};
  FakeApiServer server_{runtime_};
  std::list<Candidate> candidates_;
};

}  // namespace capstan::manager
