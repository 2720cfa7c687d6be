#include "known_differences.h"

#include <fstream>
#include <stdexcept>

#include "cluster/text_pattern.h"

namespace capstan::differential {

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
      throw std::runtime_error(file.string() + ": missing reason for: " + known.pattern);
    }
  }
}

bool KnownDifferences::Covers(std::string_view difference) {
  bool covered = false;
  for (Known& known : known_) {
    if (!testing::MatchesPattern(known.pattern, difference)) continue;
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
