#pragma once

// Breadth-first search of all states that a model can get into.

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "plans.h"
#include "state.h"

namespace capstan::model {

// What happens in a step.
enum class Cause : uint8_t {
  kNothing,  // the beginning
  kUserSetsImage,
  kUserScales,
  kUserPausesOrResumes,
  kUserRollsBack,
  kPodBecomesReady,
  kPodBecomesUnready,
  kPodIsDeleted,
  kPodIsGone,
  kPodFinishes,
  kDeploymentSyncs,
  kSetSyncs,
  kDeploymentSyncDies,
  kSetSyncDies,
  kDeploymentIsSeen,
  kSetsAreSeen,
  kLeaderChanges,
};

struct Step {
  Cause cause = Cause::kNothing;
  uint8_t detail = 0;
  // Of the controllers themselves, or what they may count upon: no user and no misfortune.
  bool IsQuiet() const;
  std::string ToString() const;
};

struct Outcome {
  size_t states = 0;
  size_t steps = 0;
  size_t at_rest = 0;      // states in which nothing happens by itself
  size_t plans = 0;        // that differ
  bool exhausted = false;  // there are no more states
  std::string violation;   // of a rule, with the shortest way to it; or ""
};

class Search {
 public:
  explicit Search(const Bounds& bounds) : bounds_(bounds), plans_(bounds) {}
  // All states, or `most` of them.
  Outcome Run(size_t most);

 private:
  using Visit = std::function<void(Step step, const State& next)>;

  // Calls visit with each state that follows; where a rule is broken, complaint_ says so.
  void Expand(const State& state, const Visit& visit);
  void ExpandUser(const State& state, const Visit& visit);
  void ExpandPods(const State& state, const Visit& visit);
  void ExpandCache(const State& state, const Visit& visit);
  void ExpandDeployment(const State& state, const Visit& visit);
  void ExpandSets(const State& state, const Visit& visit);

  // As many of the plan's writes as `writes` says. Returns whether there are more.
  bool Apply(const DeploymentActs& acts, const SetStates& seen, int writes, State& state);
  void JudgeSum(const State& before, const State& after);
  void JudgeRecreation(const DeploymentActs& acts, const State& state);
  std::string JudgeRest(const State& state);
  // "" when every run that takes quiet steps only comes to an end.
  std::string FindLivelock();
  std::string WayTo(uint32_t index);

  uint32_t Insert(const State& state, uint32_t parent);

  const Bounds bounds_;
  Plans plans_;
  std::string complaint_;
  std::vector<State> states_;
  std::vector<uint32_t> parents_;
  std::vector<uint32_t> table_;      // open addressing: an index + 1, or 0
  std::vector<uint32_t> quiet_;      // the states that quiet steps lead to, ...
  std::vector<uint32_t> quiet_end_;  // ... and where those of each state end
};

}  // namespace capstan::model
