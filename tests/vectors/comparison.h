#pragma once

// Whether two states are what one sync makes of a third, by the rules of README.md.

#include <string>
#include <vector>

#include "vector.h"

namespace capstan::vectors {

// What a sync leaves behind.
struct Outcome {
  State after;
  std::vector<std::string> events;  // "Type Reason Message"
};

// A line a difference, "replicaSets/default/web-1/spec/replicas: ours | theirs". Empty: they agree.
std::vector<std::string> Differences(const State& before, const Outcome& ours,
                                     const Outcome& theirs);

}  // namespace capstan::vectors
