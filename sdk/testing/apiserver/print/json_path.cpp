#include "apiserver/print/json_path.h"

#include <charconv>
#include <string>
#include <utility>

#include "base/text/ascii.h"

namespace capstan::testing::server {
namespace {

using json::Value;
using Found = std::vector<const Value*>;

// Evaluates the path step by step on the current set of values.
class PathWalk {
 public:
  PathWalk(const Value& value, std::string_view path) : found_{&value}, rest_(path) {}

  bool Run() {
    while (!rest_.empty()) {
      const bool understood = Take('.') ? Name() : Take('[') && Bracket();
      if (!understood) return false;
    }
    return true;
  }
  Found found() && { return std::move(found_); }

 private:
  bool Take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void Member(const std::string& name) {
    Found next;
    for (const Value* value : found_) {
      if (const Value* member = value->Find(name)) next.push_back(member);
    }
    found_ = std::move(next);
  }

  bool Name() {
    std::string name;
    while (!rest_.empty() && rest_.front() != '.' && rest_.front() != '[') {
      Take('\\');  // an escaped dot is part of the name
      if (rest_.empty()) return false;
      name += rest_.front();
      rest_.remove_prefix(1);
    }
    if (name == "*") {
      All();
    } else if (!name.empty()) {
      Member(name);
    } else {
      return rest_.starts_with('[');  // ".[0]"
    }
    return true;
  }

  bool Bracket() {
    if (Take('?')) return Filter();
    const size_t quote = rest_.find_first_not_of(' ');
    if (quote != std::string_view::npos && (rest_[quote] == '\'' || rest_[quote] == '"')) {
      const size_t end = rest_.find(rest_[quote], quote + 1);
      if (end == std::string_view::npos) return false;
      Member(std::string(rest_.substr(quote + 1, end - quote - 1)));
      rest_.remove_prefix(end + 1);
      return Take(']');
    }
    const size_t end = rest_.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view inside = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    if (inside == "*") {
      All();
      return true;
    }
    int64_t index = 0;
    const auto [last, error] = std::from_chars(inside.data(), inside.data() + inside.size(), index);
    if (error != std::errc() || last != inside.data() + inside.size()) return false;
    Index(index);
    return true;
  }

  void All() {
    Found next;
    for (const Value* value : found_) {
      for (const Value& item : value->items()) next.push_back(&item);
      for (const auto& member : value->members()) next.push_back(&member.value);
    }
    found_ = std::move(next);
  }

  void Index(int64_t index) {
    Found next;
    for (const Value* value : found_) {
      const auto size = static_cast<int64_t>(value->items().size());
      const int64_t at = index < 0 ? size + index : index;
      if (at >= 0 && at < size) next.push_back(&value->items()[static_cast<size_t>(at)]);
    }
    found_ = std::move(next);
  }

  // "(@.path==literal)]"
  bool Filter() {
    const size_t end = rest_.find(")]");
    if (!rest_.starts_with("(@") || end == std::string_view::npos) return false;
    std::string_view text = rest_.substr(2, end - 2);
    rest_.remove_prefix(end + 2);
    const size_t op = text.find_first_of("=!");
    const bool equal = op != std::string_view::npos && text[op] == '=';
    if (op == std::string_view::npos || text.substr(op + 1, 1) != "=") return false;
    const auto literal = Literal(text::Trimmed(text.substr(op + 2), " "));
    if (!literal) return false;
    const std::string_view path = text::Trimmed(text.substr(0, op), " ");
    Found next;
    for (const Value* value : found_) {
      for (const Value& item : value->items()) {
        PathWalk walk(item, path);
        if (path.find("[?") != std::string_view::npos || !walk.Run()) return false;
        if (walk.found_.size() == 1 && (*walk.found_[0] == *literal) == equal) {
          next.push_back(&item);
        }
      }
    }
    found_ = std::move(next);
    return true;
  }

  static std::optional<Value> Literal(std::string_view text) {
    if (text.size() >= 2 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0]) {
      return Value(text.substr(1, text.size() - 2));
    }
    auto parsed = json::ParseValue(std::string(text));
    if (!parsed) return std::nullopt;
    return std::move(parsed->value);
  }

  Found found_;
  std::string_view rest_;
};

}  // namespace

std::optional<Found> FindPath(const Value& value, std::string_view path) {
  PathWalk walk(value, path);
  if (!walk.Run()) return std::nullopt;
  return std::move(walk).found();
}

}  // namespace capstan::testing::server
