#pragma once

// Breadth-first search of all reachable states of a model.

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "plans.h"
#include "state.h"

namespace capstan::model {

// The cause of a step.
enum class Cause : uint8_t {
  kNothing,  // the initial state
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
  // Whether the step is by the controllers, or one that they may rely on: no user and no failure.
  bool IsQuiet() const;
  std::string ToString() const;
};

struct Outcome {
  size_t states = 0;
  size_t steps = 0;
  size_t at_rest = 0;      // states without further quiet steps
  size_t plans = 0;        // number of different plans
  bool exhausted = false;  // all states were visited
  std::string violation;   // a broken rule with the shortest path to it, or ""
};

class Search {
 public:
  explicit Search(const Bounds& bounds) : bounds_(bounds), plans_(bounds) {}
  // Visits all states, but at most `most`.
  Outcome Run(size_t most);

 private:
  using Visit = std::function<void(Step step, const State& next)>;

  // Calls `visit` with each successor state. Sets complaint_ when a rule is broken.
  void Expand(const State& state, const Visit& visit);
  void ExpandUser(const State& state, const Visit& visit);
  void ExpandPods(const State& state, const Visit& visit);
  void ExpandCache(const State& state, const Visit& visit);
  void ExpandDeployment(const State& state, const Visit& visit);
  void ExpandSets(const State& state, const Visit& visit);

  // Applies the first `writes` writes of the plan. Returns whether there are more.
  bool Apply(const DeploymentActs& acts, const SetStates& seen, int writes, State& state);
  void CheckSum(const State& before, const State& after);
  void CheckRecreation(const DeploymentActs& acts, const State& state);
  std::string CheckRest(const State& state);
  // Returns "" when every run of quiet steps terminates.
  std::string FindLivelock();
  std::string TraceTo(uint32_t index);

  uint32_t Insert(const State& state, uint32_t parent);

  const Bounds bounds_;
  Plans plans_;
  std::string complaint_;
  std::vector<State> states_;
  std::vector<uint32_t> parents_;
  std::vector<uint32_t> table_;      // open addressing: an index + 1, or 0
  std::vector<uint32_t> quiet_;      // the successors by quiet steps, ...
  std::vector<uint32_t> quiet_end_;  // ... and the end of each state's range in it
};

}  // namespace capstan::model
