#include "apiserver/validation/pattern.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <re2/re2.h>

namespace capstan::testing::server {
namespace {

// Go accepts larger expressions, but schemas do not have them. These limits bound the memory of
// malicious expressions.
constexpr int64_t kMostMemory = 32 << 20;
constexpr size_t kLongestExpression = 100'000;
// Go's limit for nesting.
constexpr int kDeepest = 1000;

// Rewrites an expression where this version of RE2 differs from Go's parser. One difference
// remains: RE2 matches \B inside multi-byte characters.
class GoSyntax {
 public:
  explicit GoSyntax(std::string_view text) : text_(text) {}

  // Returns the expression in RE2's syntax, or nullopt if Go rejects it.
  std::optional<std::string> Rewrite() {
    while (!text_.empty() && !refused_) Next();
    if (refused_) return std::nullopt;
    return std::move(out_);
  }

 private:
  void Next() {
    if (text_.starts_with("\\Q")) return Copy(std::min(text_.find("\\E"), text_.size()));
    if (text_[0] == '\\') {
      refused_ = text_.starts_with("\\C");  // matches one byte; only RE2 supports it
      return Copy(2);
    }
    if (in_class_) return NextOfClass();
    if (text_[0] == '[') {
      in_class_ = true;
      // A leading bracket is a member of the class.
      return Copy(text_.starts_with("[^]") ? 3 : text_.starts_with("[]") ? 2 : 1);
    }
    if (text_[0] == '(') return Open();
    if (text_[0] == ')') --depth_;
    Copy(1);
  }

  void NextOfClass() {
    if (text_.starts_with("[:")) {
      const size_t end = text_.find(":]");
      return Copy(end == text_.npos ? 1 : end + 2);
    }
    in_class_ = text_[0] != ']';
    Copy(1);
  }

  void Open() {
    refused_ = ++depth_ > kDeepest;
    const bool is_named = text_.starts_with("(?<");
    Copy(is_named ? 2 : 1);
    if (is_named) out_ += 'P';
  }

  void Copy(size_t size) {
    out_ += text_.substr(0, size);
    text_.remove_prefix(std::min(size, text_.size()));
  }

  std::string_view text_;
  std::string out_;
  int depth_ = 0;
  bool in_class_ = false;
  bool refused_ = false;
};

}  // namespace

Pattern::Pattern(std::shared_ptr<const re2::RE2> expression) : expression_(std::move(expression)) {}

std::optional<Pattern> Pattern::Compile(std::string_view text) {
  if (text.size() > kLongestExpression) return std::nullopt;
  const std::optional<std::string> rewritten = GoSyntax(text).Rewrite();
  if (!rewritten) return std::nullopt;
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(kMostMemory);
  auto expression = std::make_shared<const re2::RE2>(*rewritten, options);
  if (!expression->ok()) return std::nullopt;
  return Pattern(std::move(expression));
}

bool Pattern::IsFoundIn(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *expression_);
}

}  // namespace capstan::testing::server
