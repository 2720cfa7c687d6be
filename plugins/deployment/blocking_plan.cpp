#include "blocking_plan.h"

#include <algorithm>
#include <string>
#include <utility>

#include <capstan/api/meta_v1.h>
#include <capstan/controller/conditions.h>
#include <capstan/runtime/format.h>

#include "fenceposts.h"
#include "pod_causes.h"
#include "pod_trouble.h"
#include "progress.h"
#include "revision_plan.h"
#include "scale_plan.h"

namespace capstan::deployment {
namespace {

using State = Explanation::State;

constexpr std::string_view kMinReadySeconds = "MinReadySeconds";
constexpr std::string_view kNoManagerNote =
    "If this persists, no controller manager is running or its writes fail; see its log.";
// Without a progress deadline, a wait that should end without intervention counts as blocked after
// this time.
constexpr int64_t kDefaultDeadline = 600;

// The inputs of all facts.
struct Situation {
  const Deployment& deployment;
  const DetailedPods* pods;
  WallTime now;
  Plan plan;
  std::vector<const ReplicaSet*> old_sets;  // oldest first
  const ReplicaSet* new_set = nullptr;
  bool old_pods_run = false;

  const DeploymentStatus& status() const { return plan.after.status; }
  const Condition* Progress() const { return FindCondition(status().conditions, kProgressing); }
  bool HasTimedOut() const {
    return Progress() != nullptr && Progress()->reason == kProgressDeadlineExceeded;
  }
  int64_t OldReplicas() const {
    int64_t sum = 0;
    for (const ReplicaSet* set : old_sets) sum += ReplicasOf(*set);
    return sum;
  }
  // The new ReplicaSet is first, because it is the subject of the rollout.
  std::vector<const ReplicaSet*> Sets() const {
    std::vector<const ReplicaSet*> sets = old_sets;
    if (new_set) sets.insert(sets.begin(), new_set);
    return sets;
  }
};

Explanation Fact(State state, std::string_view reason, std::string message) {
  return {.state = state, .reason = std::string(reason), .message = Excerpt(message)};
}

State BlockedIf(bool blocked) { return blocked ? State::kBlocked : State::kWaiting; }

std::string Quoted(const ReplicaSet& set) { return "ReplicaSet \"" + set.metadata.name + "\""; }

bool IsOverdue(const Deployment& deployment, Time since, WallTime now) {
  if (since.IsZero() || since.seconds() < 0) return false;
  const int64_t deadline =
      HasProgressDeadline(deployment) ? *deployment.spec.progressDeadlineSeconds : kDefaultDeadline;
  return Time(now).seconds() - since.seconds() > deadline;
}

// The time of the last progress. ProgressDeadlineExceeded is recorded when the deadline passes, so
// the deadline is subtracted.
Time LastMoveOf(const Situation& at) {
  if (!at.Progress()) return {};
  const Time updated = at.Progress()->lastUpdateTime;
  if (!at.HasTimedOut() || updated.IsZero() || updated.seconds() < 0) return updated;
  return Time::FromSeconds(updated.seconds() -
                           at.deployment.spec.progressDeadlineSeconds.value_or(0));
}

// The time since which pods are missing, or the rollout makes no progress.
Time StalledSince(const Situation& at) {
  const Condition* available = FindCondition(at.status().conditions, kAvailable);
  if (available && available->status == "False") return available->lastTransitionTime;
  return LastMoveOf(at);
}

// Adds notes on the limits that stop a rolling update from replacing the missing pods.
void NoteLimits(const Situation& at, std::vector<std::string>& notes) {
  const Result<Fenceposts> limits = ResolveFenceposts(at.deployment);
  if (!IsRollingUpdate(at.deployment) || !limits || !at.new_set || at.OldReplicas() == 0) return;
  const int64_t desired = ReplicasOf(at.deployment);
  const int64_t available = at.status().availableReplicas;
  const int64_t min_available = desired - limits->max_unavailable;
  if (available <= min_available) {
    notes.push_back(
        Format("No available old pod may be deleted: {} pods are available and {} must be "
               "(maxUnavailable is {}).",
               available, min_available, limits->max_unavailable));
  }
  const int64_t total = at.OldReplicas() + ReplicasOf(*at.new_set);
  if (total >= desired + limits->max_surge) {
    notes.push_back(Format(
        "No new pod may be created: {} pods are requested and {} are allowed (maxSurge is {}).",
        total, desired + limits->max_surge, limits->max_surge));
  }
}

std::vector<std::string> NotesOn(const Situation& at) {
  const DeploymentStatus& status = at.status();
  std::vector<std::string> notes = {
      Format("Pods: {} wanted, {} updated, {} available, {} old.", ReplicasOf(at.deployment),
             status.updatedReplicas, status.availableReplicas,
             std::max<int64_t>(0, int64_t{status.replicas} - status.updatedReplicas))};
  NoteLimits(at, notes);
  if (at.HasTimedOut()) {
    notes.push_back(Format("The progress deadline of {} seconds has passed.",
                           at.deployment.spec.progressDeadlineSeconds));
  }
  return notes;
}

// The API reports the cause of a rejection only in the message.
std::string_view RefusalReason(const std::string& message, std::string_view otherwise) {
  return message.find("exceeded quota") != std::string::npos ? "QuotaExceeded" : otherwise;
}

// The facts. Each may be the one that blocks the rollout.

std::optional<Diagnosis> CreationRefused(const Situation& at) {
  const Condition* progress = FindCondition(at.deployment.status.conditions, kProgressing);
  if (!at.plan.creation || !progress || progress->reason != kReplicaSetCreateError) {
    return std::nullopt;
  }
  Explanation fact = Fact(State::kBlocked, RefusalReason(progress->message, kReplicaSetCreateError),
                          progress->message);
  fact.since = progress->lastTransitionTime;
  fact.notes = NotesOn(at);
  return Diagnosis{std::move(fact)};
}

std::optional<Diagnosis> Paused(const Situation& at) {
  if (!at.deployment.spec.paused) return std::nullopt;
  const bool rolled_out =
      at.new_set && at.OldReplicas() == 0 && ReplicasOf(*at.new_set) == ReplicasOf(at.deployment);
  if (rolled_out) return std::nullopt;
  Explanation fact =
      Fact(State::kBlocked, "Paused",
           Format("spec.paused is true and there are changes that are not rolled "
                  "out; \"kubectl rollout resume deployment/{}\" continues the rollout.",
                  at.deployment.metadata.name));
  fact.since = at.Progress() ? at.Progress()->lastUpdateTime : Time();
  fact.notes = NotesOn(at);
  return Diagnosis{std::move(fact)};
}

std::optional<Diagnosis> NotObserved(const Situation& at) {
  const int64_t seen = at.deployment.status.observedGeneration;
  if (seen >= at.deployment.metadata.generation) return std::nullopt;
  Explanation fact =
      Fact(State::kWaiting, "NotObserved",
           Format("No controller has observed generation {} yet; the last observed one is {}.",
                  at.deployment.metadata.generation, seen));
  if (seen == 0) fact.since = at.deployment.metadata.creationTimestamp;
  fact.state = BlockedIf(IsOverdue(at.deployment, fact.since, at.now));
  fact.notes.emplace_back(kNoManagerNote);
  return Diagnosis{std::move(fact)};
}

std::optional<Diagnosis> Complete(const Situation& at) {
  const Plan& plan = at.plan;
  if (plan.creation || plan.rollback || !plan.updates.empty()) return std::nullopt;
  if (!IsComplete(at.deployment, at.status())) return std::nullopt;
  const int64_t desired = ReplicasOf(at.deployment);
  Explanation fact = Fact(State::kSettled, "Complete",
                          desired == 0 ? "No pods are wanted, and none exist."
                                       : Format("All {} pods are updated and available.", desired));
  if (at.deployment.spec.paused) fact.notes.push_back("It is paused: changes are not rolled out.");
  return Diagnosis{std::move(fact)};
}

std::optional<Diagnosis> PodsRefused(const Situation& at) {
  for (const ReplicaSet* set : at.Sets()) {
    const ReplicaSetCondition* failure = FindCondition(set->status.conditions, kReplicaFailure);
    if (!failure || failure->status != "True") continue;
    Explanation fact =
        Fact(State::kBlocked, RefusalReason(failure->message, failure->reason.view()),
             Format("{} has {} pods and wants {}; creating or deleting pods fails: {}",
                    Quoted(*set), set->status.replicas, ReplicasOf(*set), failure->message));
    fact.since = failure->lastTransitionTime;
    fact.notes = NotesOn(at);
    return Diagnosis{std::move(fact)};
  }
  return std::nullopt;
}

std::string NextStep(const Plan& plan) {
  if (plan.creation) {
    return Format("create {} with {} replicas", Quoted(plan.creation->set),
                  ReplicasOf(plan.creation->set));
  }
  if (plan.rollback) return "roll back";
  const ReplicaSetUpdate& update = plan.updates.front();
  const int64_t from = ReplicasOf(*update.before);
  const int64_t to = ReplicasOf(update.after);
  if (from == to) return "update " + Quoted(update.after);
  return Format("scale {} from {} to {}", Quoted(update.after), from, to);
}

std::optional<Diagnosis> StepDue(const Situation& at) {
  if (!at.plan.creation && !at.plan.rollback && at.plan.updates.empty()) return std::nullopt;
  Explanation fact = Fact(BlockedIf(at.HasTimedOut()), "StepDue",
                          Format("The controller's next step is to {}.", NextStep(at.plan)));
  fact.since = LastMoveOf(at);
  fact.notes = NotesOn(at);
  fact.notes.emplace_back(kNoManagerNote);
  return Diagnosis{std::move(fact)};
}

// Replaces the general reason with the causes from the pods.
void Refine(const Situation& at, const ReplicaSet& set, Diagnosis& diagnosis) {
  diagnosis.pods_have_details = at.pods == nullptr;
  if (!at.pods) return;
  PodCauses causes = CausesOf(*at.pods, set, at.now);
  if (causes.details.empty()) return;
  Explanation& fact = diagnosis.explanation;
  fact.details = std::move(causes.details);
  const Explanation::Detail& first = fact.details.front();
  fact.reason = first.reason;
  if (!first.since.IsZero()) fact.since = first.since;
  const bool passes = first.reason == kMinReadySeconds;
  fact.state =
      BlockedIf(causes.needs_help ||
                (!passes && (at.HasTimedOut() || IsOverdue(at.deployment, first.since, at.now))));
}

// Recreate creates new pods only after the last old pod is gone.
std::optional<Diagnosis> OldPodsRun(const Situation& at) {
  if (at.deployment.spec.strategy.type != "Recreate" || !at.old_pods_run || at.OldReplicas() > 0) {
    return std::nullopt;
  }
  Explanation fact =
      Fact(State::kWaiting, "OldPodsTerminating",
           "With strategy Recreate, new pods are created when all old pods are gone.");
  fact.since = StalledSince(at);
  fact.state = BlockedIf(at.HasTimedOut());
  fact.notes = NotesOn(at);
  Diagnosis diagnosis{std::move(fact)};
  for (const ReplicaSet* set : at.old_sets) {
    if (diagnosis.explanation.details.empty()) Refine(at, *set, diagnosis);
  }
  if (!diagnosis.explanation.details.empty()) {
    diagnosis.explanation.reason = "OldPodsTerminating";
  }
  return diagnosis;
}

// The ReplicaSet controller has not yet applied the Deployment controller's changes.
std::optional<Diagnosis> ReplicaSetBehind(const Situation& at) {
  for (const ReplicaSet* set : at.Sets()) {
    const bool unseen = set->status.observedGeneration < set->metadata.generation;
    if (!unseen && set->status.replicas == ReplicasOf(*set)) continue;
    Explanation fact = Fact(State::kWaiting, "ReplicaSetBehind",
                            Format("{} wants {} pods and has {}.", Quoted(*set), ReplicasOf(*set),
                                   set->status.replicas));
    if (unseen) fact.message += " Its controller has not observed its latest generation yet.";
    fact.since = StalledSince(at);
    fact.state = BlockedIf(at.HasTimedOut());
    fact.notes = NotesOn(at);
    fact.notes.emplace_back(kNoManagerNote);
    Diagnosis diagnosis{std::move(fact)};
    if (set->status.replicas < ReplicasOf(*set)) Refine(at, *set, diagnosis);
    return diagnosis;
  }
  return std::nullopt;
}

std::optional<Diagnosis> PodsUnavailable(const Situation& at) {
  if (!at.new_set || at.new_set->status.availableReplicas >= ReplicasOf(*at.new_set)) {
    return std::nullopt;
  }
  const ReplicaSet& set = *at.new_set;
  const int64_t wanted = ReplicasOf(set);
  const bool only_young = set.status.readyReplicas >= wanted;
  Explanation fact = Fact(State::kWaiting, only_young ? kMinReadySeconds : "PodsNotReady",
                          Format("{} of {} pods of {} are not available",
                                 wanted - set.status.availableReplicas, wanted, Quoted(set)));
  fact.message +=
      only_young ? Format(": they are ready, but not yet for {} seconds.", set.spec.minReadySeconds)
                 : Format("; {} are ready.", set.status.readyReplicas);
  fact.since = StalledSince(at);
  fact.state =
      BlockedIf(!only_young && (at.HasTimedOut() || IsOverdue(at.deployment, fact.since, at.now)));
  fact.notes = NotesOn(at);
  Diagnosis diagnosis{std::move(fact)};
  Refine(at, set, diagnosis);
  return diagnosis;
}

Diagnosis Moving(const Situation& at) {
  Explanation fact = Fact(BlockedIf(at.HasTimedOut()),
                          at.HasTimedOut() ? kProgressDeadlineExceeded : "Progressing",
                          at.HasTimedOut() ? "It makes no progress." : "The rollout continues.");
  fact.since = LastMoveOf(at);
  fact.notes = NotesOn(at);
  return Diagnosis{std::move(fact)};
}

Diagnosis BeingDeleted(const Deployment& deployment) {
  Explanation fact = Fact(State::kWaiting, "BeingDeleted", "It is being deleted.");
  fact.since = deployment.metadata.deletionTimestamp;
  for (const auto& finalizer : deployment.metadata.finalizers) {
    if (finalizer == "foregroundDeletion") {
      fact.notes.push_back("Its ReplicaSets and their pods are deleted first.");
    } else if (finalizer == "orphan") {
      fact.notes.push_back("Its ReplicaSets are orphaned first.");
    } else {
      fact.state = State::kBlocked;
      fact.notes.push_back(Excerpt("The finalizer " + finalizer.str() + " blocks it."));
    }
  }
  return {std::move(fact)};
}

// Returns the diagnosis of a Deployment without a valid plan, or nullopt.
std::optional<Diagnosis> Unusable(const Snapshot& snapshot, const Status& plan) {
  const Deployment& deployment = snapshot.deployment;
  if (SelectsEverything(deployment)) {
    return Diagnosis{
        Fact(State::kBlocked, "SelectingAll",
             "Its selector is empty and would select all pods; the controller ignores it.")};
  }
  if (const auto selector = Selector::From(deployment.spec.selector); !selector) {
    return Diagnosis{
        Fact(State::kBlocked, "InvalidSelector", "spec.selector: " + selector.status().message())};
  }
  if (!plan.ok()) return Diagnosis{Fact(State::kBlocked, "InvalidSpec", plan.message())};
  return std::nullopt;
}

Situation SituationOf(const Snapshot& snapshot, const DetailedPods* pods, Plan plan) {
  Situation at{.deployment = snapshot.deployment,
               .pods = pods,
               .now = snapshot.now,
               .plan = std::move(plan),
               .old_sets = {}};
  std::vector<OwnedSet> sets = snapshot.sets;
  std::sort(sets.begin(), sets.end(),
            [](const OwnedSet& a, const OwnedSet& b) { return CreatedBefore(*a.set, *b.set); });
  std::vector<ReplicaSetPtr> ordered;
  ordered.reserve(sets.size());
  for (const OwnedSet& owned : sets) ordered.push_back(owned.set);
  const auto newest = FindNewReplicaSet(snapshot.deployment, ordered);
  for (size_t i = 0; i < sets.size(); ++i) {
    if (newest == i) {
      at.new_set = sets[i].set.get();
      continue;
    }
    at.old_sets.push_back(sets[i].set.get());
    at.old_pods_run =
        at.old_pods_run || sets[i].has_unfinished_pods || sets[i].set->status.replicas > 0;
  }
  return at;
}

// The first fact that applies is the result. A fact that makes others irrelevant precedes them.
constexpr std::optional<Diagnosis> (*kFacts[])(const Situation&) = {
    CreationRefused, NotObserved, Complete,         Paused,          PodsRefused,
    OldPodsRun,      StepDue,     ReplicaSetBehind, PodsUnavailable,
};

}  // namespace

Diagnosis Diagnose(const Snapshot& snapshot, const DetailedPods* pods) {
  if (snapshot.deployment.metadata.deletionTimestamp) return BeingDeleted(snapshot.deployment);
  Result<Plan> plan = MakePlan(snapshot);
  if (auto unusable = Unusable(snapshot, plan.status())) return *std::move(unusable);
  const Situation at = SituationOf(snapshot, pods, *std::move(plan));
  for (const auto& fact : kFacts) {
    if (auto found = fact(at)) return *std::move(found);
  }
  return Moving(at);
}

bool IsPlainlySettled(const Deployment& deployment) {
  return !deployment.metadata.deletionTimestamp && IsComplete(deployment, deployment.status);
}

}  // namespace capstan::deployment
