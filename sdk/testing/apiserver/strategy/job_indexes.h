#pragma once

/// The indexes of a Job's pods in its status and success policy: "1,3-5,7".

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::testing::server {

struct IndexInterval {
  int64_t first = 0;
  int64_t last = 0;
};

struct JobIndexes {
  std::vector<IndexInterval> intervals;  ///< those that can be read
  int64_t count = 0;                     ///< 0 if there is a fault
  std::string fault = {};                ///< the first one, "" if there is none
};

/// Reads the indexes of a Job with `completions` indexes.
JobIndexes ReadJobIndexes(std::string_view text, int64_t completions);

/// Returns the first index that both have, or -1. The intervals are in ascending order.
int64_t FirstCommonIndex(const std::vector<IndexInterval>& a, const std::vector<IndexInterval>& b);

}  // namespace capstan::testing::server
