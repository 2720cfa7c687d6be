#include "known_differences.h"

#include <fstream>
#include <stdexcept>

namespace capstan::differential {

bool MatchesPattern(std::string_view text, std::string_view pattern) {
  size_t at = 0;
  size_t in_pattern = 0;
  size_t star = std::string_view::npos;
  size_t resumed = 0;
  while (at < text.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      resumed = at;
    } else if (in_pattern < pattern.size() && pattern[in_pattern] == text[at]) {
      ++in_pattern;
      ++at;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      at = ++resumed;
    } else {
      return false;
    }
  }
  while (in_pattern < pattern.size() && pattern[in_pattern] == '*') ++in_pattern;
  return in_pattern == pattern.size();
}

KnownDifferences::KnownDifferences(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] != ' ') {
      known_.push_back({line, "", false});
    } else if (!known_.empty()) {
      known_.back().reason += line.substr(line.find_first_not_of(' ')) + " ";
    }
  }
  for (const Known& known : known_) {
    if (known.reason.empty()) {
      throw std::runtime_error(file.string() + ": no reason is given for: " + known.pattern);
    }
  }
}

bool KnownDifferences::Covers(std::string_view difference) {
  bool covered = false;
  for (Known& known : known_) {
    if (!MatchesPattern(difference, known.pattern)) continue;
    known.used = true;
    covered = true;
  }
  return covered;
}

std::vector<std::string> KnownDifferences::Unused() const {
  std::vector<std::string> unused;
  for (const Known& known : known_) {
    if (!known.used) unused.push_back(known.pattern);
  }
  return unused;
}

}  // namespace capstan::differential
