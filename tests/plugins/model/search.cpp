#include "search.h"

#include <algorithm>

namespace capstan::model {
namespace {

// Keeps only the order of the revisions, including those in the cache.
void CompressRevisions(State& state) {
  std::array<bool, 256> used{};
  for (const SetState& set : state.sets) used[set.revision] = true;
  for (const SetState& set : state.seen_sets) used[set.revision] = true;
  std::array<uint8_t, 256> rank{};
  uint8_t next = 1;
  for (size_t i = 1; i < used.size(); ++i) {
    if (used[i]) rank[i] = next++;
  }
  for (SetState& set : state.sets) set.revision = rank[set.revision];
  for (SetState& set : state.seen_sets) set.revision = rank[set.revision];
}

void SyncCaches(State& state) {
  state.seen_deployment = state.deployment;
  state.seen_sets = state.sets;
  state.awaits_deployment = state.awaits_sets = 0;
}

uint8_t UnfinishedBits(const State& state) {
  uint8_t bits = 0;
  for (size_t image = 0; image < kMaxSets; ++image) {
    const PodState& pods = state.pods[image];
    if (pods.unready + pods.ready + pods.terminating > 0) bits |= static_cast<uint8_t>(1 << image);
  }
  return bits;
}

int WantedOf(const State& state) {
  int sum = 0;
  for (const SetState& set : state.sets) sum += set.replicas;
  return sum;
}

char Letter(uint8_t image) { return static_cast<char>('A' + image); }

std::string TextOf(const DeploymentState& deployment) {
  return std::to_string(deployment.replicas) + " of " + Letter(deployment.image) +
         (deployment.paused ? ", paused" : "") + (deployment.rolls_back ? ", rolls back" : "") +
         (deployment.complete ? ", complete" : "");
}

std::string TextOf(const SetStates& sets) {
  std::string text;
  for (const SetState& set : sets) {
    text += std::string(" ") + Letter(set.image) + "(" + std::to_string(set.replicas) + " r" +
            std::to_string(set.revision) + " for " + std::to_string(set.desired) + "/" +
            std::to_string(set.max) + ", status" + (set.observed ? " " : "* ") +
            std::to_string(set.status_available) + "/" + std::to_string(set.status_replicas) + ")";
  }
  return text;
}

}  // namespace

std::string State::ToString() const {
  std::string text = TextOf(deployment) + ";" + TextOf(sets) + "; pods";
  for (uint8_t image = 0; image < kMaxSets; ++image) {
    const PodState& p = pods[image];
    if (p.unready + p.ready + p.terminating == 0) continue;
    text += std::string(" ") + Letter(image) + ":" + std::to_string(p.ready) + " ready " +
            std::to_string(p.unready) + " not " + std::to_string(p.terminating) + " going";
  }
  if (seen_deployment != deployment) text += "; seen " + TextOf(seen_deployment);
  if (seen_sets != sets) text += "; seen" + TextOf(seen_sets);
  if (awaits_deployment) text += "; awaits its Deployment";
  if (awaits_sets) text += "; awaits its ReplicaSets";
  return text;
}

bool Step::IsQuiet() const {
  switch (cause) {
    case Cause::kPodBecomesReady:
    case Cause::kPodIsGone:
    case Cause::kDeploymentSyncs:
    case Cause::kSetSyncs:
    case Cause::kDeploymentIsSeen:
    case Cause::kSetsAreSeen:
      return true;
    default:
      return false;
  }
}

std::string Step::ToString() const {
  const std::string number = std::to_string(detail);
  const std::string set = std::string(" of ") + Letter(detail);
  switch (cause) {
    case Cause::kNothing:
      return "begin";
    case Cause::kUserSetsImage:
      return std::string("user sets image ") + Letter(detail);
    case Cause::kUserScales:
      return "user scales to " + number;
    case Cause::kUserPausesOrResumes:
      return "user pauses or resumes";
    case Cause::kUserRollsBack:
      return "user rolls back";
    case Cause::kPodBecomesReady:
      return "a pod" + set + " becomes ready";
    case Cause::kPodBecomesUnready:
      return "a pod" + set + " becomes unready";
    case Cause::kPodIsDeleted:
      return "a user deletes a pod" + set;
    case Cause::kPodIsGone:
      return "the last pod" + set + " that was terminating is gone";
    case Cause::kPodFinishes:
      return "a pod" + set + " finishes";
    case Cause::kDeploymentSyncs:
      return "the Deployment is synced";
    case Cause::kSetSyncs:
      return "the ReplicaSet" + set + " is synced";
    case Cause::kDeploymentSyncDies:
      return "the Deployment is synced, its controller dies after write " + number;
    case Cause::kSetSyncDies:
      return "the ReplicaSet" + set + " is synced, its controller dies before the status";
    case Cause::kDeploymentIsSeen:
      return "the cache shows the Deployment";
    case Cause::kSetsAreSeen:
      return "the cache shows the ReplicaSets";
    case Cause::kLeaderChanges:
      return "another manager leads";
  }
  return "?";
}

// --- possible steps ---

void Search::Expand(const State& state, const Visit& visit) {
  const Visit normalised = [&](Step step, const State& next) {
    State state_after = next;
    if (!bounds_.lags) SyncCaches(state_after);
    for (PodState& pods : state_after.pods) {
      // Only the existence of terminating pods matters, and only for the Recreate strategy. So one
      // pod, the last to be removed, represents all.
      pods.terminating = bounds_.recreates && pods.terminating > 0 ? 1 : 0;
    }
    CompressRevisions(state_after);
    visit(step, state_after);
  };
  ExpandUser(state, normalised);
  ExpandPods(state, normalised);
  if (bounds_.lags) ExpandCache(state, normalised);
  ExpandDeployment(state, normalised);
  ExpandSets(state, normalised);
}

void Search::ExpandUser(const State& state, const Visit& visit) {
  const auto change = [&](Step step, const auto& apply) {
    State next = state;
    apply(next.deployment);
    next.deployment.complete = 0;  // the status is for an older generation
    visit(step, next);
  };
  for (uint8_t image = 0; image < bounds_.images; ++image) {
    if (image == state.deployment.image) continue;
    change({Cause::kUserSetsImage, image}, [&](DeploymentState& d) { d.image = image; });
  }
  for (uint8_t replicas = 0; bounds_.scales && replicas <= bounds_.replicas; ++replicas) {
    if (replicas == state.deployment.replicas) continue;
    change({Cause::kUserScales, replicas}, [&](DeploymentState& d) { d.replicas = replicas; });
  }
  if (bounds_.pauses) {
    change({Cause::kUserPausesOrResumes, 0}, [&](DeploymentState& d) { d.paused ^= 1; });
  }
  if (bounds_.rolls_back && !state.deployment.rolls_back) {
    State next = state;  // an annotation does not change the generation
    next.deployment.rolls_back = 1;
    visit({Cause::kUserRollsBack, 0}, next);
  }
}

void Search::ExpandPods(const State& state, const Visit& visit) {
  for (uint8_t image = 0; image < bounds_.images; ++image) {
    const PodState& pods = state.pods[image];
    const auto change = [&](Cause cause, const auto& apply) {
      State next = state;
      apply(next.pods[image]);
      visit({cause, image}, next);
    };
    if (pods.unready > 0) {
      change(Cause::kPodBecomesReady, [](PodState& p) { --p.unready, ++p.ready; });
    }
    if (pods.terminating > 0) change(Cause::kPodIsGone, [](PodState& p) { --p.terminating; });
    if (!bounds_.pods_fail) continue;
    if (pods.ready > 0) {
      change(Cause::kPodBecomesUnready, [](PodState& p) { --p.ready, ++p.unready; });
      change(Cause::kPodFinishes, [](PodState& p) { --p.ready; });
      change(Cause::kPodIsDeleted, [](PodState& p) { --p.ready, ++p.terminating; });
    }
    if (pods.unready > 0) {
      change(Cause::kPodFinishes, [](PodState& p) { --p.unready; });
      change(Cause::kPodIsDeleted, [](PodState& p) { --p.unready, ++p.terminating; });
    }
  }
}

void Search::ExpandCache(const State& state, const Visit& visit) {
  if (state.seen_deployment != state.deployment || state.awaits_deployment) {
    State next = state;
    next.seen_deployment = state.deployment;
    next.awaits_deployment = 0;
    visit({Cause::kDeploymentIsSeen, 0}, next);
  }
  if (state.seen_sets != state.sets || state.awaits_sets) {
    State next = state;
    next.seen_sets = state.sets;
    next.awaits_sets = 0;
    visit({Cause::kSetsAreSeen, 0}, next);
    if (bounds_.restarts) {
      // The new leader has not written yet, but it lists the children of a key before its first
      // write.
      next.awaits_deployment = 0;
      visit({Cause::kLeaderChanges, 0}, next);
    }
  }
}

// --- the Deployment controller ---

void Search::ExpandDeployment(const State& state, const Visit& visit) {
  if (state.awaits_deployment || state.awaits_sets) return;
  DeploymentView view{state.seen_deployment, state.seen_sets, UnfinishedBits(state)};
  if (!bounds_.recreates) view.unfinished = 0;  // this strategy does not use pods
  const DeploymentActs* acts = &plans_.For(view);
  if (acts->creation && state.sets.Of(acts->creation->image)) {
    // The name is used by a ReplicaSet of the Deployment that the cache does not show yet, so plan
    // again.
    view.sets.Add(*state.sets.Of(acts->creation->image));
    acts = &plans_.For(view);
  }
  if (!acts->complaint.empty()) complaint_ = acts->complaint;
  bool more = true;
  for (int writes = 1; more; ++writes) {
    State next = state;
    more = Apply(*acts, view.sets, writes, next);
    if (more && !bounds_.restarts) continue;
    if (more) {
      next.seen_sets = next.sets;
      next.awaits_deployment = next.awaits_sets = 0;
      visit({Cause::kDeploymentSyncDies, static_cast<uint8_t>(writes)}, next);
    } else {
      CheckRecreation(*acts, state);
      visit({Cause::kDeploymentSyncs, 0}, next);
    }
  }
}

// A write to an object that has changed since it was read is a conflict, which ends the sync.
bool Search::Apply(const DeploymentActs& acts, const SetStates& seen, int writes, State& state) {
  const State begin = state;
  if (acts.creation) {
    state.sets.Add(*acts.creation);
    state.awaits_sets = 1;
    // As in the property tests: a rollback creates at full size whatever runs, like the reference.
    if (!acts.rolls_back) CheckSum(begin, state);
    if (--writes == 0) return true;
  }
  for (const SetState& update : acts.updates) {
    SetState* actual = state.sets.Of(update.image);
    if (!actual || *actual != *seen.Of(update.image)) return false;
    const State before = state;
    *actual = update;
    state.awaits_sets = 1;
    CheckSum(before, state);
    if (--writes == 0) return true;
  }
  for (uint8_t image : acts.deletions) {
    const SetState* actual = state.sets.Of(image);
    if (!actual) continue;
    if (*actual != *seen.Of(image)) return false;
    if (state.Active(image) > 0 || actual->replicas > 0) {
      complaint_ = "it deletes a ReplicaSet that has pods";
    }
    state.sets.Remove(image);
    if (--writes == 0) return true;
  }
  if (state.deployment != begin.seen_deployment) return false;
  if (state.deployment.complete != acts.complete) {
    state.deployment.complete = acts.complete;
    state.awaits_deployment = 1;
    if (--writes == 0) return true;
  }
  if (acts.rolls_back) {
    state.deployment.rolls_back = 0;
    if (state.deployment.image != acts.image) state.deployment.complete = 0;
    state.deployment.image = acts.image;
    state.awaits_deployment = 1;
  }
  return false;
}

// The user may have lowered the limit since the controller read it.
void Search::CheckSum(const State& before, const State& after) {
  const int surge = bounds_.recreates ? 0 : bounds_.max_surge;
  const int most = before.seen_deployment.replicas + surge;
  if (WantedOf(after) > WantedOf(before) && WantedOf(after) > most) {
    complaint_ = "the ReplicaSets are scaled to " + std::to_string(WantedOf(after)) +
                 " pods in total; the limit is " + std::to_string(most);
  }
}

void Search::CheckRecreation(const DeploymentActs& acts, const State& state) {
  if (!bounds_.recreates || !acts.creation || acts.rolls_back) return;
  for (uint8_t image = 0; image < bounds_.images; ++image) {
    const PodState& pods = state.pods[image];
    if (pods.ready + pods.unready + pods.terminating > 0) {
      complaint_ = "it creates a ReplicaSet while pods of an old one run";
    }
  }
}

// --- the ReplicaSet controller ---

void Search::ExpandSets(const State& state, const Visit& visit) {
  for (const SetState& seen : state.seen_sets) {
    if (!state.sets.Of(seen.image)) continue;
    State next = state;
    PodState& pods = next.pods[seen.image];
    const SetActs acts = plans_.For(seen.replicas, pods);
    pods.unready = static_cast<uint8_t>(pods.unready + acts.creates - acts.deletes_unready);
    pods.ready = static_cast<uint8_t>(pods.ready - acts.deletes_ready);
    pods.terminating =
        static_cast<uint8_t>(pods.terminating + acts.deletes_unready + acts.deletes_ready);
    if (acts.creates > 0 && next.Active(seen.image) > seen.replicas) {
      complaint_ = "it creates too many pods";
    }
    if (bounds_.restarts && next != state) visit({Cause::kSetSyncDies, seen.image}, next);
    // No request is sent for a status that the cache already shows.
    const bool says_so = seen.observed && seen.status_replicas == acts.status_replicas &&
                         seen.status_available == acts.status_available;
    if (!says_so) {
      SetState& actual = *next.sets.Of(seen.image);
      actual.status_replicas = acts.status_replicas;
      actual.status_available = acts.status_available;
      actual.observed = actual.replicas == seen.replicas ? 1 : 0;
    }
    visit({Cause::kSetSyncs, seen.image}, next);
  }
}

// --- the search ---

uint32_t Search::Insert(const State& state, uint32_t parent) {
  if (states_.size() * 2 >= table_.size()) {
    table_.assign(std::max<size_t>(1 << 16, table_.size() * 4), 0);
    for (uint32_t i = 0; i < states_.size(); ++i) {
      size_t slot = StateHash()(states_[i]) & (table_.size() - 1);
      while (table_[slot] != 0) slot = (slot + 1) & (table_.size() - 1);
      table_[slot] = i + 1;
    }
  }
  size_t slot = StateHash()(state) & (table_.size() - 1);
  for (; table_[slot] != 0; slot = (slot + 1) & (table_.size() - 1)) {
    if (states_[table_[slot] - 1] == state) return table_[slot] - 1;
  }
  states_.push_back(state);
  parents_.push_back(parent);
  table_[slot] = static_cast<uint32_t>(states_.size());
  return static_cast<uint32_t>(states_.size() - 1);
}

Outcome Search::Run(size_t most) {
  State begin;
  begin.deployment.replicas = bounds_.replicas;
  SyncCaches(begin);
  Insert(begin, 0);
  Outcome outcome;
  for (uint32_t i = 0; i < states_.size() && states_.size() < most; ++i) {
    const State state = states_[i];
    const size_t quiet_begin = quiet_.size();
    Expand(state, [&](Step step, const State& next) {
      ++outcome.steps;
      const uint32_t index = Insert(next, i);
      if (step.IsQuiet() && index != i) quiet_.push_back(index);
      if (complaint_.empty() || !outcome.violation.empty()) return;
      outcome.violation =
          complaint_ + "\n" + TraceTo(i) + step.ToString() + "\n    " + next.ToString() + "\n";
    });
    if (quiet_.size() == quiet_begin) {
      ++outcome.at_rest;
      const std::string wrong = CheckRest(state);
      if (!wrong.empty() && outcome.violation.empty()) {
        outcome.violation = "it is idle, but " + wrong + "\n" + TraceTo(i);
      }
    }
    quiet_end_.push_back(static_cast<uint32_t>(quiet_.size()));
    if (!outcome.violation.empty()) break;
  }
  outcome.states = states_.size();
  outcome.plans = plans_.asked();
  outcome.exhausted = quiet_end_.size() == states_.size();
  if (outcome.violation.empty() && outcome.exhausted) outcome.violation = FindLivelock();
  return outcome;
}

std::string Search::CheckRest(const State& state) {
  const DeploymentState& deployment = state.deployment;
  if (state.seen_deployment != deployment || state.seen_sets != state.sets)
    return "its cache is stale";
  for (const SetState& set : state.sets) {
    const PodState& pods = state.pods[set.image];
    const bool is_new = set.image == deployment.image;
    if (!deployment.paused && set.replicas != (is_new ? deployment.replicas : 0)) {
      return "a ReplicaSet has a wrong size";
    }
    if (pods.unready > 0 || pods.ready != set.replicas || set.status_replicas != set.replicas ||
        set.status_available != set.replicas || !set.observed) {
      return "a ReplicaSet does not match its spec";
    }
  }
  if (deployment.paused) {
    return plans_.CheckStatus({deployment, state.sets, UnfinishedBits(state)});
  }
  if (!state.sets.Of(deployment.image)) return "the new ReplicaSet is missing";
  if (deployment.rolls_back) return "it has not rolled back";
  if (!deployment.complete) return "it does not report completion";
  if (state.sets.count > bounds_.history_limit + 1) return "history is not cleaned up";
  return plans_.CheckStatus({deployment, state.sets, 0});
}

// Depth-first search. A state that is reached again on the current path is part of a cycle.
std::string Search::FindLivelock() {
  enum Mark : uint8_t { kNew, kOnTheWay, kDone };
  std::vector<Mark> marks(states_.size(), kNew);
  std::vector<std::pair<uint32_t, uint32_t>> way;  // states, each with the index of its next step
  const auto begin_of = [&](uint32_t i) { return i == 0 ? 0 : quiet_end_[i - 1]; };
  for (uint32_t root = 0; root < states_.size(); ++root) {
    if (marks[root] != kNew) continue;
    way.push_back({root, begin_of(root)});
    marks[root] = kOnTheWay;
    while (!way.empty()) {
      auto& [index, next] = way.back();
      if (next == quiet_end_[index]) {
        marks[index] = kDone;
        way.pop_back();
        continue;
      }
      const uint32_t child = quiet_[next++];
      if (marks[child] == kOnTheWay) {
        std::string circle = "it may loop forever:\n" + TraceTo(child);
        const auto first = std::find_if(way.begin(), way.end(),
                                        [&](const auto& entry) { return entry.first == child; });
        for (auto at = first; at != way.end(); ++at) {
          circle += "  repeatedly\n    " + states_[at->first].ToString() + "\n";
        }
        return circle;
      }
      if (marks[child] == kNew) {
        marks[child] = kOnTheWay;
        way.push_back({child, begin_of(child)});
      }
    }
  }
  return "";
}

std::string Search::TraceTo(uint32_t index) {
  std::vector<uint32_t> way{index};
  while (way.back() != 0) way.push_back(parents_[way.back()]);
  const std::string complaint = complaint_;
  std::string text = "  " + states_[0].ToString() + "\n";
  for (size_t i = way.size() - 1; i > 0; --i) {
    const State child = states_[way[i - 1]];
    std::string how;
    Expand(states_[way[i]], [&](Step step, const State& next) {
      if (how.empty() && next == child) how = step.ToString();
    });
    text += how + "\n    " + child.ToString() + "\n";
  }
  complaint_ = complaint;
  return text;
}

}  // namespace capstan::model
