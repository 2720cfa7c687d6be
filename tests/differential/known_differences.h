#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::differential {

// The differences that are meant to be, of a file in which each is two lines or more: a pattern of
// a difference's line, in which '*' stands for any text, and below it, indented, the reason. Lines
// that begin with '#' are comments.
class KnownDifferences {
 public:
  // Throws std::runtime_error when the file cannot be read or a pattern has no reason.
  explicit KnownDifferences(const std::filesystem::path& file);

  // Whether a pattern matches; it counts as used then.
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
