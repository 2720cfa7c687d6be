#pragma once

// A Deployment and its ReplicaSets, to which plans are applied at once. Records the first rule that
// a plan breaks.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <capstan/api/object.h>

#include "builders.h"
#include "deployment/fenceposts.h"
#include "deployment/revision_plan.h"

namespace capstan::deployment {

class ClusterModel {
 public:
  explicit ClusterModel(Deployment deployment) : deployment_(std::move(deployment)) {}

  Deployment& deployment() { return deployment_; }
  std::vector<ReplicaSet>& sets() { return sets_; }
  // Another client has scaled a ReplicaSet, so its annotations contradict the others. Proportional
  // scaling uses the annotations, like the reference, so the sum may exceed the surge for a while.
  void NoteTampering() { tampered_ = true; }
  // The first rule that a plan broke, or "".
  const std::string& complaint() const { return complaint_; }

  int64_t Wanted() const {
    int64_t sum = 0;
    for (const ReplicaSet& set : sets_) sum += ReplicasOf(set);
    return sum;
  }

  // Makes a plan and applies it. Returns whether anything was written.
  bool Sync(WallTime now) {
    Snapshot snapshot{.deployment = deployment_, .sets = {}, .now = now};
    for (const ReplicaSet& set : sets_) {
      snapshot.sets.push_back({.set = Share(set), .has_unfinished_pods = set.status.replicas > 0});
    }
    const Result<Plan> plan = MakePlan(snapshot);
    if (!plan) {
      Complain("no plan: " + plan.status().ToString());
      return false;
    }
    if (plan->requeue_after && *plan->requeue_after <= Duration::zero()) {
      Complain("it requeues without delay");
    }
    const bool creates = Create(*plan, now);
    const bool updates = Update(*plan);
    const bool deletes = Delete(*plan);
    const bool writes = Write(*plan);
    return creates || updates || deletes || writes;
  }

  std::string ToString() const {
    std::string text =
        std::to_string(ReplicasOf(deployment_)) + " of " + ImageOf(deployment_.spec.template_) +
        (deployment_.spec.paused ? " paused " : " ") + deployment_.spec.strategy.type.str() + ":";
    for (const ReplicaSet& set : sets_) {
      text += " " + ImageOf(set.spec.template_) + "=" +
              std::to_string(set.status.availableReplicas) + "/" +
              std::to_string(set.status.replicas) + "/" + std::to_string(ReplicasOf(set)) + " r" +
              std::string(set.metadata.annotations.Get(kRevisionAnnotation)) + " max" +
              std::string(set.metadata.annotations.Get(kMaxReplicasAnnotation));
    }
    return text;
  }

  static std::string ImageOf(const RawJson& pod_template) {
    return pod_template.StringAt("/spec/containers/0/image").value_or("?");
  }

 private:
  void Complain(const std::string& text) {
    if (complaint_.empty()) complaint_ = text + "\n  " + ToString();
  }

  bool Create(const Plan& plan, WallTime now) {
    if (!plan.creation) return false;
    ReplicaSet set = plan.creation->set;
    if (Find(set.metadata.name) != sets_.end()) Complain("it creates a ReplicaSet that exists");
    set.metadata.uid = Uid("uid-" + std::to_string(++created_));
    set.metadata.creationTimestamp = Time(now);
    set.metadata.generation = 1;
    const int64_t before = Wanted();
    sets_.push_back(std::move(set));
    // A rollback first creates the ReplicaSet of the current template, whatever else runs, like the
    // reference. A Deployment with the Recreate strategy creates it at full size.
    if (!plan.rollback) CheckSum(before);
    return true;
  }

  // Applies each write separately, since a controller may die after any of them.
  bool Update(const Plan& plan) {
    for (const ReplicaSetUpdate& update : plan.updates) {
      const auto found = Find(update.before->metadata.name);
      if (Equal(*found, update.after)) Complain("it writes an unchanged object");
      const int64_t before = Wanted();
      const bool scales = ReplicasOf(*found) != ReplicasOf(update.after) ||
                          found->spec.minReadySeconds != update.after.spec.minReadySeconds;
      const auto status = found->status;
      *found = update.after;
      found->status = status;
      if (scales) ++found->metadata.generation;
      if (found->spec.replicas.value_or(1) < 0) Complain("it wants a negative number of pods");
      CheckSum(before);
    }
    return !plan.updates.empty();
  }

  bool Delete(const Plan& plan) {
    for (const ReplicaSetPtr& set : plan.deletions) {
      const auto found = Find(set->metadata.name);
      if (ReplicasOf(*found) != 0 || found->status.replicas != 0) {
        Complain("it deletes a ReplicaSet that has pods");
      }
      if (found->metadata.deletionTimestamp) Complain("it deletes a terminating object");
      if (SameTemplate(found->spec.template_, deployment_.spec.template_) &&
          std::none_of(sets_.begin(), sets_.end(), [&](const ReplicaSet& other) {
            return &other != &*found &&
                   SameTemplate(other.spec.template_, deployment_.spec.template_);
          })) {
        Complain("it deletes the new ReplicaSet");
      }
      sets_.erase(found);
    }
    return !plan.deletions.empty();
  }

  bool Write(const Plan& plan) {
    bool writes = !Equal(deployment_, plan.after);
    deployment_ = plan.after;
    if (!plan.rollback) return writes;
    deployment_.metadata.annotations = plan.rollback->after.metadata.annotations;
    if (deployment_.metadata.annotations.Contains(kRollbackToAnnotation)) {
      Complain("it would roll back again");
    }
    if (plan.rollback->replaces_template) {
      deployment_.spec.template_ = plan.rollback->after.spec.template_;
      ++deployment_.metadata.generation;
    }
    return true;
  }

  void CheckSum(int64_t before) {
    const int64_t most = ReplicasOf(deployment_) + FencepostsOrNone(deployment_).max_surge;
    if (Wanted() > before && Wanted() > most && !tampered_) {
      Complain("it raises the sum from " + std::to_string(before) + " above " +
               std::to_string(most));
    }
  }

  std::vector<ReplicaSet>::iterator Find(const std::string& name) {
    return std::find_if(sets_.begin(), sets_.end(),
                        [&](const ReplicaSet& set) { return set.metadata.name == name; });
  }

  Deployment deployment_;
  std::vector<ReplicaSet> sets_;
  int64_t created_ = 0;
  bool tampered_ = false;
  std::string complaint_;
};

}  // namespace capstan::deployment
