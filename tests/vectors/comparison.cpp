#include "comparison.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "canonical.h"

namespace capstan::vectors {
namespace {

using json::Value;

constexpr size_t kLongestValue = 300;

std::string Shown(const Value* value) {
  if (!value) return "absent";
  std::string text = json::ToJson(*value);
  if (text.size() > kLongestValue) {
    text.resize(kLongestValue);
    text += "...";
  }
  return text;
}

// Keys may contain '/': "metadata/annotations/example.com~1owner", as in a JSON pointer.
std::string Escaped(std::string_view key) {
  std::string text;
  for (const char c : key) text += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return text;
}

class Walk {
 public:
  explicit Walk(std::vector<std::string>& found) : found_(found) {}

  void Compare(const std::string& path, const Value* ours, const Value* theirs) {
    if (ours && theirs) {
      if (*ours == *theirs) return;
      if (ours->IsObject() && theirs->IsObject()) return CompareMembers(path, *ours, *theirs);
      if (ours->IsArray() && theirs->IsArray() && ours->items().size() == theirs->items().size()) {
        return CompareItems(path, ours->items(), theirs->items());
      }
    }
    found_.push_back(path + ": " + Shown(ours) + " | " + Shown(theirs));
  }

 private:
  void CompareMembers(const std::string& path, const Value& ours, const Value& theirs) {
    for (const json::Member& member : ours.members()) {
      Compare(path + "/" + Escaped(member.key), &member.value, theirs.Find(member.key));
    }
    for (const json::Member& member : theirs.members()) {
      if (!ours.Find(member.key)) {
        Compare(path + "/" + Escaped(member.key), nullptr, &member.value);
      }
    }
  }
  void CompareItems(const std::string& path, const Value::Items& ours, const Value::Items& theirs) {
    for (size_t i = 0; i < ours.size(); ++i) {
      Compare(path + "/" + std::to_string(i), &ours[i], &theirs[i]);
    }
  }

  std::vector<std::string>& found_;
};

void CompareObjects(const CanonicalObjects& ours, const CanonicalObjects& theirs,
                    std::vector<std::string>& found) {
  for (const auto& [path, object] : ours) {
    const auto other = theirs.find(path);
    if (other == theirs.end()) {
      found.push_back(path + ": present | absent");
    } else {
      Walk(found).Compare(path, &object, &other->second);
    }
  }
  for (const auto& [path, object] : theirs) {
    if (!ours.contains(path)) found.push_back(path + ": absent | present");
  }
}

void CompareEvents(const std::vector<std::string>& ours, const std::vector<std::string>& theirs,
                   std::vector<std::string>& found) {
  std::vector<std::string> more;
  std::vector<std::string> missing;
  std::set_difference(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                      std::back_inserter(more));
  std::set_difference(theirs.begin(), theirs.end(), ours.begin(), ours.end(),
                      std::back_inserter(missing));
  for (size_t i = 0; i < std::max(more.size(), missing.size()); ++i) {
    found.push_back("events: " + (i < more.size() ? more[i] : "absent") + " | " +
                    (i < missing.size() ? missing[i] : "absent"));
  }
}

}  // namespace

std::vector<std::string> Differences(const State& before, const Outcome& ours,
                                     const Outcome& theirs) {
  const Canonical left = CanonicalOutcome(before, ours);
  const Canonical right = CanonicalOutcome(before, theirs);
  std::vector<std::string> found;
  CompareObjects(left.objects, right.objects, found);
  CompareEvents(left.events, right.events, found);
  return found;
}

}  // namespace capstan::vectors
