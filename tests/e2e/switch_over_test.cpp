// Switches from kube-controller-manager to Capstan and back during a rollout, on a kube-apiserver.
// Each continues where the other stopped, and no pod is created or deleted that either alone would
// not have.

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "api_server.h"
#include "scenarios/scenario_test.h"
#include "stock_manager.h"

namespace capstan::e2e {
namespace {

using scenarios::ScenarioTest;
using scenarios::View;
using scenarios::WorldKind;

constexpr char kHash[] = "pod-template-hash";
constexpr char kRevision[] = "deployment.kubernetes.io/revision";
constexpr char kRevisionHistory[] = "deployment.kubernetes.io/revision-history";

enum class Who : uint8_t { kStock, kCapstan };

// Which manager works first and last, and which one in between.
struct Order {
  const char* name;
  Who outer;
  Who inner;
};

class SwitchOver : public ScenarioTest, public ::testing::WithParamInterface<Order> {
 protected:
  SwitchOver() : ScenarioTest(WorldKind::kReal) {}

  void SetUp() override {
    if (!StockManager::IsThere()) GTEST_SKIP() << "there is no kube-controller-manager";
  }

  // Stops the working manager cleanly, then starts the other one.
  void SwitchTo(Who who) {
    Rest();
    if (who == Who::kCapstan) {
      StartManager({.leader_elect = false});
    } else {
      const std::string name =
          world_->namespace_name() + "-stock-" + std::to_string(managers_.size());
      managers_.push_back(
          std::make_unique<StockManager>(ApiServer::Shared(ServerKind::kReal), name));
    }
  }
  void Rest() {
    if (!managers_.empty() && managers_.back()->IsRunning()) {
      EXPECT_EQ(managers_.back()->Terminate(), 0) << managers_.back()->LogTail();
    }
  }

  // Waits until that many pods have existed since `mark`.
  ::testing::AssertionResult Progresses(size_t mark, size_t pods) {
    return Eventually(std::to_string(pods) + " pods have been there",
                      [&] { return observer_.PodsSince(mark) >= pods; });
  }

  // Checks that no pod of this template was deleted since `mark`.
  ::testing::AssertionResult KeepsPodsOf(const std::string& hash, size_t mark) {
    return observer_.Always("no pod of " + hash + " is deleted", mark, [&](const View& view) {
      for (const auto& pod : view.pods) {
        if (pod->metadata.labels.Get(kHash) == hash && !scenarios::IsActive(*pod)) return false;
      }
      return true;
    });
  }
  // Checks that exactly these ReplicaSets, by UID, existed since `mark`.
  ::testing::AssertionResult HasAlways(const std::set<Uid>& sets, size_t mark) {
    return observer_.Always("there are the same ReplicaSets", mark, [&](const View& view) {
      std::set<Uid> uids;
      for (const auto& set : view.replica_sets) uids.insert(set->metadata.uid);
      return uids == sets;
    });
  }
  std::set<Uid> ReplicaSets() {
    std::set<Uid> uids;
    for (const auto& set : observer_.Now().replica_sets) uids.insert(set->metadata.uid);
    return uids;
  }
  // The hash of the ReplicaSet with this revision.
  std::string HashOf(std::string_view revision) {
    for (const auto& set : observer_.Now().replica_sets) {
      if (set->metadata.annotations.Get(kRevision) == revision) {
        return std::string(set->metadata.labels.Get(kHash));
      }
    }
    return "";
  }
  std::string ReplicaSetOf(std::string_view revision) {
    return "replicasets/web-" + HashOf(revision);
  }
  std::string Annotation(const std::string& path, const char* key) {
    return Get(path).Get("metadata", "annotations", key).AsString();
  }
};

INSTANTIATE_TEST_SUITE_P(Stock, SwitchOver,
                         ::testing::Values(Order{"First", Who::kStock, Who::kCapstan},
                                           Order{"InBetween", Who::kCapstan, Who::kStock}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(SwitchOver, CompletesAnInterruptedRollout) {
  const Order order = GetParam();
  SwitchTo(order.outer);
  ASSERT_TRUE(Create({.replicas = 8}));
  kubelet_.Behave({.ready_after = scenarios::Milliseconds(400)});
  const size_t mark = observer_.Mark();
  SetImage("example.com/web:2");
  ASSERT_TRUE(Progresses(mark, 10));
  ASSERT_TRUE(Eventually("the second ReplicaSet", [&] { return !HashOf("2").empty(); }));
  const std::set<Uid> sets = ReplicaSets();
  const std::string hash = HashOf("2");
  const size_t both = observer_.Mark();

  SwitchTo(order.inner);
  ASSERT_TRUE(Progresses(mark, 13));
  SwitchTo(order.outer);
  ASSERT_TRUE(BecomesComplete(8));

  EXPECT_TRUE(StaysWithin(mark, 10, 6));
  EXPECT_EQ(observer_.PodsSince(mark), 16U) << "8 old and 8 new";
  EXPECT_TRUE(KeepsPodsOf(hash, mark));
  EXPECT_TRUE(HasAlways(sets, both));
  EXPECT_EQ(HashOf("2"), hash);
  EXPECT_EQ(Annotation("deployments/web", kRevision), "2");
}

TEST_P(SwitchOver, CompletesAnInterruptedRollback) {
  const Order order = GetParam();
  SwitchTo(order.outer);
  ASSERT_TRUE(Create({.replicas = 8}));
  SetImage("example.com/web:2");
  ASSERT_TRUE(BecomesComplete(8));
  const std::set<Uid> sets = ReplicaSets();
  const std::string hash = HashOf("1");

  kubelet_.Behave({.ready_after = scenarios::Milliseconds(400)});
  const size_t mark = observer_.Mark();
  Annotate("deployments/web", "deprecated.deployment.rollback.to", "1");
  ASSERT_TRUE(Progresses(mark, 10));
  SwitchTo(order.inner);
  ASSERT_TRUE(Progresses(mark, 13));
  SwitchTo(order.outer);
  ASSERT_TRUE(BecomesComplete(8));

  EXPECT_TRUE(StaysWithin(mark, 10, 6));
  EXPECT_EQ(observer_.PodsSince(mark), 16U) << "8 old and 8 new";
  EXPECT_TRUE(KeepsPodsOf(hash, mark));
  EXPECT_TRUE(HasAlways(sets, mark));
  EXPECT_EQ(HashOf("3"), hash) << "the first one is used again";
  EXPECT_EQ(Annotation(ReplicaSetOf("3"), kRevisionHistory), "1");
  EXPECT_EQ(Annotation("deployments/web", kRevision), "3");
}

TEST_P(SwitchOver, CompletesAnInterruptedProportionalScale) {
  const Order order = GetParam();
  const auto reaches = [this](int old_replicas, int new_replicas) {
    return observer_.Eventually(
        std::to_string(old_replicas) + " old and " + std::to_string(new_replicas) + " new pods",
        [=](const View& view) {
          std::multiset<int64_t> sizes;
          for (const auto& set : view.replica_sets) sizes.insert(set->spec.replicas.value_or(1));
          return sizes == std::multiset<int64_t>{old_replicas, new_replicas} &&
                 view.AvailablePods() == old_replicas &&
                 view.ActivePods() == old_replicas + new_replicas &&
                 std::cmp_equal(view.pods.size(), old_replicas + new_replicas);
        });
  };
  // The state after a controller stopped between two writes to ReplicaSets.
  const auto scale_one = [this](const std::string& path, int replicas, int desired, int max) {
    const std::string annotation = R"("deployment.kubernetes.io/)";
    Patch(path, R"({"metadata":{"annotations":{)" + annotation + R"(desired-replicas":")" +
                    std::to_string(desired) + R"(",)" + annotation + R"(max-replicas":")" +
                    std::to_string(max) + R"("}},"spec":{"replicas":)" + std::to_string(replicas) +
                    "}}");
  };
  SwitchTo(order.outer);
  ASSERT_TRUE(Create(
      {.replicas = 10, .strategy = R"({"rollingUpdate":{"maxSurge":3,"maxUnavailable":2}})"}));
  SetBrokenImage("example.com/web:2");
  ASSERT_TRUE(reaches(8, 5));
  const size_t mark = observer_.Mark();
  const std::set<Uid> sets = ReplicaSets();
  const std::string old_set = ReplicaSetOf("1");
  const std::string new_set = ReplicaSetOf("2");

  Rest();
  Scale(15);
  scale_one(old_set, 11, 15, 18);
  SwitchTo(order.inner);
  ASSERT_TRUE(reaches(11, 7));
  Rest();
  Scale(20);
  scale_one(new_set, 9, 20, 23);
  SwitchTo(order.outer);
  ASSERT_TRUE(reaches(14, 9));

  EXPECT_EQ(observer_.PodsSince(mark), 23U) << "none of 13 has gone, 10 have come";
  EXPECT_TRUE(StaysWithin(mark, 23, 8));
  EXPECT_TRUE(HasAlways(sets, mark));
  EXPECT_EQ(Get(old_set).Get("spec", "replicas").AsInteger(), 14);
  EXPECT_EQ(Annotation("deployments/web", kRevision), "2");
}

TEST_P(SwitchOver, WritesNothingInASettledCluster) {
  const Order order = GetParam();
  // The versions of all objects except "zero", whose changes show that the manager has worked.
  const auto versions = [this] {
    std::set<std::string> all;
    for (const char* list : {"deployments", "replicasets", "pods"}) {
      const json::Value objects = Get(list);
      for (const json::Value& object : objects.Get("items").items()) {
        const std::string& name = object.Get("metadata", "name").AsString();
        if (name.starts_with("zero")) continue;
        all.insert(name + " " + object.Get("metadata", "resourceVersion").AsString());
      }
    }
    return all;
  };
  SwitchTo(order.outer);
  ASSERT_TRUE(Create({.replicas = 2}));
  SetImage("example.com/web:2");
  ASSERT_TRUE(BecomesComplete(2));
  Apply({.replicas = 0, .name = "zero"});
  const auto zero_is_seen = [this] {
    const json::Value zero = Get("deployments/zero");
    return zero.Get("status", "observedGeneration") == zero.Get("metadata", "generation");
  };
  ASSERT_TRUE(Eventually("the other Deployment is seen", zero_is_seen));
  Rest();

  const std::set<std::string> before = versions();
  for (const Who who : {order.inner, order.outer}) {
    SwitchTo(who);
    Patch("deployments/zero",
          R"({"spec":{"paused":)" + std::string(who == order.inner ? "true" : "false") + "}}");
    ASSERT_TRUE(Eventually("the other Deployment is seen", zero_is_seen));
    EXPECT_EQ(versions(), before);
  }
}

}  // namespace
}  // namespace capstan::e2e
