#pragma once

// The tree of a regular expression.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace capstan::testing::server {

struct PatternNode {
  enum class Kind : uint8_t {
    kEmpty,
    kSet,    // one character of `ranges`
    kBegin,  // of the text
    kEnd,
    kWord,  // the border of a word
    kNotWord,
    kSequence,  // of parts
    kChoice,    // of parts
    kRepeat,    // parts[0], from `least` to `most` times
  };
  Kind kind = Kind::kEmpty;
  std::vector<std::pair<char32_t, char32_t>> ranges = {};
  std::vector<PatternNode> parts = {};
  int least = 0;
  int most = -1;  // -1 = any number
};

std::optional<PatternNode> ParsePattern(std::string_view text);
// The code points of valid UTF-8.
std::u32string CharactersOf(std::string_view text);

}  // namespace capstan::testing::server
