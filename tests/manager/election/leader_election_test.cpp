#include "election/leader_election.h"

#include <capstan/testing/simulated_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <list>
#include <optional>

#include "election_candidate.h"
#include "manager/fake_api_server.h"

namespace capstan::manager {
namespace {

using api::coordination::v1::Lease;
using capstan::testing::SimulatedRuntime;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using namespace std::chrono_literals;
using Outcome = LeaderElector::Outcome;
using State = FakeTransport::State;

using LeaderElection = ElectionTest;

TEST_F(LeaderElection, CreatesAMissingLease) {
  const Candidate& a = Add("a");
  ASSERT_TRUE(a.IsLeading());
  const Lease lease = server_.Lease();
  EXPECT_EQ(lease.metadata.name, "capstan");
  EXPECT_EQ(lease.spec.holderIdentity, "a");
  EXPECT_EQ(lease.spec.leaseDurationSeconds, 15);
  EXPECT_EQ(lease.spec.leaseTransitions, 0);
  EXPECT_EQ(lease.spec.acquireTime, api::MicroTime(runtime_.clock().Now()));
  EXPECT_EQ(lease.spec.renewTime, lease.spec.acquireTime);
  EXPECT_THAT(a.Metrics(), HasSubstr("leader_election_master_status{name=\"capstan\"} 1"));
  EXPECT_THAT(a.seen(), ElementsAre("a"));
}

TEST_F(LeaderElection, RenewsEveryRetryPeriodWithPatchesOnly) {
  Add("a");
  const Lease first = server_.Lease();
  runtime_.AdvanceBy(20s);
  const Lease later = server_.Lease();
  EXPECT_EQ(server_.Count("PATCH"), 10U);
  EXPECT_EQ(server_.Count("GET"), 1U);
  EXPECT_EQ(later.spec.renewTime.ToWallTime() - first.spec.renewTime.ToWallTime(), 20s);
  EXPECT_EQ(later.spec.acquireTime, first.spec.acquireTime);
  EXPECT_EQ(later.spec.leaseTransitions, 0);
}

TEST_F(LeaderElection, RecordsEventsAboutTheLease) {
  Candidate& a = Add("a");
  runtime_.AdvanceBy(1s);
  EXPECT_THAT(server_.Events(), ElementsAre("a became leader"));
  a.Stop();
  EXPECT_THAT(server_.Events(), ElementsAre("a became leader", "a stopped leading"));
}

TEST_F(LeaderElection, AStandbyTakesTheLeaseOnlyAfterItHasExpired) {
  Candidate& a = Add("a");
  Candidate& b = Add("b");
  runtime_.AdvanceBy(60s);
  EXPECT_FALSE(b.IsLeading());
  EXPECT_THAT(b.seen(), ElementsAre("a"));

  a.transport().Set(State::kRefuses);
  const MonotonicTime cut = runtime_.Now();
  ASSERT_TRUE(LeadsWithin(b, 60s));
  EXPECT_GE(runtime_.Now() - cut, 15s - 2s);
  EXPECT_LE(runtime_.Now() - cut, 15s + 2s * 2.2);
  EXPECT_EQ(server_.Holder(), "b");
  EXPECT_EQ(server_.Lease().spec.leaseTransitions, 1);
  EXPECT_THAT(b.seen(), ElementsAre("a", "b"));
}

TEST_F(LeaderElection, TheFormerLeaderStopsBeforeTheNextOneStarts) {
  Candidate& a = Add("a");
  Candidate& b = Add("b");
  runtime_.AdvanceBy(10s);
  a.transport().Set(State::kHangs);
  ASSERT_TRUE(LeadsWithin(b, 60s));
  EXPECT_EQ(a.outcome(), Outcome::kLost);
  EXPECT_LT(a.ended_at(), runtime_.Now());
}

TEST_F(LeaderElection, WritesStopAtTheRenewDeadlineAndTheTermEndsWithTheLease) {
  for (const State state : {State::kRefuses, State::kHangs}) {
    Candidate& a = Add("a" + std::to_string(candidates_.size()));
    ASSERT_TRUE(LeadsWithin(a, 60s));
    runtime_.AdvanceBy(2s);
    const MonotonicTime renewed = runtime_.Now();
    ASSERT_EQ(server_.Lease().spec.renewTime, api::MicroTime(runtime_.clock().Now()));
    a.transport().Set(state);
    runtime_.AdvanceBy(14s);
    ASSERT_TRUE(a.elector().Term());
    EXPECT_EQ(a.elector().Term()->send_before, renewed + 10s);
    EXPECT_EQ(a.elector().Term()->end_by, renewed + 15s);
    ASSERT_TRUE(runtime_.RunUntil([&] { return a.outcome().has_value(); }, 60s));
    EXPECT_EQ(a.outcome(), Outcome::kLost);
    EXPECT_EQ(a.ended_at(), renewed + 15s);
    EXPECT_FALSE(a.elector().Term());
    EXPECT_THAT(a.Metrics(), HasSubstr("leader_election_master_status{name=\"capstan\"} 0"));
  }
}

TEST_F(LeaderElection, TheTermStartsAtTheWriteAndNotAtTheReadBeforeIt) {
  Add("b").Stop();
  Candidate& a = candidates_.emplace_back(server_, "a");
  EXPECT_FALSE(a.elector().Term());
  a.transport().Set(State::kHangs);
  a.Start();
  runtime_.AdvanceBy(4s);
  EXPECT_FALSE(a.elector().Term());
  a.transport().Set(State::kWorks);
  ASSERT_TRUE(LeadsWithin(a, 1s));
  EXPECT_EQ(a.elector().Term()->send_before, a.led_at() + 10s);
}

TEST_F(LeaderElection, AnOutageShorterThanTheLeaseKeepsTheTerm) {
  Candidate& a = Add("a");
  const Candidate& b = Add("b");
  for (const State state : {State::kRefuses, State::kHangs}) {
    a.transport().Set(state);
    runtime_.AdvanceBy(11s);
    EXPECT_LT(a.elector().Term()->send_before, runtime_.Now());
    a.transport().Set(State::kWorks);
    runtime_.AdvanceBy(20s);
    EXPECT_TRUE(a.IsLeading());
    EXPECT_GT(a.elector().Term()->send_before, runtime_.Now());
  }
  EXPECT_FALSE(b.IsLeading());
  EXPECT_EQ(server_.Lease().spec.leaseTransitions, 0);
  EXPECT_THAT(server_.Events(), ElementsAre("a became leader"));
}

TEST_F(LeaderElection, AnOutageThatEndsJustBeforeTheLeaseKeepsTheTerm) {
  Candidate& a = Add("a");
  ASSERT_TRUE(LeadsWithin(a, 60s));
  runtime_.AdvanceBy(2s);
  ASSERT_EQ(server_.Lease().spec.renewTime, api::MicroTime(runtime_.clock().Now()));
  a.transport().Set(State::kRefuses);
  runtime_.AdvanceBy(14400ms);
  a.transport().Set(State::kWorks);
  runtime_.AdvanceBy(10s);
  EXPECT_TRUE(a.IsLeading());
  EXPECT_FALSE(a.outcome().has_value());
}

TEST_F(LeaderElection, ALostLeaseIsNotWritten) {
  Candidate& a = Add("a");
  a.transport().Set(State::kRefuses);
  runtime_.AdvanceBy(30s);
  ASSERT_EQ(a.outcome(), Outcome::kLost);
  a.transport().Set(State::kWorks);
  const size_t writes = server_.Count("PATCH");
  a.Stop();
  EXPECT_EQ(server_.Count("PATCH"), writes);
  EXPECT_EQ(server_.Holder(), "a");
}

TEST_F(LeaderElection, ReleasesTheLeaseWhenItStops) {
  Candidate& a = Add("a");
  Candidate& b = Add("b");
  runtime_.AdvanceBy(10s);
  a.Stop();
  EXPECT_EQ(a.outcome(), Outcome::kStopped);
  const Lease lease = server_.Lease();
  EXPECT_EQ(lease.spec.holderIdentity, "");
  EXPECT_EQ(lease.spec.leaseDurationSeconds, 1);
  EXPECT_EQ(lease.spec.leaseTransitions, 0);
  EXPECT_TRUE(LeadsWithin(b, 5s));
  EXPECT_EQ(server_.Lease().spec.leaseTransitions, 1);
  EXPECT_EQ(server_.Lease().spec.leaseDurationSeconds, 15);
}

TEST_F(LeaderElection, AStandbyThatStopsWritesNothing) {
  Add("a");
  Candidate& b = Add("b");
  runtime_.AdvanceBy(10s);
  b.Stop();
  EXPECT_EQ(b.outcome(), Outcome::kStopped);
  EXPECT_EQ(server_.Holder(), "a");
}

TEST_F(LeaderElection, StopsDuringARequestThatDoesNotReturn) {
  Candidate& a = Add("a");
  a.transport().Set(State::kHangs);
  runtime_.AdvanceBy(3s);
  a.Stop();
  EXPECT_EQ(a.outcome(), Outcome::kStopped);
}

TEST_F(LeaderElection, AConflictIsResolvedByAReadAndAnotherWrite) {
  server_.RefuseWatches(403);
  Candidate& a = Add("a");
  server_.SetLease([](Lease& lease) { lease.metadata.labels.Set("touched", "by-somebody"); });
  runtime_.AdvanceBy(2s);
  EXPECT_TRUE(a.IsLeading());
  EXPECT_EQ(server_.Count("GET"), 2U);
  EXPECT_THAT(a.Metrics(), HasSubstr("leader_election_slowpath_total{name=\"capstan\"} 1"));
  EXPECT_EQ(server_.Lease().spec.renewTime, api::MicroTime(runtime_.clock().Now()));
  runtime_.AdvanceBy(20s);
  EXPECT_EQ(server_.Count("GET"), 2U);
}

TEST_F(LeaderElection, AChangeThatTheWatchReportedNeedsNoRead) {
  Candidate& a = Add("a");
  server_.SetLease([](Lease& lease) { lease.metadata.labels.Set("touched", "by-somebody"); });
  runtime_.AdvanceBy(20s);
  EXPECT_TRUE(a.IsLeading());
  EXPECT_EQ(server_.Count("GET"), 1U);
  EXPECT_EQ(server_.Count("PATCH"), 10U);
}

TEST_F(LeaderElection, ALeaseTakenByAnotherIsLostAtOnce) {
  Candidate& a = Add("a");
  server_.SetLease([](Lease& lease) { lease.spec.holderIdentity = "thief"; });
  runtime_.RunUntilIdle();
  EXPECT_EQ(a.outcome(), Outcome::kLost);
  EXPECT_EQ(server_.Holder(), "thief");
  EXPECT_THAT(a.seen(), ElementsAre("a", "thief"));
}

TEST_F(LeaderElection, WithoutAWatchALeaseTakenByAnotherIsLostAtTheNextRenewal) {
  server_.RefuseWatches(403);
  Candidate& a = Add("a");
  server_.SetLease([](Lease& lease) { lease.spec.holderIdentity = "thief"; });
  runtime_.AdvanceBy(2s);
  EXPECT_EQ(a.outcome(), Outcome::kLost);
  EXPECT_EQ(server_.Holder(), "thief");
}

TEST_F(LeaderElection, TheLeaderRecreatesADeletedLeaseAtOnce) {
  Candidate& a = Add("a");
  const Candidate& b = Add("b");
  server_.DeleteLease();
  runtime_.RunUntilIdle();
  EXPECT_EQ(server_.Holder(), "a");
  runtime_.AdvanceBy(20s);
  EXPECT_TRUE(a.IsLeading());
  EXPECT_FALSE(b.IsLeading());
}

TEST_F(LeaderElection, AStandbyRecreatesADeletedLeaseAfterItsTermHasEnded) {
  Candidate& a = Add("a");
  Candidate& b = Add("b");
  a.transport().Set(State::kHangs);
  server_.DeleteLease();
  const MonotonicTime deleted = runtime_.Now();
  ASSERT_TRUE(LeadsWithin(b, 60s));
  EXPECT_GE(b.led_at() - deleted, 15s);
  EXPECT_LE(b.led_at() - deleted, 15s + 20ms);
  EXPECT_LT(a.ended_at(), b.led_at());
}

TEST_F(LeaderElection, TakesALeaseWithoutAHolder) {
  server_.SetLease([](Lease& lease) {
    lease.metadata.name = "capstan";
    lease.metadata.namespace_ = "kube-system";
  });
  Candidate& a = Add("a");
  EXPECT_TRUE(a.IsLeading());
  EXPECT_EQ(server_.Lease().spec.leaseTransitions, 1);
}

TEST_F(LeaderElection, AnOldLeaseIsTakenOnlyAfterItWasObservedForItsDuration) {
  server_.SetLease([&](Lease& lease) {
    lease.metadata.name = "capstan";
    lease.metadata.namespace_ = "kube-system";
    lease.spec.holderIdentity = "gone";
    lease.spec.leaseDurationSeconds = 30;
    lease.spec.renewTime = api::MicroTime::FromMicroseconds(1);
    lease.spec.leaseTransitions = 6;
  });
  Candidate& a = Add("a");
  runtime_.AdvanceBy(29s);
  EXPECT_FALSE(a.IsLeading());
  EXPECT_TRUE(LeadsWithin(a, 6s));
  EXPECT_EQ(server_.Lease().spec.leaseTransitions, 7);
}

TEST_F(LeaderElection, RetriesUntilTheServerIsReachable) {
  Candidate& a = candidates_.emplace_back(server_, "a");
  a.transport().Set(State::kRefuses);
  a.Start();
  runtime_.AdvanceBy(300s);
  EXPECT_FALSE(a.IsLeading());
  EXPECT_FALSE(a.outcome().has_value());
  a.transport().Set(State::kWorks);
  EXPECT_TRUE(LeadsWithin(a, 5s));
}

TEST_F(LeaderElection, AWriteWithALostAnswerIsRecognized) {
  Candidate& a = candidates_.emplace_back(server_, "a");
  a.transport().Set(State::kLosesAnswers);
  a.Start();
  runtime_.AdvanceBy(1s);
  a.transport().Set(State::kWorks);
  ASSERT_TRUE(LeadsWithin(a, 10s));
  EXPECT_EQ(server_.Lease().spec.leaseTransitions, 0);
}

TEST_F(LeaderElection, TheHealthCheckFailsWhenTheLeaderDoesNotRenew) {
  const auto transport = std::make_shared<FakeTransport>(server_);
  const LeaderElectionConfig config{.lease = {"kube-system", "capstan"},
                                    .identity = "a",
                                    .lease_duration = 15s,
                                    .renew_deadline = 10s,
                                    .retry_period = 2s};
  MetricsRegistry metrics;
  std::stop_source stop;
  LeaderElector elector(config, Client(transport, runtime_), runtime_, metrics, nullptr,
                        {.on_started_leading = [&] { runtime_.SleepFor(1h, stop.get_token()); },

                         .on_new_leader = {},
                         .on_stopped_leading = {}});
  EXPECT_TRUE(elector.Check(20s).ok());
  const auto thread = runtime_.Start("a", [&] { elector.Run(stop.get_token()); });
  runtime_.AdvanceBy(15s + 20s);
  EXPECT_TRUE(elector.Check(20s).ok());
  runtime_.AdvanceBy(1s);
  EXPECT_EQ(elector.Check(20s).message(),
            "failed election to renew leadership on lease kube-system/capstan");
  stop.request_stop();
  thread->Join();
}

TEST_F(LeaderElection, AFormerLeaderIsHealthyAndCanLeadAgain) {
  Candidate& a = Add("a");
  a.transport().Set(State::kRefuses);
  runtime_.AdvanceBy(60s);
  ASSERT_EQ(a.outcome(), Outcome::kLost);
  EXPECT_TRUE(a.elector().Check(20s).ok());
  EXPECT_FALSE(a.elector().IsLeading());

  a.transport().Set(State::kWorks);
  a.Start();
  EXPECT_TRUE(LeadsWithin(a, 5s));
  runtime_.AdvanceBy(30s);
  EXPECT_TRUE(a.elector().IsLeading());
}

TEST(NewIdentity, IsTheHostNameAndARandomUuid) {
  SimulatedRuntime runtime;
  const std::string first = NewIdentity(runtime);
  EXPECT_THAT(first, MatchesRegex(".+_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-"
                                  "[0-9a-f]{12}"));
  EXPECT_NE(NewIdentity(runtime), first);
}

// There are never two leaders, whatever fails at whatever time. When all faults end, there is one.
TEST(LeaderElectionProperty, AtMostOneProcessLeads) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    SimulatedRuntime runtime(seed);
    FakeApiServer server(runtime);
    std::list<Candidate> candidates;
    for (const char* name : {"a", "b", "c"}) candidates.emplace_back(server, name).Start();
    int next = 0;
    const auto count = [&] {
      return std::count_if(candidates.begin(), candidates.end(),
                           [](const Candidate& candidate) { return candidate.IsLeading(); });
    };
    for (int step = 0; step < 60; ++step) {
      for (Candidate& candidate : candidates) {
        const auto dice = runtime.Random() % 8;
        candidate.transport().Set(dice < 5 ? State::kWorks : static_cast<State>(dice - 4));
      }
      switch (runtime.Random() % 12) {
        case 0:
          server.TearWatches();
          break;
        case 1:
          server.ExpireWatches();
          break;
        case 2:
          server.SilenceWatches();
          break;
        case 3:
          server.RefuseWatches(runtime.Random() % 2 == 0 ? 200 : 403);
          break;
        case 4:
          std::next(candidates.begin(), static_cast<ptrdiff_t>(runtime.Random() % 3))
              ->elector()
              .GiveUp("chance");
          break;
        default:
          break;
      }
      for (const MonotonicTime end = runtime.Now() + 4s; runtime.Now() < end;) {
        runtime.AdvanceBy(50ms);
        ASSERT_LE(count(), 1);
      }
      candidates.remove_if([](const Candidate& candidate) { return candidate.outcome(); });
      while (candidates.size() < 3) {
        candidates.emplace_back(server, "n" + std::to_string(next++)).Start();
      }
    }
    for (Candidate& candidate : candidates) candidate.transport().Set(State::kWorks);
    EXPECT_TRUE(runtime.RunUntil([&] { return count() == 1; }, 60s));
  }
}

}  // namespace
}  // namespace capstan::manager
