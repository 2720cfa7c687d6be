#include "apiserver/strategy/job_indexes.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "apiserver/validation/field_error.h"

namespace capstan::testing::server {
namespace {

std::string NotIncreasing(int64_t previous, int64_t current) {
  return "non-increasing order, previous: " + std::to_string(previous) +
         ", current: " + std::to_string(current);
}

// Returns the fault of an index, or "".
std::string ReadIndex(std::string_view text, int64_t completions, int64_t& index) {
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) {
    return "cannot convert string to integer for index: " + Quoted(text);
  }
  return index < completions ? "" : "too large index: " + Quoted(text);
}

std::string ReadInterval(std::string_view text, int64_t completions, IndexInterval& interval) {
  if (std::count(text.begin(), text.end(), '-') > 1) {
    return "the fragment " + Quoted(text) +
           " violates the requirement that an index interval can have at most two parts separated "
           "by '-'";
  }
  const size_t dash = text.find('-');
  std::string fault = ReadIndex(text.substr(0, dash), completions, interval.first);
  interval.last = interval.first;
  if (!fault.empty() || dash == std::string_view::npos) return fault;
  fault = ReadIndex(text.substr(dash + 1), completions, interval.last);
  if (!fault.empty() || interval.first < interval.last) return fault;
  return NotIncreasing(interval.first, interval.last);
}

}  // namespace

JobIndexes ReadJobIndexes(std::string_view text, int64_t completions) {
  JobIndexes indexes;
  if (text.empty()) return indexes;
  for (bool more = true; more;) {
    const size_t comma = text.find(',');
    IndexInterval interval;
    std::string fault = ReadInterval(text.substr(0, comma), completions, interval);
    if (fault.empty()) {
      if (!indexes.intervals.empty() && indexes.intervals.back().last >= interval.first) {
        fault = NotIncreasing(indexes.intervals.back().last, interval.first);
      }
      indexes.intervals.push_back(interval);
      indexes.count += interval.last - interval.first + 1;
    }
    if (indexes.fault.empty()) indexes.fault = std::move(fault);
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  if (!indexes.fault.empty()) indexes.count = 0;
  return indexes;
}

int64_t FirstCommonIndex(const std::vector<IndexInterval>& a, const std::vector<IndexInterval>& b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].first <= b[j].last && b[j].first <= a[i].last) {
      return std::max(a[i].first, b[j].first);
    }
    ++(a[i].first <= b[j].first ? i : j);
  }
  return -1;
}

}  // namespace capstan::testing::server
