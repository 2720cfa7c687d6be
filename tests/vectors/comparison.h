#pragma once

// Whether two states are results of one sync of a third state, by the rules of README.md.

#include <string>
#include <vector>

#include "vector.h"

namespace capstan::vectors {

// The result of a sync.
struct Outcome {
  State after;
  std::vector<std::string> events;  // "Type Reason Message"
};

// One line per difference, "replicaSets/default/web-1/spec/replicas: ours | theirs". Empty when
// they agree.
std::vector<std::string> Differences(const State& before, const Outcome& ours,
                                     const Outcome& theirs);

}  // namespace capstan::vectors
