#include "apiserver/validation/pattern_parser.h"

#include <algorithm>
#include <array>

namespace capstan::testing::server {
namespace {

constexpr char32_t kLastCharacter = 0x10ffff;
constexpr int kMostRepeats = 1000;
constexpr int kDeepest = 100;

using Ranges = std::vector<std::pair<char32_t, char32_t>>;

Ranges Negated(Ranges ranges) {
  std::sort(ranges.begin(), ranges.end());
  Ranges negated;
  char32_t next = 0;
  for (const auto& [first, last] : ranges) {
    if (first > next) negated.emplace_back(next, first - 1);
    next = std::max<char32_t>(next, last + 1);
  }
  if (next <= kLastCharacter) negated.emplace_back(next, kLastCharacter);
  return negated;
}

void Append(Ranges& ranges, const Ranges& more) {
  ranges.insert(ranges.end(), more.begin(), more.end());
}

struct NamedClass {
  std::u32string_view name;
  std::array<std::pair<char32_t, char32_t>, 4> ranges;
  size_t size;
};
constexpr std::array<NamedClass, 9> kClasses = {{
    {U"alnum", {{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}}, 3},
    {U"alpha", {{{'A', 'Z'}, {'a', 'z'}}}, 2},
    {U"digit", {{{'0', '9'}}}, 1},
    {U"lower", {{{'a', 'z'}}}, 1},
    {U"upper", {{{'A', 'Z'}}}, 1},
    {U"space", {{{'\t', '\r'}, {' ', ' '}}}, 2},
    {U"word", {{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}, {'_', '_'}}}, 4},
    {U"xdigit", {{{'0', '9'}, {'A', 'F'}, {'a', 'f'}}}, 3},
    {U"punct", {{{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}}, 4},
}};

std::optional<Ranges> ClassOf(std::u32string_view name) {
  for (const NamedClass& one : kClasses) {
    if (one.name == name) return Ranges(one.ranges.begin(), one.ranges.begin() + one.size);
  }
  return std::nullopt;
}

// \d, \w and \s, and in capitals what they are not.
std::optional<Ranges> ClassOfEscape(char32_t c) {
  switch (c) {
    case 'd':
      return ClassOf(U"digit");
    case 'D':
      return Negated(*ClassOf(U"digit"));
    case 'w':
      return ClassOf(U"word");
    case 'W':
      return Negated(*ClassOf(U"word"));
    case 's':
      return Ranges{{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};
    case 'S':
      return Negated({{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}});
    default:
      return std::nullopt;
  }
}

class Parser {
 public:
  explicit Parser(std::u32string text) : text_(std::move(text)) {}

  std::optional<PatternNode> Parse() {
    PatternNode root = Choice(0);
    if (failed_ || at_ != text_.size()) return std::nullopt;
    return root;
  }

 private:
  bool Done() const { return at_ >= text_.size(); }
  char32_t Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : U'\0';
  }
  bool Take(char32_t c) {
    if (Done() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  PatternNode Fail() {
    failed_ = true;
    at_ = text_.size();
    return {};
  }

  PatternNode Choice(int depth) {
    if (depth > kDeepest) return Fail();
    const bool folds = folds_;
    const bool dot_all = dot_all_;
    PatternNode choice{.kind = PatternNode::Kind::kChoice};
    do {
      choice.parts.push_back(Sequence(depth));
    } while (!failed_ && Take('|'));
    folds_ = folds;  // flags hold to the end of their group
    dot_all_ = dot_all;
    return choice.parts.size() == 1 ? std::move(choice.parts.front()) : std::move(choice);
  }

  PatternNode Sequence(int depth) {
    PatternNode sequence{.kind = PatternNode::Kind::kSequence};
    while (!Done() && Peek() != '|' && Peek() != ')') {
      PatternNode part = Atom(depth);
      if (failed_) return {};
      sequence.parts.push_back(Repeated(std::move(part)));
    }
    return sequence;
  }

  PatternNode Repeated(PatternNode part) {
    constexpr int kMostInARow = 2;
    for (int repeats = 0; !Done(); ++repeats) {
      int least = 0;
      int most = -1;
      if (Take('*')) {
      } else if (Take('+')) {
        least = 1;
      } else if (Take('?')) {
        most = 1;
      } else if (Peek() != '{' || !Counts(least, most)) {
        return part;
      }
      Take('?');  // what is found stays the same
      PatternNode repeat{.kind = PatternNode::Kind::kRepeat, .least = least, .most = most};
      repeat.parts.push_back(std::move(part));
      part = std::move(repeat);
      if (repeats >= kMostInARow) return Fail();
    }
    return part;
  }

  bool Number(size_t& at, int& number) const {
    const size_t begin = at;
    number = 0;
    while (at < text_.size() && text_[at] >= '0' && text_[at] <= '9' && at < begin + 5) {
      number = number * 10 + static_cast<int>(text_[at++] - '0');
    }
    return at > begin;
  }

  // {2}, {2,} or {2,5}; anything else is the character itself.
  bool Counts(int& least, int& most) {
    size_t at = at_ + 1;
    if (!Number(at, least)) return false;
    most = least;
    if (at < text_.size() && text_[at] == ',') {
      ++at;
      if (!Number(at, most)) most = -1;
    }
    if (at >= text_.size() || text_[at] != '}') return false;
    at_ = at + 1;
    if (least > kMostRepeats || most > kMostRepeats || (most >= 0 && most < least)) Fail();
    return true;
  }

  PatternNode Set(Ranges ranges) const {
    if (folds_) {
      Ranges other;
      for (const auto& [first, last] : ranges) {
        for (char32_t c = std::max<char32_t>(first, 'A'); c <= last && c <= 'z'; ++c) {
          if (c <= 'Z') other.emplace_back(c + 32, c + 32);
          if (c >= 'a') other.emplace_back(c - 32, c - 32);
        }
      }
      Append(ranges, other);
    }
    return {.kind = PatternNode::Kind::kSet, .ranges = std::move(ranges)};
  }

  PatternNode Atom(int depth) {
    const char32_t c = text_[at_++];
    switch (c) {
      case '(':
        return Group(depth);
      case '[':
        return Class();
      case '.':
        return Set(dot_all_ ? Ranges{{0, kLastCharacter}} : Negated({{'\n', '\n'}}));
      case '^':
        return {.kind = PatternNode::Kind::kBegin};
      case '$':
        return {.kind = PatternNode::Kind::kEnd};
      case '*':
      case '+':
      case '?':
        return Fail();
      case '\\':
        return Escape();
      default:
        return Set({{c, c}});
    }
  }

  // Of "(?i)", "(?:", "(?P<name>" and "(?<name>" behind the "(?". False when it is no group.
  bool Flags(bool& is_group) {
    is_group = true;
    if (Peek() == 'P' || Peek() == '<') {
      Take('P');
      if (!Take('<')) return false;
      while (!Done() && Peek() != '>') ++at_;
      return Take('>');
    }
    bool value = true;
    while (!Done()) {
      const char32_t c = text_[at_++];
      if (c == ':') return true;
      if (c == ')') {
        is_group = false;
        return true;
      }
      if (c == '-') {
        value = false;
      } else if (c == 'i') {
        folds_ = value;
      } else if (c == 's') {
        dot_all_ = value;
      } else if (c != 'U') {
        return false;
      }
    }
    return false;
  }

  PatternNode Group(int depth) {
    const bool folds = folds_;
    const bool dot_all = dot_all_;
    if (Take('?')) {
      bool is_group = true;
      if (!Flags(is_group)) return Fail();
      if (!is_group) return {};
    }
    PatternNode group = Choice(depth + 1);
    folds_ = folds;
    dot_all_ = dot_all;
    if (!Take(')')) return Fail();
    return group;
  }

  // A character written as an escape, behind the backslash.
  std::optional<char32_t> EscapedCharacter() {
    const char32_t c = text_[at_++];
    switch (c) {
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case 'r':
        return '\r';
      case 'f':
        return '\f';
      case 'v':
        return '\v';
      case 'a':
        return '\a';
      case 'x':
        return Hexadecimal();
      default:
        break;
    }
    const bool letter = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    return letter || c >= 0x80 ? std::nullopt : std::optional(c);
  }

  std::optional<char32_t> Hexadecimal() {
    const bool braces = Take('{');
    char32_t value = 0;
    int digits = 0;
    while (!Done() && digits < (braces ? 6 : 2)) {
      const char32_t c = Peek();
      const char32_t lower = c | 32;
      if (c >= '0' && c <= '9') {
        value = value * 16 + (c - '0');
      } else if (lower >= 'a' && lower <= 'f') {
        value = value * 16 + (lower - 'a' + 10);
      } else {
        break;
      }
      ++at_;
      ++digits;
    }
    const bool whole = braces ? digits > 0 && Take('}') : digits == 2;
    if (!whole || value > kLastCharacter) return std::nullopt;
    return value;
  }

  PatternNode Escape() {
    if (Done()) return Fail();
    if (const auto ranges = ClassOfEscape(Peek())) {
      ++at_;
      return Set(*ranges);
    }
    if (Take('b')) return {.kind = PatternNode::Kind::kWord};
    if (Take('B')) return {.kind = PatternNode::Kind::kNotWord};
    if (Take('A')) return {.kind = PatternNode::Kind::kBegin};
    if (Take('z')) return {.kind = PatternNode::Kind::kEnd};
    const auto c = EscapedCharacter();
    return c ? Set({{*c, *c}}) : Fail();
  }

  // One character of a class that may begin or end a range.
  std::optional<char32_t> ClassCharacter() {
    if (Done()) return std::nullopt;
    if (!Take('\\')) return text_[at_++];
    return Done() ? std::nullopt : EscapedCharacter();
  }

  // [:alpha:], [:^alpha:]. False when there is none here.
  bool Named(Ranges& ranges) {
    if (Peek() != '[' || Peek(1) != ':') return false;
    const size_t end = text_.find(U":]", at_ + 2);
    if (end == std::u32string::npos) return false;
    std::u32string_view name = std::u32string_view(text_).substr(at_ + 2, end - at_ - 2);
    const bool negated = !name.empty() && name.front() == '^';
    if (negated) name.remove_prefix(1);
    const auto found = ClassOf(name);
    if (!found) return false;
    Append(ranges, negated ? Negated(*found) : *found);
    at_ = end + 2;
    return true;
  }

  PatternNode Class() {
    const bool negated = Take('^');
    Ranges ranges;
    for (bool first = true; first || Peek() != ']'; first = false) {
      if (Done()) return Fail();
      if (Named(ranges)) continue;
      if (Peek() == '\\') {
        if (const auto of_escape = ClassOfEscape(Peek(1))) {
          at_ += 2;
          Append(ranges, *of_escape);
          continue;
        }
      }
      const auto low = ClassCharacter();
      if (!low) return Fail();
      auto high = low;
      if (Peek() == '-' && Peek(1) != ']' && Peek(1) != U'\0') {
        ++at_;
        high = ClassCharacter();
      }
      if (!high || *high < *low) return Fail();
      ranges.emplace_back(*low, *high);
    }
    ++at_;
    PatternNode set = Set(std::move(ranges));
    if (negated) set.ranges = Negated(std::move(set.ranges));
    return set;
  }

  const std::u32string text_;
  size_t at_ = 0;
  bool failed_ = false;
  bool folds_ = false;    // capitals and small letters are the same
  bool dot_all_ = false;  // a dot is a line break too
};

}  // namespace

std::u32string CharactersOf(std::string_view text) {
  std::u32string characters;
  characters.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i++]);
    int more = 0;
    if (byte >= 0xf0) {
      more = 3;
    } else if (byte >= 0xe0) {
      more = 2;
    } else if (byte >= 0xc0) {
      more = 1;
    }
    char32_t c = more == 0 ? byte : byte & (0x3f >> more);
    for (; more > 0 && i < text.size(); --more) {
      c = (c << 6) | (static_cast<unsigned char>(text[i++]) & 0x3f);
    }
    characters.push_back(c);
  }
  return characters;
}

std::optional<PatternNode> ParsePattern(std::string_view text) {
  return Parser(CharactersOf(text)).Parse();
}

}  // namespace capstan::testing::server
