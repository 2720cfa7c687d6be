#pragma once

/// Regular expressions in schemas, with the syntax of kube-apiserver's Go. RE2 has the same syntax
/// (https://github.com/google/re2/wiki/Syntax) and matches in time linear in the text.

#include <memory>
#include <optional>
#include <string_view>

namespace re2 {
class RE2;
}

namespace capstan::testing::server {

/// Threads: immutable.
class Pattern {
 public:
  /// Returns nullopt if Go does not compile `text`, or if the compiled expression is too large.
  static std::optional<Pattern> Compile(std::string_view text);
  /// Whether the expression matches anywhere in `text`.
  bool IsFoundIn(std::string_view text) const;

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> expression);

  std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace capstan::testing::server
