#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audit.h"
#include "fake_world.h"
#include "replica.h"
#include "scenarios/scenario_test.h"

namespace capstan::scenarios {

// Several managers, each of which can be disconnected and suspended, and an audit of their
// requests.
class LeadershipTest : public ScenarioTest {
 protected:
  static constexpr Seconds kLease{15};
  static constexpr Seconds kRenewDeadline{10};
  static constexpr int kPods = 12;

  LeadershipTest() : ScenarioTest(WorldKind::kFake) {}
  // Each order of --gtest_shuffle also gets a different interleaving.
  explicit LeadershipTest(int interleaving)
      : ScenarioTest(std::make_unique<FakeWorld>(
            static_cast<uint64_t>(interleaving) +
            1000 * static_cast<uint64_t>(::testing::UnitTest::GetInstance()->random_seed()))) {}

  void TearDown() override {
    for (const auto& replica : replicas_) {
      replica->machine.Continue();
      replica->network->SetDown(false);
      if (!replica->manager.IsRunning()) continue;
      replica->manager.RequestStop();
      EXPECT_TRUE(Eventually(replica->name() + " ends",
                             [&] { return replica->manager.exit_code().has_value(); }));
      EXPECT_EQ(replica->manager.exit_code(), 0) << replica->name();
    }
    EXPECT_EQ(audit_.violations(), "");
    ScenarioTest::TearDown();
  }

  manager::Options Options() {
    return InProcessOptions(
        {.lease_duration = kLease, .renew_deadline = kRenewDeadline, .retry_period = Seconds(2)},
        world_->lease());
  }
  Replica& StartReplica(const manager::Options& options, Duration longest_way = kLongestWay) {
    const std::string name = "manager-" + std::to_string(replicas_.size() + 1);
    return *replicas_.emplace_back(
        std::make_unique<Replica>(world_->runtime(), name, options, audit_, longest_way));
  }
  // Starts `count` managers. Returns the leader when the caches of all of them are filled.
  Replica& StartReplicas(int count) { return StartReplicas(count, Options()); }
  Replica& StartReplicas(int count, const manager::Options& options,
                         Duration longest_way = kLongestWay) {
    for (int i = 0; i < count; ++i) StartReplica(options, longest_way);
    EXPECT_TRUE(Eventually("one leads", [&] { return Leader() != nullptr; }));
    Wait(Seconds(1));
    return *Leader();
  }
  // Null when no manager leads, or more than one.
  Replica* Leader() {
    Replica* leader = nullptr;
    for (const auto& replica : replicas_) {
      if (!replica->manager.IsLeading()) continue;
      if (leader != nullptr) return nullptr;
      leader = replica.get();
    }
    return leader;
  }

  // Waits for the first write to workloads since `begin` by a manager other than `leader`. Null
  // when there is none.
  const AuditedRequest* FirstWorkOfASuccessor(MonotonicTime begin, const Replica& leader) {
    const auto is = [&](const AuditedRequest& request) {
      return request.IsWork() && request.manager != leader.name();
    };
    world_->Until([&] { return audit_.FirstSince(begin, is) != nullptr; }, Seconds(60));
    return audit_.FirstSince(begin, is);
  }
  size_t WorkSince(const Replica& replica, MonotonicTime begin) {
    return audit_.Count(replica.name(), begin,
                        [](const AuditedRequest& request) { return request.IsWork(); });
  }
  static std::string InMilliseconds(Duration duration) {
    return std::to_string(std::chrono::duration_cast<Milliseconds>(duration).count()) + " ms";
  }

  // Starts a rolling update and returns in the middle of it, when there is a write every few
  // milliseconds.
  ::testing::AssertionResult BeginRollout(int replicas, Milliseconds ready_after) {
    if (::testing::AssertionResult created = Create({.replicas = replicas}); !created) {
      return created;
    }
    kubelet_.Behave({.ready_after = ready_after});
    mark_ = observer_.Mark();
    SetImage("example.com/web:2");
    const size_t pods = static_cast<size_t>(replicas + replicas / 4);
    return Eventually("the first new pods are there",
                      [&] { return observer_.PodsSince(mark_) >= pods; });
  }
  // Checks that no pod was created twice, and that never too few were available.
  ::testing::AssertionResult RolloutEndsWell(int replicas) {
    if (::testing::AssertionResult result = BecomesComplete(replicas, std::chrono::minutes(10));
        !result) {
      return result;
    }
    const int surge = (replicas + 3) / 4;
    const int unavailable = replicas / 4;
    if (::testing::AssertionResult result =
            StaysWithin(mark_, replicas + surge, replicas - unavailable);
        !result) {
      return result;
    }
    const size_t pods = observer_.PodsSince(mark_);
    if (pods == 2 * static_cast<size_t>(replicas)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << pods << " pods have been there";
  }

  // A random duration shorter than `longest`.
  Duration AnyMoment(Duration longest) {
    return std::chrono::duration_cast<Duration>(world_->runtime().RandomFraction() * longest);
  }
  int64_t Transitions() { return LeaseSpec().Get("leaseTransitions").AsInteger(); }
  MonotonicTime Now() { return world_->runtime().Now(); }
  FakeWorld& fake() { return static_cast<FakeWorld&>(*world_); }

  Audit audit_{fake().server(), world_->runtime(), world_->lease()};
  size_t mark_ = 0;
  std::vector<std::unique_ptr<Replica>> replicas_;
};

// The same with a different interleaving for each parameter.
class SeededLeadershipTest : public LeadershipTest, public ::testing::WithParamInterface<int> {
 protected:
  SeededLeadershipTest() : LeadershipTest(GetParam()) {}
};

}  // namespace capstan::scenarios
