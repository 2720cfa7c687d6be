// Properties of one plan for arbitrary objects that the API may contain.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cluster_model.h"
#include "deployment/history_plan.h"
#include "plugins/property.h"

namespace capstan::deployment {
namespace {

using property::Check;
using property::Choices;

constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
constexpr int32_t kMin = std::numeric_limits<int32_t>::min();

int32_t AnyNumber(Choices& choices) {
  if (!choices.Chance(15)) return static_cast<int32_t>(choices.Upto(9));
  return choices.Pick({kMax, kMax - 1, kMin, -1});
}

const char* AnyAnnotation(Choices& choices) {
  return choices.Pick({"1", "2", "3", "0", "9", "", "-1", "x", "+2", "2147483647", "2147483648",
                       "9223372036854775807", "99999999999999999999", "1,2", " 1"});
}

api::IntOrString AnyLimit(Choices& choices) {
  return choices.Pick<api::IntOrString>({1, "25%", 0, 2, "100%", "0%", kMax, -1, "2147483647%",
                                         "lots", "", "%", "99999999999999999999%"});
}

ReplicaSet AnySet(Choices& choices, uint64_t index) {
  ReplicaSet set = SetOf("rs" + std::to_string(index), "v" + std::to_string(choices.Upto(3)), 0, 0,
                         choices.Between(0, 3));
  set.spec.replicas = AnyNumber(choices);
  set.status.replicas = AnyNumber(choices);
  set.status.readyReplicas = AnyNumber(choices);
  set.status.availableReplicas = AnyNumber(choices);
  set.status.observedGeneration = choices.Between(0, 2);
  if (choices.Chance(20)) set.spec.replicas.reset();
  if (choices.Chance(20)) set.status.terminatingReplicas.reset();
  if (choices.Chance(10)) set.metadata.deletionTimestamp = TimeAt(0);
  for (std::string_view key : {kRevisionAnnotation, kRevisionHistoryAnnotation,
                               kDesiredReplicasAnnotation, kMaxReplicasAnnotation}) {
    if (choices.Chance(60)) set.metadata.annotations.Set(key, AnyAnnotation(choices));
  }
  return set;
}

Deployment AnyDeployment(Choices& choices) {
  Deployment deployment = DeploymentOf(AnyNumber(choices), "v0");
  deployment.spec.strategy.type = choices.Pick({"RollingUpdate", "Recreate"});
  if (choices.Chance(90)) {
    const api::IntOrString surge = AnyLimit(choices);
    SetLimits(deployment, surge, AnyLimit(choices));
  } else {
    deployment.spec.strategy.rollingUpdate.reset();
  }
  deployment.spec.paused = choices.Chance(20);
  deployment.spec.revisionHistoryLimit = AnyNumber(choices);
  deployment.spec.progressDeadlineSeconds = AnyNumber(choices);
  if (choices.Chance(10)) deployment.spec.replicas.reset();
  if (choices.Chance(10)) deployment.metadata.deletionTimestamp = TimeAt(0);
  if (choices.Chance(20)) {
    deployment.metadata.annotations.Set(kRollbackToAnnotation, AnyAnnotation(choices));
  }
  if (choices.Chance(50)) {
    deployment.metadata.annotations.Set(kRevisionAnnotation, AnyAnnotation(choices));
  }
  deployment.status.replicas = AnyNumber(choices);
  deployment.status.updatedReplicas = AnyNumber(choices);
  deployment.status.collisionCount = AnyNumber(choices);
  return deployment;
}

std::string Text(const Deployment& deployment, const std::vector<ReplicaSet>& sets) {
  std::string text = "\n  " + ToJson(deployment);
  for (const ReplicaSet& set : sets) text += "\n  " + ToJson(set);
  return text;
}

struct Case {
  explicit Case(Choices& choices) : deployment(AnyDeployment(choices)) {
    for (uint64_t i = choices.Upto(5); i > 0; --i) sets.push_back(AnySet(choices, i));
  }
  std::string Complain(const std::string& what) const { return what + Text(deployment, sets); }
  Deployment deployment;
  std::vector<ReplicaSet> sets;
};

TEST(PlanProperties, PlansAreValidForEveryValidObject) {
  Check(30'000, [](Choices& choices) -> std::string {
    const Case any(choices);
    const Result<Plan> plan = PlanOf(any.deployment, any.sets);
    if (!plan) return plan.status().IsTerminal() ? "" : any.Complain("an error asks for a retry");
    if (plan->requeue_after && *plan->requeue_after <= Duration::zero()) {
      return any.Complain("it requeues without delay");
    }
    if (plan->creation && plan->creation->set.spec.replicas.value_or(-1) < 0) {
      return any.Complain("it creates a ReplicaSet of a negative size");
    }
    std::set<std::string> written;
    for (const ReplicaSetUpdate& update : plan->updates) {
      const std::string& name = update.after.metadata.name;
      if (Equal(*update.before, update.after)) return any.Complain("it writes an unchanged object");
      if (!written.insert(name).second) return any.Complain("it writes twice: " + name);
      const bool scales = update.after.spec.replicas != update.before->spec.replicas;
      if (scales && update.after.spec.replicas.value_or(-1) < 0) {
        return any.Complain("it wants a negative size: " + name);
      }
      if (!Equal(update.before->status, update.after.status)) {
        return any.Complain("it writes a ReplicaSet's status: " + name);
      }
    }
    for (const ReplicaSetPtr& set : plan->deletions) {
      if (written.contains(set->metadata.name)) {
        return any.Complain("it deletes what it writes: " + set->metadata.name);
      }
    }
    return "";
  });
}

TEST(PlanProperties, ADeploymentBeingDeletedGetsStatusWritesOnly) {
  Check(5'000, [](Choices& choices) -> std::string {
    Case any(choices);
    any.deployment.metadata.deletionTimestamp = TimeAt(0);
    const Result<Plan> plan = PlanOf(any.deployment, any.sets);
    if (!plan) return any.Complain("no plan");
    if (plan->creation || plan->rollback || !plan->deletions.empty()) {
      return any.Complain("it still acts");
    }
    for (const ReplicaSetUpdate& update : plan->updates) {
      if (update.after.spec.replicas != update.before->spec.replicas) {
        return any.Complain("it still scales");
      }
    }
    return "";
  });
}

TEST(PlanProperties, PlansDoNotDependOnTheOrderOfReplicaSets) {
  Check(10'000, [](Choices& choices) -> std::string {
    Case any(choices);
    const auto text = [&] {
      const Result<Plan> plan = PlanOf(any.deployment, any.sets);
      if (!plan) return plan.status().ToString();
      std::string all = ToJson(plan->after);
      if (plan->creation) all += ToJson(plan->creation->set);
      for (const ReplicaSetUpdate& update : plan->updates) all += ToJson(update.after);
      for (const ReplicaSetPtr& set : plan->deletions) all += set->metadata.name;
      return all;
    };
    const std::string before = text();
    for (size_t i = any.sets.size(); i > 1; --i) {
      std::swap(any.sets[i - 1], any.sets[choices.Upto(i - 1)]);
    }
    return text() == before ? "" : any.Complain("another order makes another plan");
  });
}

// While only the controller itself makes changes, it soon has nothing left to write.
TEST(PlanProperties, RepeatedSyncsReachAFixedPoint) {
  Check(10'000, [](Choices& choices) -> std::string {
    const Case any(choices);
    if (!PlanOf(any.deployment, any.sets)) return "";
    ClusterModel model(any.deployment);
    model.sets() = any.sets;
    // One pod at a time, when one ReplicaSet can grow only after another has shrunk. With many pods
    // that takes more steps than a test runs.
    const bool is_small = any.deployment.spec.replicas.value_or(1) <= 100 &&
                          std::all_of(any.sets.begin(), any.sets.end(),
                                      [](const auto& set) { return ReplicasOf(set) <= 100; });
    std::string steps;
    for (int step = 0; step < 200; ++step) {
      if (!model.Sync(At(0))) return "";
      steps += "\n  " + model.ToString();
    }
    return is_small ? any.Complain("it keeps writing:" + steps) : "";
  });
}

TEST(PlanProperties, HistoryCleanUpDeletesTheOldestUnusedReplicaSets) {
  Check(20'000, [](Choices& choices) -> std::string {
    const Case any(choices);
    std::vector<const ReplicaSet*> old;
    for (const ReplicaSet& set : any.sets) old.push_back(&set);
    const std::vector<size_t> gone = PlanHistory(any.deployment, old);
    if (!HasRevisionHistoryLimit(any.deployment) && !gone.empty()) return any.Complain("no limit");
    size_t alive = 0;
    for (const ReplicaSet* set : old) alive += set->metadata.deletionTimestamp ? 0 : 1;
    const auto limit =
        static_cast<size_t>(std::max(0, any.deployment.spec.revisionHistoryLimit.value_or(kMax)));
    if (!gone.empty() && alive - gone.size() < limit) return any.Complain("too many go");
    const std::set<size_t> chosen(gone.begin(), gone.end());
    if (chosen.size() != gone.size()) return any.Complain("one goes twice");
    for (size_t i : gone) {
      const ReplicaSet& set = *old[i];
      if (set.metadata.deletionTimestamp || ReplicasOf(set) != 0 || set.status.replicas != 0 ||
          set.metadata.generation > set.status.observedGeneration) {
        return any.Complain("it is still needed: " + set.metadata.name);
      }
    }
    return "";
  });
}

}  // namespace
}  // namespace capstan::deployment
