#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::differential {

// The expected differences, read from a file. Each entry has two or more lines: a pattern of a
// difference's line, in which '*' matches any text, and the reason in indented lines below it.
// Lines that begin with '#' are comments.
class KnownDifferences {
 public:
  // Throws std::runtime_error when the file cannot be read or a pattern has no reason.
  explicit KnownDifferences(const std::filesystem::path& file);

  // Whether a pattern matches. The pattern then counts as used.
  bool Covers(std::string_view difference);
  std::vector<std::string> Unused() const;

 private:
  struct Known {
    std::string pattern;
    std::string reason;
    bool used = false;
  };
  std::vector<Known> known_;
};

}  // namespace capstan::differential
