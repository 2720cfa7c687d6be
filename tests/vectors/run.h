#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>

#include "differential/known_differences.h"

namespace capstan::vectors {

struct RunOptions {
  std::filesystem::path folder;
  bool is_own = true;           // the repository's vectors: each known difference must occur
  std::string controller = {};  // "" = both
  std::optional<int64_t> id = {};
  int64_t every = 1;  // only ids divisible by this number
  bool all = false;
  bool verbose = false;
};

// Replays the vectors and prints how many agree, and why the others do not. Returns true when all
// agree except for the known differences. Throws std::runtime_error for files that cannot be read.
bool Run(const RunOptions& options, differential::KnownDifferences& known, std::ostream& out);

}  // namespace capstan::vectors
