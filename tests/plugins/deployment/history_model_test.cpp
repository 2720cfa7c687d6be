// Random histories of a Deployment: users change it, pods come and go, syncs happen in between.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include <capstan/api/object.h>

#include "builders.h"
#include "deployment/fenceposts.h"

namespace capstan::deployment {
namespace {

// The ReplicaSets and their pods, with every write taking effect at once.
class Model {
 public:
  explicit Model(uint64_t seed) : random_(seed), deployment_(DeploymentOf(4, "v1")) {
    SetLimits(deployment_, 1, 1);
    // For life: a Recreate Deployment with two active ReplicaSets, which only a change of strategy
    // leaves behind, is not scaled until one is gone, as in the reference.
    if (seed % 3 == 0) deployment_.spec.strategy.type = "Recreate";
  }

  void ChangeSpec() {
    switch (Upto(3)) {
      case 0:
        deployment_.spec.template_ = TemplateOf("v" + std::to_string(Upto(3)));
        break;
      case 1:
        deployment_.spec.replicas = static_cast<int32_t>(Upto(9));
        break;
      case 2:
        deployment_.spec.paused = !deployment_.spec.paused;
        break;
      default:
        SetLimits(deployment_, static_cast<int32_t>(Upto(3)), static_cast<int32_t>(Upto(2)));
    }
    ++deployment_.metadata.generation;
  }

  // One ReplicaSet's pods move a step towards what it wants.
  void StepPods() {
    if (sets_.empty()) return;
    ReplicaSet& set = sets_[Upto(sets_.size() - 1)];
    auto& status = set.status;
    status.observedGeneration = set.metadata.generation;
    status.terminatingReplicas = 0;
    const int32_t wanted = *set.spec.replicas;
    if (status.replicas != wanted) {
      status.replicas = wanted;
      status.availableReplicas = std::min(status.availableReplicas, wanted);
    } else if (status.availableReplicas < wanted) {
      ++status.availableReplicas;
    }
    status.readyReplicas = status.availableReplicas;
  }
  void LosePod() {
    if (sets_.empty()) return;
    auto& status = sets_[Upto(sets_.size() - 1)].status;
    status.availableReplicas = std::max(0, status.availableReplicas - 1);
    status.readyReplicas = status.availableReplicas;
  }

  // Returns whether something was written.
  bool Sync() {
    Snapshot snapshot{.deployment = deployment_, .sets = {}, .now = At(now_++)};
    for (const ReplicaSet& set : sets_) {
      snapshot.sets.push_back({.set = Share(set), .has_unfinished_pods = set.status.replicas > 0});
    }
    Result<Plan> plan = MakePlan(snapshot);
    if (!plan) {
      ADD_FAILURE() << plan.status().ToString();
      return false;
    }
    const int64_t before = Wanted();
    const bool written = Apply(*plan);
    if (Wanted() > before) {
      EXPECT_LE(Wanted(), ReplicasOf(deployment_) + FencepostsOrNone(deployment_).max_surge);
    }
    return written;
  }

  void Quiesce() {
    deployment_.spec.paused = false;
    for (int i = 0; i < 2'000; ++i) {
      const bool written = Sync();
      const std::string pods = PodsText();
      for (size_t k = 0; k < 20 * (sets_.size() + 1); ++k) StepPods();
      if (!written && pods == PodsText()) return;
    }
    ADD_FAILURE() << "does not converge";
  }

  void CheckConverged() {
    int64_t available = 0;
    for (const ReplicaSet& set : sets_) {
      const bool is_new = set.spec.template_.StringAt("/spec/containers/0/image") ==
                          deployment_.spec.template_.StringAt("/spec/containers/0/image");
      EXPECT_EQ(ReplicasOf(set), is_new ? ReplicasOf(deployment_) : 0);
      available += set.status.availableReplicas;
    }
    EXPECT_EQ(available, ReplicasOf(deployment_));
    EXPECT_EQ(deployment_.status.updatedReplicas, ReplicasOf(deployment_));
    EXPECT_EQ(deployment_.status.observedGeneration, deployment_.metadata.generation);
    EXPECT_LE(sets_.size(), 5U);
  }

  uint64_t Upto(uint64_t max) { return std::uniform_int_distribution<uint64_t>(0, max)(random_); }

 private:
  int64_t Wanted() const {
    int64_t sum = 0;
    for (const ReplicaSet& set : sets_) sum += ReplicasOf(set);
    return sum;
  }
  std::string PodsText() const {
    std::string text;
    for (const ReplicaSet& set : sets_) {
      text += std::to_string(set.status.replicas) + '/' +
              std::to_string(set.status.availableReplicas) + ' ';
    }
    return text;
  }

  bool Apply(const Plan& plan) {
    bool written = !Equal(deployment_, plan.after);
    deployment_ = plan.after;
    if (plan.creation) {
      written = true;
      ReplicaSet set = plan.creation->set;
      EXPECT_EQ(Find(set.metadata.name), sets_.end()) << "created twice";
      set.metadata.uid = Uid("uid-" + std::to_string(++created_));
      set.metadata.creationTimestamp = Time::FromSeconds(kStart + created_);
      set.metadata.generation = 1;
      sets_.push_back(std::move(set));
    }
    for (const ReplicaSetUpdate& update : plan.updates) {
      written = true;
      auto found = Find(update.before->metadata.name);
      const bool scaled = ReplicasOf(*found) != ReplicasOf(update.after);
      const auto status = found->status;
      *found = update.after;
      found->status = status;
      if (scaled) ++found->metadata.generation;
    }
    for (const ReplicaSetPtr& set : plan.deletions) {
      written = true;
      const auto found = Find(set->metadata.name);
      EXPECT_EQ(found->status.replicas, 0);
      sets_.erase(found);
    }
    return written;
  }

  std::vector<ReplicaSet>::iterator Find(const std::string& name) {
    return std::find_if(sets_.begin(), sets_.end(),
                        [&](const ReplicaSet& set) { return set.metadata.name == name; });
  }

  std::mt19937_64 random_;
  Deployment deployment_;
  std::vector<ReplicaSet> sets_;
  int64_t now_ = 0;
  int64_t created_ = 0;
};

TEST(DeploymentHistories, ConvergeOnceTheyBecomeQuiet) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Model model(seed);
    for (int step = 0; step < 80; ++step) {
      switch (model.Upto(9)) {
        case 0:
          model.ChangeSpec();
          break;
        case 1:
          model.LosePod();
          break;
        case 2:
        case 3:
        case 4:
          model.Sync();
          break;
        default:
          model.StepPods();
      }
    }
    model.Quiesce();
    model.CheckConverged();
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace capstan::deployment
