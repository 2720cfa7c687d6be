#pragma once

/// Regular expressions of schemas, as kube-apiserver's Go compiles them. RE2 has the same syntax
/// (https://github.com/google/re2/wiki/Syntax) and matches in time that is linear in the text.

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
  /// Nothing when Go does not compile `text`, or when the compiled expression is too large.
  static std::optional<Pattern> Compile(std::string_view text);
  /// Whether it is found anywhere in `text`.
  bool IsFoundIn(std::string_view text) const;

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> expression);

  std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace capstan::testing::server
