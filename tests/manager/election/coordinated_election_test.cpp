// Coordinated leader election, where the server chooses the leader. The test is the coordinator.

#include <chrono>
#include <string>

#include <capstan/api/raw_json.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "election_candidate.h"

namespace capstan::manager {
namespace {

using api::coordination::v1::Lease;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class CoordinatedElection : public ElectionTest {
 protected:
  static constexpr ElectionSetup kCoordinated{.coordinated = true};

  // Elects a candidate as kube-apiserver does.
  void Elect(const std::string& identity) {
    server_.SetLease([&](Lease& lease) {
      lease.metadata.name = "capstan";
      lease.metadata.namespace_ = "kube-system";
      lease.spec.holderIdentity = identity;
      lease.spec.leaseDurationSeconds = 5;
      lease.spec.renewTime = api::MicroTime(runtime_.clock().Now());
      lease.spec.acquireTime = {};
      lease.spec.strategy = "OldestEmulationVersion";
      lease.spec.preferredHolder.reset();
    });
  }
  void Prefer(const std::string& identity) {
    server_.SetLease([&](Lease& lease) { lease.spec.preferredHolder = identity; });
  }
  std::string Field(const std::string& candidate, const char* field) const {
    return server_.LeaseCandidate(candidate).StringAt(field).value_or("<none>");
  }
  void Ping(const std::string& candidate, Duration ahead = {}) {
    const api::MicroTime now(runtime_.clock().Now() + ahead);
    server_.SetLeaseCandidate(candidate, "/spec/pingTime", RawJson::String(now.ToString()));
  }
  bool HasAnswered(const std::string& candidate) const {
    return Field(candidate, "/spec/renewTime") > Field(candidate, "/spec/pingTime");
  }
};

TEST_F(CoordinatedElection, ACandidateCreatesALeaseCandidate) {
  for (const char* version : {"v1beta1", "v1alpha2"}) {
    server_.ServeLeaseCandidates(version);
    Candidate& a = Add("Host_A", kCoordinated);
    ASSERT_THAT(server_.LeaseCandidates(), ElementsAre("host-a"));
    EXPECT_EQ(Field("host-a", "/apiVersion"), std::string("coordination.k8s.io/") + version);
    EXPECT_EQ(Field("host-a", "/metadata/namespace"), "kube-system");
    EXPECT_EQ(Field("host-a", "/spec/leaseName"), "capstan");
    EXPECT_EQ(Field("host-a", "/spec/binaryVersion"), "1.2.0");
    EXPECT_EQ(Field("host-a", "/spec/emulationVersion"), "1.1.0");
    EXPECT_EQ(Field("host-a", "/spec/strategy"), "OldestEmulationVersion");
    EXPECT_EQ(Field("host-a", "/spec/renewTime"),
              api::MicroTime(runtime_.clock().Now()).ToString());
    a.Stop();
    EXPECT_THAT(server_.LeaseCandidates(), IsEmpty());
  }
}

TEST_F(CoordinatedElection, WaitsUntilItIsElectedAndThenRenewsTheLease) {
  server_.ServeLeaseCandidates("v1beta1");
  Candidate& a = Add("a", kCoordinated);
  Candidate& b = Add("b", kCoordinated);
  runtime_.AdvanceBy(60s);
  EXPECT_FALSE(server_.HasLease());
  Elect("b");
  ASSERT_TRUE(LeadsWithin(b, 10ms));
  runtime_.AdvanceBy(60s);
  EXPECT_TRUE(b.IsLeading());
  EXPECT_FALSE(a.IsLeading());
  const Lease lease = server_.Lease();
  EXPECT_EQ(lease.spec.holderIdentity, "b");
  EXPECT_EQ(lease.spec.leaseDurationSeconds, 15);
  EXPECT_EQ(lease.spec.strategy, "OldestEmulationVersion");
  EXPECT_TRUE(lease.spec.acquireTime);
  EXPECT_LE(runtime_.clock().Now() - lease.spec.renewTime.ToWallTime(), 2s);
}

TEST_F(CoordinatedElection, DoesNotTakeAnExpiredLease) {
  server_.ServeLeaseCandidates("v1beta1");
  Add("a", kCoordinated);
  Elect("gone");
  runtime_.AdvanceBy(60s);
  EXPECT_EQ(server_.Holder(), "gone");
}

TEST_F(CoordinatedElection, YieldsToThePreferredHolder) {
  server_.ServeLeaseCandidates("v1beta1");
  Candidate& a = Add("a", kCoordinated);
  Elect("a");
  ASSERT_TRUE(LeadsWithin(a, 10ms));
  Prefer("a");
  runtime_.AdvanceBy(10s);
  EXPECT_TRUE(a.IsLeading());
  Prefer("b");
  runtime_.RunUntilIdle();
  EXPECT_EQ(a.outcome(), LeaderElector::Outcome::kGivenUp);
  EXPECT_EQ(a.holder_at_end(), "a");
  EXPECT_EQ(server_.Holder(), "");
  // The candidate remains and can be elected later.
  a.Restart();
  runtime_.AdvanceBy(1s);
  EXPECT_FALSE(a.IsLeading());
  EXPECT_THAT(server_.LeaseCandidates(), ElementsAre("a"));
  Elect("a");
  EXPECT_TRUE(LeadsWithin(a, 10ms));
}

TEST_F(CoordinatedElection, YieldsToThePreferredHolderWithoutAWatch) {
  server_.ServeLeaseCandidates("v1beta1");
  server_.RefuseWatches(403);
  Candidate& a = Add("a", kCoordinated);
  Elect("a");
  ASSERT_TRUE(LeadsWithin(a, 10s));
  Prefer("b");
  runtime_.AdvanceBy(2s);
  EXPECT_EQ(a.outcome(), LeaderElector::Outcome::kGivenUp);
  EXPECT_EQ(server_.Holder(), "");
}

TEST_F(CoordinatedElection, DoesNotRepeatRequestsWhenAnotherHolderIsPreferred) {
  server_.ServeLeaseCandidates("v1beta1");
  Elect("a");
  Prefer("b");
  Candidate& a = Add("a", kCoordinated);
  const size_t requests = server_.Requests().size();
  runtime_.AdvanceBy(60s);
  EXPECT_FALSE(a.IsLeading());
  EXPECT_LE(server_.Requests().size() - requests, 60U / 15);
}

TEST_F(CoordinatedElection, APingIsAnsweredAtOnce) {
  server_.ServeLeaseCandidates("v1beta1");
  Add("a", kCoordinated);
  runtime_.AdvanceBy(60s);
  Ping("a");
  runtime_.RunUntilIdle();
  EXPECT_TRUE(HasAnswered("a"));
  Ping("a", 1h);  // by a clock that is ahead
  runtime_.RunUntilIdle();
  EXPECT_TRUE(HasAnswered("a"));
  const size_t requests = server_.Requests().size();
  runtime_.AdvanceBy(10s);
  EXPECT_LE(server_.Requests().size(), requests + 1);  // the read of the Lease
}

TEST_F(CoordinatedElection, WithoutAWatchAPingIsAnsweredBeforeItTimesOut) {
  server_.ServeLeaseCandidates("v1beta1");
  server_.RefuseWatches(403);
  Add("a", kCoordinated);
  runtime_.AdvanceBy(60s);
  for (int round = 0; round < 10; ++round) {
    Ping("a");
    runtime_.AdvanceBy(4500ms);
    EXPECT_TRUE(HasAnswered("a"));
  }
}

TEST_F(CoordinatedElection, TheLeaseCandidateIsRenewedEveryFiveMinutesAndRecreated) {
  server_.ServeLeaseCandidates("v1beta1");
  Add("a", kCoordinated);
  const std::string first = Field("a", "/spec/renewTime");
  runtime_.AdvanceBy(299s);
  EXPECT_EQ(Field("a", "/spec/renewTime"), first);
  runtime_.AdvanceBy(1s);
  EXPECT_GT(Field("a", "/spec/renewTime"), first);
  server_.DeleteLeaseCandidate("a");
  runtime_.RunUntilIdle();
  EXPECT_THAT(server_.LeaseCandidates(), ElementsAre("a"));
}

TEST_F(CoordinatedElection, AfterYieldingItIsNoCandidateForOneLeaseDuration) {
  server_.ServeLeaseCandidates("v1beta1");
  Candidate& a = Add("a", kCoordinated);
  Elect("a");
  ASSERT_TRUE(LeadsWithin(a, 10ms));
  a.elector().GiveUp("its workers are stuck");
  runtime_.RunUntilIdle();
  ASSERT_EQ(a.outcome(), LeaderElector::Outcome::kGivenUp);
  EXPECT_EQ(server_.Holder(), "");
  EXPECT_THAT(server_.LeaseCandidates(), IsEmpty());
  a.Restart();
  runtime_.AdvanceBy(14s);
  EXPECT_THAT(server_.LeaseCandidates(), IsEmpty());
  runtime_.AdvanceBy(1s);
  EXPECT_THAT(server_.LeaseCandidates(), ElementsAre("a"));
}

TEST_F(CoordinatedElection, FallsBackToAPlainLeaseWithoutLeaseCandidates) {
  Candidate& a = Add("a", kCoordinated);
  EXPECT_TRUE(a.IsLeading());
  Candidate& b = Add("b", kCoordinated);
  runtime_.AdvanceBy(5s);
  EXPECT_LT(TakesOver(a, b), 60ms);
}

TEST_F(CoordinatedElection, RetriesUntilTheServerIsReachable) {
  server_.ServeLeaseCandidates("v1beta1");
  Candidate& a = candidates_.emplace_back(server_, "a", kCoordinated);
  a.transport().Set(FakeTransport::State::kRefuses);
  a.Start();
  runtime_.AdvanceBy(60s);
  a.transport().Set(FakeTransport::State::kWorks);
  runtime_.AdvanceBy(5s);
  EXPECT_FALSE(server_.HasLease());
  EXPECT_THAT(server_.LeaseCandidates(), ElementsAre("a"));
}

TEST(Identity, IsConvertedToAValidDnsName) {
  EXPECT_EQ(DnsSafe("Node-1.example_0b9c"), "node-1-example-0b9c");
  EXPECT_EQ(DnsSafe("_a_"), "a");
  EXPECT_EQ(DnsSafe(std::string(300, 'x') + "-end").size(), 253U);
  EXPECT_TRUE(DnsSafe(std::string(300, 'x') + "-end").ends_with("-end"));
}

}  // namespace
}  // namespace capstan::manager
