#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace capstan::simulation {

// One history of a cluster, determined by the seed: managers, user actions, the fate of pods, and
// faults. Then all disturbances end, and the controllers must converge.
struct History {
  std::string failure;             // what is wrong, or ""
  std::vector<std::string> trace;  // the events, when a trace was requested
  size_t requests = 0;
  size_t faults = 0;
  size_t checks = 0;  // number of rule checks
};

// Throws std::runtime_error when the plugins cannot be loaded.
History Simulate(uint64_t seed, bool trace);

}  // namespace capstan::simulation
