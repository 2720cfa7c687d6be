// The latency of a takeover and the number of requests.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/log/log.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "election_candidate.h"

namespace capstan::manager {
namespace {

using api::coordination::v1::Lease;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class WarningLines final : public LogSink {
 public:
  WarningLines() { SetLogSink(this); }
  ~WarningLines() override { SetLogSink(nullptr); }
  void Write(std::string_view line) override { lines_.emplace_back(line); }
  std::vector<std::string> Take() { return std::exchange(lines_, {}); }

 private:
  std::vector<std::string> lines_;
};

class LeaseWatching : public ElectionTest {
 protected:
  // The number of requests for the Lease since the last call, for all methods.
  size_t Requests() {
    const auto all = server_.Requests();
    const auto about_lease = [](const std::string& request) {
      return request.find("/leases") != std::string::npos;
    };
    const auto count = static_cast<size_t>(
        std::count_if(all.begin() + static_cast<ptrdiff_t>(counted_), all.end(), about_lease));
    counted_ = all.size();
    return count;
  }

 private:
  size_t counted_ = 0;
};

TEST_F(LeaseWatching, AReleasedLeaseIsTakenAtOnce) {
  for (int round = 0; round < 20; ++round) {
    Candidate& a = Add("a" + std::to_string(round));
    ASSERT_TRUE(LeadsWithin(a, 1s));
    Candidate& b = Add("b" + std::to_string(round));
    runtime_.AdvanceBy(10s);
    EXPECT_LT(TakesOver(a, b), 60ms);
    EXPECT_EQ(a.holder_at_end(), a.elector().identity());  // released after the end of the term
    EXPECT_GT(TakesOver(b, Add("c" + std::to_string(round))), 0ms);
    candidates_.back().Stop();
  }
}

TEST_F(LeaseWatching, AnExpiredLeaseIsTakenWithinAMillisecond) {
  for (int round = 0; round < 20; ++round) {
    Candidate& a = Add("a" + std::to_string(round));
    ASSERT_TRUE(LeadsWithin(a, 60s));
    Candidate& b = Add("b" + std::to_string(round));
    runtime_.AdvanceBy(10s);
    const MonotonicTime renewed = runtime_.Now();
    ASSERT_EQ(server_.Lease().spec.renewTime, api::MicroTime(runtime_.clock().Now()));
    a.transport().Set(FakeTransport::State::kHangs);
    ASSERT_TRUE(LeadsWithin(b, 60s));
    EXPECT_GT(b.led_at(), renewed + 15s);
    EXPECT_LE(b.led_at(), renewed + 15s + 20ms);
    EXPECT_LT(a.ended_at(), b.led_at());
    b.Stop();
  }
}

TEST_F(LeaseWatching, AnIdleStandbyHasOneWatchAndSendsNoRequests) {
  Add("a");
  Requests();
  Add("b");
  EXPECT_EQ(Requests(), 2U);  // one read, one watch
  const size_t renewals = server_.Count("PATCH");
  runtime_.AdvanceBy(240s);
  EXPECT_EQ(Requests(), server_.Count("PATCH") - renewals);
}

TEST_F(LeaseWatching, OneOfThreeStandbysWinsAndTheOthersSendFewRequests) {
  size_t most = 0;
  for (int round = 0; round < 40; ++round) {
    const std::string suffix = std::to_string(round);
    Candidate& a = Add("a" + suffix);
    ASSERT_TRUE(LeadsWithin(a, 1s));
    for (const char* name : {"b", "c", "d"}) Add(name + suffix);
    runtime_.AdvanceBy(9s);
    Requests();
    a.Stop();
    runtime_.AdvanceBy(100ms);
    EXPECT_EQ(Leaders(), 1U);
    // the release, the winner's write, and the requests of the losers
    const size_t asked = Requests();
    EXPECT_GE(asked, 2U);
    EXPECT_LE(asked, 4U);
    most = std::max(most, asked);
    runtime_.AdvanceBy(5s);
    EXPECT_EQ(Leaders(), 1U);
    EXPECT_LE(Requests(), 2U + 2U);  // renewals; each loser reads at most once
    // The winner stops last, so that no candidate takes over.
    for (Candidate& candidate : candidates_) {
      if (!candidate.IsLeading()) candidate.Stop();
    }
    for (Candidate& candidate : candidates_) candidate.Stop();
  }
  EXPECT_LE(most, 4U);
}

TEST_F(LeaseWatching, PollsEveryRetryPeriodWhenTheWatchIsRefused) {
  for (const int code : {403, 405, 500}) {
    SCOPED_TRACE(code);
    server_.RefuseWatches(code);
    Candidate& a = Add("a" + std::to_string(code));
    ASSERT_TRUE(LeadsWithin(a, 1s));
    Candidate& b = Add("b" + std::to_string(code));
    WarningLines log;
    const size_t reads = server_.Count("GET");
    const size_t watches = server_.Count("WATCH");
    runtime_.AdvanceBy(5min);
    EXPECT_GE(server_.Count("GET") - reads, 300U / 5);
    EXPECT_LE(server_.Count("GET") - reads, 300U / 2);
    EXPECT_GE(server_.Count("WATCH") - watches, 4U);
    EXPECT_LE(server_.Count("WATCH") - watches, 24U);  // by two processes
    EXPECT_THAT(log.Take(), IsEmpty());                // it was logged at the beginning
    EXPECT_LE(TakesOver(a, b), 2s * 2.2);

    server_.RefuseWatches(200);
    Candidate& c = Add("c" + std::to_string(code));
    runtime_.AdvanceBy(2min);
    EXPECT_LT(TakesOver(b, c), 60ms);
    c.Stop();
  }
}

TEST_F(LeaseWatching, ARefusedWatchAndItsRecoveryAreLoggedOnce) {
  Add("a");
  server_.RefuseWatches(403);
  WarningLines log;
  Add("b");
  runtime_.AdvanceBy(10min);
  EXPECT_THAT(log.Take(),
              ElementsAre(HasSubstr("Attempting to acquire"), HasSubstr("New leader elected"),
                          AllOf(HasSubstr("Watch failed"), HasSubstr("kube-system/capstan"))));
  server_.RefuseWatches(200);
  runtime_.AdvanceBy(10min);
  EXPECT_THAT(log.Take(), ElementsAre(HasSubstr("Watch resumed")));
}

TEST_F(LeaseWatching, ABrokenStreamIsResumedWithoutARead) {
  Candidate& a = Add("a");
  Candidate& b = Add("b");
  runtime_.AdvanceBy(5s);
  const size_t reads = server_.Count("GET");
  server_.TearWatches();
  runtime_.AdvanceBy(100ms);
  EXPECT_EQ(server_.Count("GET"), reads);
  EXPECT_LT(TakesOver(a, b), 60ms);
}

TEST_F(LeaseWatching, AnExpiredVersionIsFollowedByARead) {
  Candidate& a = Add("a");
  Candidate& b = Add("b");
  runtime_.AdvanceBy(5s);
  server_.ExpireWatches();
  runtime_.AdvanceBy(100ms);
  EXPECT_LT(TakesOver(a, b), 60ms);
}

// The Lease is older than the oldest change that the server keeps.
TEST_F(LeaseWatching, ALeaseOlderThanTheWatchHistoryIsWatchedFromNow) {
  server_.RefuseWatches(405);
  Candidate& a = Add("a");
  a.transport().Set(FakeTransport::State::kHangs);
  server_.ExpireWatches();
  server_.RefuseWatches(200);
  Candidate& b = Add("b");
  runtime_.AdvanceBy(5s);
  server_.SetLease([](Lease& lease) { lease.spec.holderIdentity = ""; });
  const MonotonicTime released = runtime_.Now();
  ASSERT_TRUE(LeadsWithin(b, 10s));
  EXPECT_LT(b.led_at() - released, 60ms);
}

TEST_F(LeaseWatching, ASilentStreamIsDetectedAndReplaced) {
  Candidate& a = Add("a");
  Candidate& b = Add("b");
  runtime_.AdvanceBy(5s);
  server_.SilenceWatches();
  runtime_.AdvanceBy(30s);  // the lease would appear to have expired
  EXPECT_TRUE(a.IsLeading());
  EXPECT_FALSE(b.IsLeading());
  EXPECT_LT(TakesOver(a, b), 60ms);
}

TEST_F(LeaseWatching, AnOutageIsLoggedInTwoLines) {
  Candidate& a = Add("a");
  Candidate& b = Add("b");
  runtime_.AdvanceBy(10s);
  WarningLines log;
  b.transport().Set(FakeTransport::State::kRefuses);
  runtime_.AdvanceBy(10min);
  EXPECT_THAT(log.Take(),
              ElementsAre(HasSubstr("Watch failed"), HasSubstr("Error retrieving resource lock")));
  b.transport().Set(FakeTransport::State::kWorks);
  runtime_.AdvanceBy(2min);
  EXPECT_THAT(log.Take(), ElementsAre(HasSubstr("responds to leader election again"),
                                      HasSubstr("Watch resumed")));
  EXPECT_TRUE(a.IsLeading());
  EXPECT_FALSE(b.IsLeading());
}

TEST_F(LeaseWatching, SmallerVersionsOfARestoredServerAreAccepted) {
  Candidate& a = Add("a");
  Candidate& b = Add("b");
  runtime_.AdvanceBy(5s);
  server_.RestoreAt(7);
  runtime_.AdvanceBy(60s);
  EXPECT_TRUE(a.IsLeading());
  EXPECT_FALSE(b.IsLeading());
  EXPECT_LE(TakesOver(a, b), 5s);
}

TEST_F(LeaseWatching, ASuspendedLeaderWritesNothingAfterResuming) {
  Candidate& a = Add("a", {.runtime = &machine_});
  Candidate& b = Add("b");
  runtime_.AdvanceBy(5s);
  machine_.Suspend();
  ASSERT_TRUE(LeadsWithin(b, 60s));
  EXPECT_TRUE(a.IsLeading());  // it has not noticed the end of its term, but
  EXPECT_LT(a.elector().Term()->end_by, runtime_.Now());
  b.transport().Set(FakeTransport::State::kHangs);  // only a could write from here on
  runtime_.AdvanceBy(1s);
  const size_t writes = server_.Count("PATCH") + server_.Count("POST");
  machine_.Continue();
  runtime_.AdvanceBy(100ms);
  EXPECT_EQ(a.outcome(), LeaderElector::Outcome::kLost);
  EXPECT_EQ(server_.Count("PATCH") + server_.Count("POST"), writes);
  EXPECT_EQ(server_.Holder(), "b");
}

TEST_F(LeaseWatching, ALeaderThatYieldsWaitsForOneLeaseDuration) {
  Candidate& a = Add("a");
  Candidate& b = Add("b");
  runtime_.AdvanceBy(5s);
  const MonotonicTime given_up = runtime_.Now();
  a.elector().GiveUp("its caches do not sync");
  EXPECT_FALSE(a.elector().Term());
  ASSERT_TRUE(LeadsWithin(b, 1s));
  EXPECT_EQ(a.outcome(), LeaderElector::Outcome::kGivenUp);
  EXPECT_EQ(a.holder_at_end(), "a");
  EXPECT_LT(b.led_at() - given_up, 60ms);

  a.Restart();
  b.Stop();
  ASSERT_TRUE(LeadsWithin(a, 60s));
  EXPECT_GE(a.led_at() - given_up, 15s);
  EXPECT_LE(a.led_at() - given_up, 15s + 60ms);
}

TEST_F(LeaseWatching, ALeaderThatYieldedLeadsAgainWhenNobodyElseDoes) {
  Candidate& a = Add("a");
  runtime_.AdvanceBy(5s);
  a.elector().GiveUp("its workers are stuck");
  runtime_.RunUntilIdle();
  ASSERT_EQ(a.outcome(), LeaderElector::Outcome::kGivenUp);
  EXPECT_EQ(server_.Holder(), "");
  const MonotonicTime given_up = a.ended_at();
  a.Restart();
  ASSERT_TRUE(LeadsWithin(a, 60s));
  EXPECT_GE(a.led_at() - given_up, 15s);
}

TEST_F(LeaseWatching, YieldingDoesNotWaitForAPendingRenewal) {
  Candidate& a = Add("a");
  runtime_.AdvanceBy(1s);
  a.transport().Set(FakeTransport::State::kHangs);
  runtime_.AdvanceBy(2s);
  a.elector().GiveUp("its workers are stuck");
  a.transport().Set(FakeTransport::State::kWorks);
  runtime_.RunUntilIdle();
  EXPECT_EQ(a.outcome(), LeaderElector::Outcome::kGivenUp);
  EXPECT_EQ(server_.Holder(), "");
}

TEST_F(LeaseWatching, YieldingWithoutTheLeaseDoesNothing) {
  Candidate& a = Add("a");
  Candidate& b = Add("b");
  b.elector().GiveUp("nothing");
  EXPECT_LT(TakesOver(a, b), 60ms);
}

}  // namespace
}  // namespace capstan::manager
