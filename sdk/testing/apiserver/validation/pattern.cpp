#include "apiserver/validation/pattern.h"

#include <algorithm>
#include <utility>

#include "apiserver/validation/pattern_parser.h"

namespace capstan::testing::server {
namespace {

constexpr size_t kMostSteps = 20'000;
constexpr size_t kMostVisits = 100'000;

bool IsWordCharacter(char32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

}  // namespace

// Makes steps of a tree. A place behind the last step is where a part goes on when it is done.
class PatternCompiler {
 public:
  explicit PatternCompiler(Pattern& pattern) : pattern_(pattern) {}

  bool Compile(const PatternNode& root) {
    Emit(root);
    Add({Step::Kind::kFound});
    return !too_large_;
  }

 private:
  using Step = Pattern::Step;

  uint32_t Here() const { return static_cast<uint32_t>(pattern_.steps_.size()); }

  uint32_t Add(Step step) {
    if (pattern_.steps_.size() >= kMostSteps) {
      too_large_ = true;
      return 0;
    }
    pattern_.steps_.push_back(step);
    return Here() - 1;
  }

  void Emit(const PatternNode& node) {
    // What repeats nothing makes no steps, but takes its time.
    if (++visits_ > kMostVisits) too_large_ = true;
    if (too_large_) return;
    switch (node.kind) {
      case PatternNode::Kind::kEmpty:
        return;
      case PatternNode::Kind::kSet:
        EmitSet(node);
        return;
      case PatternNode::Kind::kBegin:
        Add({Step::Kind::kBegin});
        return;
      case PatternNode::Kind::kEnd:
        Add({Step::Kind::kEnd});
        return;
      case PatternNode::Kind::kWord:
        Add({Step::Kind::kWord});
        return;
      case PatternNode::Kind::kNotWord:
        Add({Step::Kind::kNotWord});
        return;
      case PatternNode::Kind::kSequence:
        for (const PatternNode& part : node.parts) Emit(part);
        return;
      case PatternNode::Kind::kChoice:
        EmitChoice(node);
        return;
      case PatternNode::Kind::kRepeat:
        EmitRepeat(node);
        return;
    }
  }

  void EmitSet(const PatternNode& node) {
    std::vector<Pattern::Range> ranges;
    ranges.reserve(node.ranges.size());
    for (const auto& [first, last] : node.ranges) ranges.push_back({first, last});
    pattern_.sets_.push_back(std::move(ranges));
    Add({Step::Kind::kSet, 0, static_cast<uint32_t>(pattern_.sets_.size() - 1)});
  }

  void EmitChoice(const PatternNode& node) {
    std::vector<uint32_t> ends;
    for (size_t i = 0; i + 1 < node.parts.size(); ++i) {
      const uint32_t split = Add({Step::Kind::kSplit});
      if (too_large_) return;
      pattern_.steps_[split].next = Here();
      Emit(node.parts[i]);
      ends.push_back(Add({Step::Kind::kJump}));
      if (too_large_) return;
      pattern_.steps_[split].other = Here();
    }
    Emit(node.parts.back());
    for (const uint32_t end : ends) pattern_.steps_[end].next = Here();
  }

  void EmitRepeat(const PatternNode& node) {
    const PatternNode& part = node.parts.front();
    for (int i = 0; i < node.least; ++i) Emit(part);
    if (node.most < 0) {
      const uint32_t split = Add({Step::Kind::kSplit});
      Emit(part);
      const uint32_t back = Add({Step::Kind::kJump});
      if (too_large_) return;
      pattern_.steps_[back].next = split;
      pattern_.steps_[split].next = split + 1;
      pattern_.steps_[split].other = Here();
      return;
    }
    std::vector<uint32_t> splits;
    for (int i = node.least; i < node.most && !too_large_; ++i) {
      splits.push_back(Add({Step::Kind::kSplit}));
      Emit(part);
    }
    if (too_large_) return;
    for (const uint32_t split : splits) {
      pattern_.steps_[split].next = split + 1;
      pattern_.steps_[split].other = Here();
    }
  }

  Pattern& pattern_;
  size_t visits_ = 0;
  bool too_large_ = false;
};

// All the places that the expression can be at, at one place of the text.
struct Pattern::Walk {
  std::vector<uint32_t> places;
  std::vector<bool> seen;
  std::vector<uint32_t> open;  // still to be followed
  bool begin = false;
  bool end = false;
  bool word_before = false;
  bool word_after = false;
  bool found = false;
};

std::optional<Pattern> Pattern::Compile(std::string_view text) {
  std::optional<PatternNode> root = ParsePattern(text);
  if (!root) return std::nullopt;
  Pattern pattern;
  if (!PatternCompiler(pattern).Compile(*root)) return std::nullopt;
  return pattern;
}

bool Pattern::Contains(uint32_t set, char32_t c) const {
  const auto& ranges = sets_[set];
  return std::any_of(ranges.begin(), ranges.end(),
                     [c](const Range& range) { return c >= range.first && c <= range.last; });
}

void Pattern::Follow(Walk& walk, uint32_t place) const {
  walk.open.push_back(place);
  while (!walk.open.empty()) {
    const uint32_t here = walk.open.back();
    walk.open.pop_back();
    if (walk.seen[here]) continue;
    walk.seen[here] = true;
    const Step& step = steps_[here];
    bool passes = false;
    switch (step.kind) {
      case Step::Kind::kSet:
        walk.places.push_back(here);
        continue;
      case Step::Kind::kFound:
        walk.found = true;
        continue;
      case Step::Kind::kSplit:
        walk.open.push_back(step.other);
        walk.open.push_back(step.next);
        continue;
      case Step::Kind::kJump:
        walk.open.push_back(step.next);
        continue;
      case Step::Kind::kBegin:
        passes = walk.begin;
        break;
      case Step::Kind::kEnd:
        passes = walk.end;
        break;
      case Step::Kind::kWord:
        passes = walk.word_before != walk.word_after;
        break;
      case Step::Kind::kNotWord:
        passes = walk.word_before == walk.word_after;
        break;
    }
    if (passes) walk.open.push_back(here + 1);
  }
}

bool Pattern::IsFoundIn(std::string_view text) const {
  const std::u32string characters = CharactersOf(text);
  Walk walk;
  std::vector<uint32_t> next;
  for (size_t i = 0; i <= characters.size(); ++i) {
    walk.seen.assign(steps_.size(), false);
    walk.places.clear();
    walk.begin = i == 0;
    walk.end = i == characters.size();
    walk.word_before = i > 0 && IsWordCharacter(characters[i - 1]);
    walk.word_after = !walk.end && IsWordCharacter(characters[i]);
    for (const uint32_t place : next) Follow(walk, place);
    Follow(walk, 0);  // it may begin anywhere
    if (walk.found) return true;
    if (walk.end) return false;
    next.clear();
    for (const uint32_t place : walk.places) {
      if (Contains(steps_[place].other, characters[i])) next.push_back(place + 1);
    }
  }
  return false;
}

}  // namespace capstan::testing::server
