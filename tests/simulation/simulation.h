#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace capstan::simulation {

// One history of a cluster, all of it decided by the seed: managers, what users do, what becomes of
// pods, and faults. Then all of that ends, and the controllers have to bring the cluster to rest.
struct History {
  std::string failure;             // why it is not as it should be, or ""
  std::vector<std::string> trace;  // what happened, when it was asked for
  size_t requests = 0;
  size_t faults = 0;
  size_t checks = 0;  // how often a rule was looked at
};

// Throws std::runtime_error when the plugins cannot be loaded.
History Simulate(uint64_t seed, bool trace);

}  // namespace capstan::simulation
