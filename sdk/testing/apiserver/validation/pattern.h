#pragma once

// Regular expressions of schemas, in Go's syntax (https://github.com/google/re2/wiki/Syntax), in
// time that grows with the text times the expression, whatever both are.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::testing::server {

class Pattern {
 public:
  // Nothing when the text is no expression, or uses what is not known here (Unicode classes,
  // multi-line mode).
  static std::optional<Pattern> Compile(std::string_view text);
  // Whether it is found anywhere in `text`.
  bool IsFoundIn(std::string_view text) const;

 private:
  friend class PatternCompiler;

  struct Range {
    char32_t first;
    char32_t last;
  };
  struct Step {
    enum class Kind : uint8_t { kSet, kSplit, kJump, kBegin, kEnd, kWord, kNotWord, kFound };
    Kind kind = Kind::kFound;
    uint32_t next = 0;   // kSplit, kJump: where to go on
    uint32_t other = 0;  // kSplit: the second place; kSet: which
  };
  struct Walk;

  bool Contains(uint32_t set, char32_t c) const;
  void Follow(Walk& walk, uint32_t place) const;

  std::vector<Step> steps_;
  std::vector<std::vector<Range>> sets_;
};

}  // namespace capstan::testing::server
