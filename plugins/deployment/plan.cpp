#include "plan.h"

#include <algorithm>
#include <utility>

#include <capstan/api/object.h>

#include "fenceposts.h"
#include "history_plan.h"
#include "progress.h"
#include "revision_plan.h"
#include "rollback_plan.h"
#include "rolling_plan.h"
#include "scale_plan.h"
#include "status_plan.h"

namespace capstan::deployment {
namespace {

// A ReplicaSet during a sync.
struct WorkingSet {
  ReplicaSetPtr before = nullptr;  // null: it must be created
  ReplicaSet current = {};         // with the new annotations and minReadySeconds, but the old size
  bool must_write = false;
  std::vector<int64_t> sizes = {};  // its successive new sizes; empty: the size does not change
  bool has_unfinished_pods = false;

  void Scale(int64_t size) {
    if (size != (sizes.empty() ? ReplicasOf(current) : sizes.back())) sizes.push_back(size);
  }
};

PlannedEvent ScalingEvent(const std::string& set, int64_t from, int64_t to) {
  return {.reason = std::string(kScalingReplicaSet),
          .message = std::string(from < to ? "Scaled up" : "Scaled down") + " replica set " + set +
                     " from " + std::to_string(from) + " to " + std::to_string(to)};
}

class Planner {
 public:
  explicit Planner(const Snapshot& snapshot)
      : snapshot_(snapshot), now_(snapshot.now), plan_(snapshot.deployment) {}

  Result<Plan> Run() {
    Sort();
    Status status = Decide();
    if (!status.ok()) return status;
    for (WorkingSet& set : old_) Finish(set);
    if (new_) Finish(*new_);
    // Updates are written one after the other. Scale-downs are first, so that the sum of the sizes
    // never overshoots.
    std::stable_partition(plan_.updates.begin(), plan_.updates.end(), [](const auto& update) {
      return ReplicasOf(update.after) < ReplicasOf(*update.before);
    });
    return std::move(plan_);
  }

 private:
  Deployment& deployment() { return plan_.after; }

  std::vector<const ReplicaSet*> OldSets() const {
    std::vector<const ReplicaSet*> sets;
    sets.reserve(old_.size() + 1);
    for (const WorkingSet& set : old_) sets.push_back(&set.current);
    return sets;
  }
  std::vector<const ReplicaSet*> AllSets() const {
    std::vector<const ReplicaSet*> sets = OldSets();
    if (new_) sets.push_back(&new_->current);
    return sets;
  }
  const ReplicaSet* NewSet() const { return new_ ? &new_->current : nullptr; }
  WorkingSet& WorkingOf(const ReplicaSet* set) {
    if (new_ && set == &new_->current) return *new_;
    return *std::find_if(old_.begin(), old_.end(),
                         [&](const WorkingSet& working) { return &working.current == set; });
  }

  void Sort();
  Status Decide();
  void UpdateNewSet();
  Status CreateNewSet();
  Status RollBack(int64_t revision);
  Status Roll();
  Status Recreate();
  bool ScaleAll();
  void CleanUpHistory();
  void CleanUpWhenComplete() {
    if (IsComplete(deployment(), deployment().status)) CleanUpHistory();
  }
  bool OldPodsRun() const;
  void SetStatus() { deployment().status = CalculateStatus(Input()); }
  void SetRolloutStatus() {
    deployment().status = CalculateRolloutStatus(Input());
    plan_.requeue_after = NextProgressCheck(deployment(), deployment().status, snapshot_.now);
  }
  StatusInput Input() { return {deployment(), OldSets(), NewSet(), snapshot_.now}; }
  void Finish(WorkingSet& set);

  const Snapshot& snapshot_;
  const Time now_;
  Plan plan_;
  std::vector<WorkingSet> old_;  // oldest first
  std::optional<WorkingSet> new_;
};

void Planner::Sort() {
  std::vector<OwnedSet> sets = snapshot_.sets;
  std::sort(sets.begin(), sets.end(),
            [](const OwnedSet& a, const OwnedSet& b) { return CreatedBefore(*a.set, *b.set); });
  std::vector<ReplicaSetPtr> ordered;
  ordered.reserve(sets.size());
  for (const OwnedSet& owned : sets) ordered.push_back(owned.set);
  const std::optional<size_t> newest = FindNewReplicaSet(snapshot_.deployment, ordered);
  for (size_t i = 0; i < sets.size(); ++i) {
    WorkingSet working{.before = sets[i].set,
                       .current = *sets[i].set,
                       .has_unfinished_pods = sets[i].has_unfinished_pods};
    if (newest == i) {
      new_ = std::move(working);
    } else {
      old_.push_back(std::move(working));
    }
  }
}

Status Planner::Decide() {
  if (deployment().metadata.deletionTimestamp) {
    UpdateNewSet();
    SetStatus();
    return Status::Ok();
  }
  NotePause(deployment(), now_);
  const std::optional<int64_t> rollback = RollbackRequest(deployment());
  if (!deployment().spec.paused && rollback) return RollBack(*rollback);

  UpdateNewSet();
  const bool paused = deployment().spec.paused;
  if (paused || IsScalingEvent(deployment(), AllSets())) {
    const bool scaled = ScaleAll();
    if (paused && !rollback) CleanUpHistory();
    SetStatus();
    // If there is nothing left to write (a Recreate Deployment with two active ReplicaSets, or a
    // ReplicaSet that another client gave the right size), kube-controller-manager never continues.
    // Here the rollout continues.
    const bool writes =
        scaled || (new_ && new_->must_write) || !Equal(deployment(), snapshot_.deployment);
    if (paused || writes) return Status::Ok();
  }
  if (IsRollingUpdate(deployment())) return Roll();
  if (deployment().spec.strategy.type == "Recreate") return Recreate();
  return Status::Terminal("spec.strategy.type: unexpected deployment strategy type: " +
                          deployment().spec.strategy.type.str());
}

// The Deployment's revision follows the observed revision of the new ReplicaSet. It is not updated
// while the new ReplicaSet itself must be written.
void Planner::UpdateNewSet() {
  if (!new_) return;
  ReplicaSet& set = new_->current;
  const int64_t max_old = MaxRevision(OldSets());
  const int64_t revision = max_old + (max_old < std::numeric_limits<int64_t>::max() ? 1 : 0);
  new_->must_write = UpdateNewReplicaSetAnnotations(deployment().metadata.annotations, revision,
                                                    set.metadata.annotations);
  if (set.spec.minReadySeconds != deployment().spec.minReadySeconds) {
    set.spec.minReadySeconds = deployment().spec.minReadySeconds;
    new_->must_write = true;
  }
  if (new_->must_write) return;
  const std::string_view seen = set.metadata.annotations.Get(kRevisionAnnotation);
  if (deployment().metadata.annotations.Get(kRevisionAnnotation) != seen) {
    deployment().metadata.annotations.Set(kRevisionAnnotation, seen);
  }
  NoteNewReplicaSetFound(deployment(), set.metadata.name, now_);
}

Status Planner::CreateNewSet() {
  const int64_t desired = ReplicasOf(deployment());
  int64_t replicas = desired;
  if (IsRollingUpdate(deployment())) {
    Result<Fenceposts> limits = ResolveFenceposts(deployment());
    if (!limits) return limits.status();
    int64_t total = 0;
    for (const ReplicaSet* set : OldSets()) total += ReplicasOf(*set);
    replicas = NewReplicaSetSize(desired, limits->max_surge, total, 0);
  }
  const int64_t max_old = MaxRevision(OldSets());
  const int64_t revision = max_old + (max_old < std::numeric_limits<int64_t>::max() ? 1 : 0);

  WorkingSet created{.before = nullptr,
                     .current = MakeReplicaSet(deployment(), revision, replicas)};
  const std::string& name = created.current.metadata.name;
  plan_.creation.emplace(
      ReplicaSetCreation{.set = created.current, .event = {}, .deployment = deployment()});
  if (replicas > 0) plan_.creation->event = ScalingEvent(name, 0, replicas);
  deployment().metadata.annotations.Set(kRevisionAnnotation, std::to_string(revision));
  NoteNewReplicaSetCreated(deployment(), name, now_);
  new_ = std::move(created);
  return Status::Ok();
}

Status Planner::RollBack(int64_t revision) {
  if (new_) {
    UpdateNewSet();
  } else if (Status status = CreateNewSet(); !status.ok()) {
    return status;
  }
  RollbackPlan rollback = PlanRollback(deployment(), revision, AllSets());
  plan_.rollback = Rollback{.after = std::move(rollback.after),
                            .replaces_template = rollback.replaces_template,
                            .event = {.warning = !rollback.replaces_template,
                                      .reason = std::move(rollback.reason),
                                      .message = std::move(rollback.message)}};
  return Status::Ok();
}

Status Planner::Roll() {
  Result<Fenceposts> limits = ResolveFenceposts(deployment());
  if (!limits) return limits.status();
  if (!new_) {
    if (Status status = CreateNewSet(); !status.ok()) return status;
  }

  RollingInput input{.desired = ReplicasOf(deployment()),
                     .limits = *limits,
                     .fresh = {ReplicasOf(new_->current), new_->current.status.availableReplicas},
                     .old = {}};
  for (const WorkingSet& set : old_) {
    input.old.push_back({ReplicasOf(set.current), set.current.status.availableReplicas});
  }
  const RollingPlan rolling = PlanRolling(input);
  bool scaled = rolling.fresh != input.fresh.replicas;
  if (scaled) new_->Scale(rolling.fresh);
  for (size_t i = 0; i < old_.size(); ++i) {
    old_[i].Scale(rolling.without_unhealthy[i]);
    old_[i].Scale(rolling.old[i]);
    scaled = scaled || !old_[i].sizes.empty();
  }
  plan_.updates_may_wait = scaled && !new_->must_write && new_->sizes.empty() &&
                           input.fresh.available < input.fresh.replicas;
  if (!scaled) CleanUpWhenComplete();
  SetRolloutStatus();
  return Status::Ok();
}

Status Planner::Recreate() {
  bool scaled = false;
  for (WorkingSet& set : old_) {
    set.Scale(0);
    scaled = scaled || !set.sizes.empty();
  }
  if (!scaled && !OldPodsRun()) {
    if (!new_) {
      if (Status status = CreateNewSet(); !status.ok()) return status;
    } else {
      new_->Scale(ReplicasOf(deployment()));
    }
    CleanUpWhenComplete();
  }
  SetRolloutStatus();
  return Status::Ok();
}

bool Planner::OldPodsRun() const {
  return std::any_of(old_.begin(), old_.end(), [](const WorkingSet& set) {
    return set.has_unfinished_pods || set.current.status.replicas > 0;
  });
}

// Returns whether there is anything to write.
bool Planner::ScaleAll() {
  bool scaled = false;
  for (const Scale& scale : PlanScale(deployment(), OldSets(), NewSet())) {
    WorkingSet& set = WorkingOf(scale.set);
    set.Scale(scale.replicas);
    StringMap annotations = set.current.metadata.annotations;
    if (scale.even_if_same && SetReplicasAnnotations(deployment(), annotations)) {
      set.must_write = true;
      set.current.metadata.annotations = std::move(annotations);
      scaled = true;
    }
    scaled = scaled || !set.sizes.empty();
  }
  return scaled;
}

void Planner::CleanUpHistory() {
  for (size_t index : PlanHistory(deployment(), OldSets())) {
    // A ReplicaSet that this sync scales up is kept. kube-controller-manager deletes it, with its
    // future pods.
    if (old_[index].sizes.empty()) plan_.deletions.push_back(old_[index].before);
  }
}

void Planner::Finish(WorkingSet& set) {
  if (!set.before || (!set.must_write && set.sizes.empty())) return;
  ReplicaSetUpdate update{.before = set.before, .after = std::move(set.current), .events = {}};
  int64_t from = ReplicasOf(update.after);
  for (int64_t size : set.sizes) {
    update.events.push_back(ScalingEvent(update.after.metadata.name, from, size));
    from = size;
  }
  if (!set.sizes.empty()) {
    update.after.spec.replicas = SaturatedInt32(from);
    SetReplicasAnnotations(deployment(), update.after.metadata.annotations);
  }
  plan_.updates.push_back(std::move(update));
}

}  // namespace

Result<Plan> MakePlan(const Snapshot& snapshot) { return Planner(snapshot).Run(); }

bool SelectsEverything(const Deployment& deployment) {
  const api::LabelSelector& selector = deployment.spec.selector;
  return selector.matchLabels.empty() && selector.matchExpressions.empty();
}

Plan PlanForSelectingEverything(const Deployment& deployment) {
  Plan plan(deployment);
  plan.warnings.push_back(
      {.warning = true,
       .reason = "SelectingAll",
       .message = "This deployment is selecting all pods. A non-empty selector is required."});
  if (deployment.status.observedGeneration < deployment.metadata.generation) {
    plan.after.status.observedGeneration = deployment.metadata.generation;
  }
  return plan;
}

}  // namespace capstan::deployment
