// Which manager may write, and when, as recorded by the embedded server. Whole managers run in
// virtual time.

#include <algorithm>
#include <chrono>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "leadership_fixture.h"

namespace capstan::scenarios {
namespace {

// The maximum time from the moment when a successor may lead to its first write.
constexpr Milliseconds kTakeOver{300};

class Succession : public SeededLeadershipTest {
 protected:
  size_t Lists(const Replica& replica, MonotonicTime begin, const std::string& resource) {
    return audit_.Count(replica.name(), begin,
                        [&](const AuditedRequest& request) { return request.Lists(resource); });
  }
  size_t ListsOfAllNamespaces(const Replica& replica, MonotonicTime begin) {
    return audit_.Count(replica.name(), begin, [&](const AuditedRequest& request) {
      return !request.target.starts_with("/api/v1/namespaces/") &&
             !request.target.starts_with("/apis/apps/v1/namespaces/") &&
             (request.Lists("deployments") || request.Lists("replicasets") ||
              request.Lists("pods"));
    });
  }
  // The leader stops in the middle of a rollout, and another manager completes it.
  Replica& TakeOver(Replica& leader) {
    EXPECT_TRUE(BeginRollout(kPods, Milliseconds(20)));
    const MonotonicTime told = Now();
    leader.manager.RequestStop();
    const AuditedRequest* first = FirstWorkOfASuccessor(told, leader);
    EXPECT_NE(first, nullptr);
    EXPECT_TRUE(RolloutEndsWell(kPods));
    return *Leader();
  }
};
INSTANTIATE_TEST_SUITE_P(Seeds, Succession, ::testing::Range(1, 5));

TEST_P(Succession, ASuccessorWritesAtOnceWhenTheLeaderStops) {
  Replica& leader = StartReplicas(3);
  ASSERT_TRUE(BeginRollout(kPods, Milliseconds(20)));
  const MonotonicTime told = Now();
  leader.manager.RequestStop();
  const AuditedRequest* first = FirstWorkOfASuccessor(told, leader);
  ASSERT_NE(first, nullptr);
  EXPECT_LE(first->at - told, kTakeOver) << InMilliseconds(first->at - told);
  EXPECT_TRUE(RolloutEndsWell(kPods));
  EXPECT_EQ(leader.manager.exit_code(), 0);
}

TEST_P(Succession, ASuccessorWritesAsSoonAsTheLeaseOfAKilledLeaderHasRunOut) {
  Replica& leader = StartReplicas(3);
  ASSERT_TRUE(BeginRollout(kPods, Seconds(1)));
  const MonotonicTime killed = Now();
  leader.manager.Kill();
  const MonotonicTime runs_out = audit_.RunsOutAt();
  const AuditedRequest* first = FirstWorkOfASuccessor(killed, leader);
  ASSERT_NE(first, nullptr);
  EXPECT_LE(first->at - killed, kLease + kTakeOver) << InMilliseconds(first->at - killed);
  EXPECT_LE(first->at - runs_out, kTakeOver) << InMilliseconds(first->at - runs_out);
  EXPECT_TRUE(RolloutEndsWell(kPods));
}

TEST_P(Succession, AWarmStandbyListsOnlyTheObjectsThatItChanges) {
  Replica& first = StartReplicas(3);
  const Replica& second = TakeOver(first);
  const MonotonicTime acquired = *audit_.AcquiredAt(second.name());
  EXPECT_GT(WorkSince(second, acquired), 0U);
  EXPECT_EQ(ListsOfAllNamespaces(second, acquired), 0U);
  EXPECT_EQ(Lists(second, acquired, "deployments"), 0U);
  EXPECT_LE(Lists(second, acquired, "replicasets"), 1U) << "of the one namespace";
  EXPECT_LE(Lists(second, acquired, "pods"), 2U) << "each of the two controllers";
}

TEST_P(Succession, AManagerFillsEachCacheWithASingleRequest) {
  const Replica& replica = StartReplicas(1);
  Wait(Seconds(30));
  for (const char* path :
       {"/api/v1/pods?", "/apis/apps/v1/deployments?", "/apis/apps/v1/replicasets?"}) {
    EXPECT_EQ(audit_.Count(replica.name(), {},
                           [&](const AuditedRequest& request) {
                             return request.method == "GET" && request.target.starts_with(path) &&
                                    !request.LearnsVersion();
                           }),
              1U)
        << path << "\n"
        << audit_.ToString();
  }
  EXPECT_LE(audit_.Count([](const AuditedRequest& request) { return request.LearnsVersion(); }), 6U)
      << "two for each type";
}

TEST_P(Succession, AColdStandbyListsOnlyOnceItLeads) {
  manager::Options options = Options();
  options.standby_cache = manager::StandbyCache::kCold;
  Replica& first = StartReplicas(3, options);
  const Replica& second = TakeOver(first);
  const MonotonicTime acquired = *audit_.AcquiredAt(second.name());
  EXPECT_EQ(ListsOfAllNamespaces(second, acquired), 3U);
  EXPECT_EQ(ListsOfAllNamespaces(second, {}), 3U);
}

TEST_P(Succession, AStandbyWithALaggingCacheCreatesNoExtraPod) {
  Replica& leader = StartReplicas(2);
  ASSERT_TRUE(Create({.replicas = 2}));
  for (const auto& replica : replicas_) {
    if (replica.get() != &leader) replica->network->SetLagging(true);
  }
  mark_ = observer_.Mark();
  Scale(8);
  ASSERT_TRUE(BecomesComplete(8));
  leader.manager.Kill();
  ASSERT_TRUE(Eventually("the standby leads", [&] { return Leader() != nullptr; }));
  Wait(Seconds(10));
  Leader()->network->SetLagging(false);
  Scale(10);
  ASSERT_TRUE(BecomesComplete(10));
  EXPECT_EQ(observer_.PodsSince(mark_), 10U) << audit_.ToString();
}

// A leader is disconnected at a random moment while much work is in progress. It is reconnected
// `back` after the last renewal of the stored lease. The values of `back` would reveal an error of
// a millisecond.
struct CutOff {
  std::string name;
  Duration back;
};
void PrintTo(const CutOff& cut_off, std::ostream* out) { *out << cut_off.name; }

class IsolatedLeader : public LeadershipTest,
                       public ::testing::WithParamInterface<std::tuple<int, CutOff>> {
 protected:
  static constexpr Milliseconds kSlowNetwork{40};
  static constexpr int kDeployments = 6;

  IsolatedLeader() : LeadershipTest(std::get<0>(GetParam())) {}

  Duration back() const { return std::get<1>(GetParam()).back; }
  void StartRollouts() {
    kubelet_.BehaveBy([this](const NamespacedName&) {
      return testing::PodBehaviour{.ready_after = AnyMoment(Seconds(3))};
    });
    for (int i = 0; i < kDeployments; ++i) {
      Apply({.replicas = 6, .name = "web-" + std::to_string(i)});
    }
    Wait(AnyMoment(Seconds(4)));
  }
  ::testing::AssertionResult AllBecomeComplete() {
    return Eventually(
        "all Deployments are complete",
        [this] {
          const json::Value deployments = Get("deployments");
          return std::ranges::all_of(
              deployments.Get("items").items(), [](const json::Value& deployment) {
                return deployment.Get("status", "availableReplicas").AsInteger() == 6;
              });
        },
        std::chrono::minutes(20));
  }
};

std::vector<CutOff> Comebacks() {
  constexpr Milliseconds kLease(15'000);
  constexpr Milliseconds kDeadline(10'000);
  return {{"BeforeTheRenewDeadline", kDeadline - Milliseconds(1)},
          {"AtTheRenewDeadline", kDeadline},
          {"SoonAfterTheRenewDeadline", kDeadline + Milliseconds(45)},
          {"BeforeTheEndOfTheLease", kLease - Milliseconds(1)},
          {"AtTheEndOfTheLease", kLease},
          {"WhenTheSuccessorBegins", kLease + Milliseconds(60)},
          {"LongAfter", kLease + Milliseconds(5000)}};
}
INSTANTIATE_TEST_SUITE_P(ComeBack, IsolatedLeader,
                         ::testing::Combine(::testing::Range(1, 4),
                                            ::testing::ValuesIn(Comebacks())),
                         [](const auto& test) {
                           return std::get<1>(test.param).name +
                                  std::to_string(std::get<0>(test.param));
                         });

TEST_P(IsolatedLeader, SendsNoWriteAfterItsRenewDeadline) {
  Replica& leader = StartReplicas(2, Options(), kSlowNetwork);
  StartRollouts();
  leader.network->SetDown(true);
  Wait(audit_.RenewedAt() + back() - Now());
  leader.network->SetDown(false);
  ASSERT_TRUE(AllBecomeComplete());
  size_t writes = 0;
  for (const AuditedRequest& request : audit_.requests()) {
    if (!request.IsWork() || !request.lease_age) continue;
    ++writes;
    EXPECT_LT(*request.lease_age, kRenewDeadline + kSlowNetwork) << request.ToString();
  }
  EXPECT_GT(writes, 7U * kDeployments);
  EXPECT_EQ(Get("pods").Get("items").items().size(), 6U * kDeployments);
}

}  // namespace
}  // namespace capstan::scenarios
