#include "base/text/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace capstan::text {
namespace {

/// The Levenshtein distance.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string NearestName(std::string_view name, const std::vector<std::string>& names) {
  constexpr size_t kLongest = 200;  // longer names are not typing errors
  if (name.size() > kLongest) return "";
  const std::string* nearest = nullptr;
  size_t distance = std::max<size_t>(name.size() / 3, 2) + 1;
  for (const std::string& candidate : names) {
    const size_t d = EditDistance(name, candidate);
    if (d < distance) {
      distance = d;
      nearest = &candidate;
    }
  }
  return nearest ? *nearest : "";
}

}  // namespace capstan::text
