#pragma once

// An outcome without what the rules of README.md leave open: outcomes that agree become equal.

#include <string>
#include <vector>

#include "comparison.h"

namespace capstan::vectors {

// "replicaSets/default/web-1" and the like, with the object.
using CanonicalObjects = std::map<std::string, json::Value>;

struct Canonical {
  CanonicalObjects objects;
  std::vector<std::string> events;  // sorted
};

Canonical CanonicalOutcome(const State& before, const Outcome& outcome);

}  // namespace capstan::vectors
