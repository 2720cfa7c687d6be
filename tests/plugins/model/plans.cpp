#include "plans.h"

#include <algorithm>
#include <memory>

#include <capstan/api/object.h>
#include <capstan/controller/conditions.h>

#include "deployment/fenceposts.h"
#include "deployment/plan.h"
#include "deployment/progress.h"
#include "deployment/revision_plan.h"
#include "deployment/scale_plan.h"
#include "replicaset/plan.h"
#include "replicaset/status_plan.h"

namespace capstan::model {
namespace {

using api::apps::v1::Deployment;
using api::apps::v1::ReplicaSet;
using api::core::v1::Pod;
using deployment::kDesiredReplicasAnnotation;
using deployment::kMaxReplicasAnnotation;
using deployment::kRevisionAnnotation;

const WallTime kNow = WallTime(std::chrono::seconds(1'800'000'000));
constexpr int64_t kGeneration = 7;

const RawJson& TemplateOf(uint8_t image) {
  static const std::array<RawJson, kMaxSets> templates = [] {
    std::array<RawJson, kMaxSets> all;
    for (size_t i = 0; i < kMaxSets; ++i) {
      all[i] = RawJson::Parse(R"({"metadata":{"labels":{"app":"a"}},"spec":{"image":")" +
                              std::to_string(i) + R"("}})")
                   .value();
    }
    return all;
  }();
  return templates[image];
}

uint8_t ImageOf(const RawJson& pod_template) {
  return static_cast<uint8_t>(pod_template.StringAt("/spec/image").value_or("9")[0] - '0');
}

uint8_t NumberOf(const ReplicaSet& set, std::string_view annotation) {
  return static_cast<uint8_t>(
      std::stoi("0" + std::string(set.metadata.annotations.Get(annotation))));
}

SetState StateOf(const ReplicaSet& set, const SetState& before) {
  SetState state = before;
  state.image = ImageOf(set.spec.template_);
  state.replicas = static_cast<uint8_t>(ReplicasOf(set));
  state.desired = NumberOf(set, kDesiredReplicasAnnotation);
  state.max = NumberOf(set, kMaxReplicasAnnotation);
  state.revision = NumberOf(set, kRevisionAnnotation);
  if (state.replicas != before.replicas) state.observed = 0;
  return state;
}

// Whether the plan writes only the Deployment's status and annotations.
bool ReportsOnly(const deployment::Plan& plan, const Deployment& before) {
  return !plan.creation && plan.updates.empty() && plan.deletions.empty() && !plan.rollback &&
         !Equal(plan.after, before);
}

// Checks that a step of a rolling update keeps enough available pods, as far as the controller can
// know.
std::string JudgeAvailability(const Deployment& deployment, const DeploymentView& view,
                              const DeploymentActs& acts) {
  int64_t before = 0;
  int64_t after = 0;
  for (const SetState& set : view.sets) {
    uint8_t replicas = set.replicas;
    for (const SetState& update : acts.updates) {
      if (update.image == set.image) replicas = update.replicas;
    }
    before += std::min(set.status_available, set.replicas);
    after += std::min(set.status_available, replicas);
  }
  const int64_t least =
      ReplicasOf(deployment) - deployment::FencepostsOrNone(deployment).max_unavailable;
  if (after >= std::min(before, least)) return "";
  return "it leaves " + std::to_string(after) + " of " + std::to_string(before) + " available pods";
}

}  // namespace

Plans::Plans(const Bounds& bounds) : bounds_(bounds) {}

size_t Plans::Hash::operator()(const DeploymentView& view) const {
  State state{};
  state.deployment = view.deployment;
  state.sets = view.sets;
  state.awaits_sets = view.unfinished;
  return StateHash()(state);
}

Deployment Plans::MakeDeployment(const DeploymentState& state) const {
  Deployment deployment;
  deployment.metadata.name = "a";
  deployment.metadata.uid = "11111111-0000-4000-8000-000000000001";
  deployment.metadata.generation = kGeneration;
  if (state.rolls_back) {
    deployment.metadata.annotations.Set(deployment::kRollbackToAnnotation, "0");
  }
  deployment.spec.replicas = state.replicas;
  deployment.spec.paused = state.paused != 0;
  deployment.spec.selector.matchLabels = {{"app", "a"}};
  deployment.spec.template_ = TemplateOf(state.image);
  deployment.spec.revisionHistoryLimit = bounds_.history_limit;
  deployment.spec.progressDeadlineSeconds = 600;
  if (bounds_.recreates) {
    deployment.spec.strategy.type = "Recreate";
  } else {
    deployment.spec.strategy.type = "RollingUpdate";
    deployment.spec.strategy.rollingUpdate = api::apps::v1::RollingUpdateDeployment{
        .maxUnavailable = api::IntOrString(bounds_.max_unavailable),
        .maxSurge = api::IntOrString(bounds_.max_surge)};
  }
  if (state.complete) {
    auto& status = deployment.status;
    status.observedGeneration = kGeneration;
    status.replicas = status.updatedReplicas = state.replicas;
    status.readyReplicas = status.availableReplicas = state.replicas;
  }
  return deployment;
}

ReplicaSet Plans::MakeSet(const SetState& state, size_t index) const {
  ReplicaSet set;
  set.metadata.name = "a-" + std::to_string(state.image);
  set.metadata.uid = Uid(set.metadata.name);
  set.metadata.generation = kGeneration;
  set.metadata.creationTimestamp = api::Time::FromSeconds(static_cast<int64_t>(index));
  set.metadata.annotations.Set(kDesiredReplicasAnnotation, std::to_string(state.desired));
  set.metadata.annotations.Set(kMaxReplicasAnnotation, std::to_string(state.max));
  set.metadata.annotations.Set(kRevisionAnnotation, std::to_string(state.revision));
  set.spec.replicas = state.replicas;
  set.spec.template_ = TemplateOf(state.image);
  set.status.observedGeneration = state.observed ? kGeneration : kGeneration - 1;
  set.status.replicas = state.status_replicas;
  set.status.readyReplicas = state.status_available;
  set.status.availableReplicas = state.status_available;
  return set;
}

const DeploymentActs& Plans::For(const DeploymentView& view) {
  const auto [entry, is_new] = known_.try_emplace(view);
  if (is_new) entry->second = Ask(view);
  return entry->second;
}

DeploymentActs Plans::Ask(const DeploymentView& view) const {
  Deployment deployment = MakeDeployment(view.deployment);
  deployment::Snapshot snapshot{.deployment = deployment, .sets = {}, .now = kNow};
  std::vector<const ReplicaSet*> sets;
  for (const SetState& state : view.sets) {
    auto set = std::make_shared<ReplicaSet>(MakeSet(state, sets.size()));
    sets.push_back(set.get());
    snapshot.sets.push_back(
        {.set = std::move(set), .has_unfinished_pods = (view.unfinished >> state.image & 1) != 0});
  }
  DeploymentActs acts;
  auto plan = deployment::MakePlan(snapshot);
  // The model only knows whether the status is complete. Syncs that write other parts of the status
  // are merged with the next one that does more.
  for (int sync = 0; sync < 5 && plan && ReportsOnly(*plan, deployment); ++sync) {
    deployment = plan->after;
    if (deployment::IsComplete(deployment, deployment.status) != (view.deployment.complete != 0)) {
      break;
    }
    plan = deployment::MakePlan(snapshot);
  }
  if (!plan) {
    acts.complaint = plan.status().ToString();
    return acts;
  }
  if (plan->creation) acts.creation = StateOf(plan->creation->set, {});
  for (const auto& update : plan->updates) {
    acts.updates.push_back(
        StateOf(update.after, *view.sets.Of(ImageOf(update.after.spec.template_))));
  }
  for (const auto& set : plan->deletions) {
    acts.deletions.push_back(ImageOf(set->spec.template_));
    if (acts.deletions.back() == view.deployment.image) acts.complaint = "it deletes the new one";
  }
  acts.complete = deployment::IsComplete(plan->after, plan->after.status) ? 1 : 0;
  if (plan->rollback) {
    acts.rolls_back = true;
    acts.image = ImageOf(plan->rollback->after.spec.template_);
  }
  const bool rolls_out =
      !view.deployment.paused && !acts.rolls_back && !deployment::IsScalingEvent(deployment, sets);
  if (rolls_out && !bounds_.recreates && acts.complaint.empty()) {
    acts.complaint = JudgeAvailability(deployment, view, acts);
  }
  return acts;
}

SetActs Plans::For(uint8_t replicas, const PodState& pods) {
  const uint32_t key = replicas | uint32_t{pods.unready} << 8 | uint32_t{pods.ready} << 16;
  if (const auto known = known_sets_.find(key); known != known_sets_.end()) return known->second;
  ReplicaSet set;
  set.metadata.generation = kGeneration;
  set.spec.replicas = replicas;
  set.spec.template_ = TemplateOf(0);
  std::vector<replicaset::PodPtr> active;
  for (int i = 0; i < pods.unready + pods.ready; ++i) {
    auto pod = std::make_shared<Pod>();
    pod->metadata.uid = Uid("pod-" + std::to_string(i));
    pod->spec.nodeName = "node";
    pod->status.phase = "Running";
    pod->status.conditions = {{.type = "Ready",
                               .status = i < pods.ready ? "True" : "False",
                               .lastTransitionTime = api::Time(kNow)}};
    active.push_back(std::move(pod));
  }
  const auto plan = replicaset::PlanReplicas(set, active, active, kNow);
  const auto status = replicaset::CalculateStatus(
      {.set = set, .active = active, .terminating = pods.terminating, .failure = {}, .now = kNow});
  SetActs acts;
  acts.creates = static_cast<int>(plan.create);
  for (const auto& pod : plan.remove) {
    ++(IsReady(*pod) ? acts.deletes_ready : acts.deletes_unready);
  }
  acts.status_replicas = static_cast<uint8_t>(status.replicas);
  acts.status_available = static_cast<uint8_t>(status.availableReplicas);
  return known_sets_[key] = acts;
}

std::string Plans::CheckStatus(const DeploymentView& view) {
  // The status when a sync no longer changes it.
  Deployment current = MakeDeployment(view.deployment);
  for (int sync = 0;; ++sync) {
    deployment::Snapshot snapshot{.deployment = current, .sets = {}, .now = kNow};
    for (const SetState& state : view.sets) {
      snapshot.sets.push_back(
          {.set = std::make_shared<ReplicaSet>(MakeSet(state, snapshot.sets.size()))});
    }
    const auto plan = deployment::MakePlan(snapshot);
    if (!plan || plan->creation || !plan->updates.empty() || !plan->deletions.empty()) {
      return "it does not become idle";
    }
    const bool changes = !Equal(current, plan->after);
    current = plan->after;
    if (!changes) break;
    if (sync == 2) return "the status is not a fixed point";
  }
  if (view.deployment.paused) return "";
  const auto* progressing = FindCondition(current.status.conditions, "Progressing");
  const auto* available = FindCondition(current.status.conditions, "Available");
  if (!progressing || progressing->reason != "NewReplicaSetAvailable" || !available ||
      available->status != "True" || !deployment::IsComplete(current, current.status)) {
    return "the status does not report that the rollout is complete";
  }
  return "";
}

}  // namespace capstan::model
