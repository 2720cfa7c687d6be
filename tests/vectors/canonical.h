#pragma once

// An outcome without the parts that the rules of README.md leave open. Outcomes that agree become
// equal.

#include <string>
#include <vector>

#include "comparison.h"

namespace capstan::vectors {

// The key is e.g. "replicaSets/default/web-1".
using CanonicalObjects = std::map<std::string, json::Value>;

struct Canonical {
  CanonicalObjects objects;
  std::vector<std::string> events;  // sorted
};

Canonical CanonicalOutcome(const State& before, const Outcome& outcome);

}  // namespace capstan::vectors
