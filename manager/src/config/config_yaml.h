#pragma once

/// YAML as a tree that knows where everything stands: for files that people write and that must be
/// told where they are wrong.
///
/// The size of a file, of the tree (anchors multiply it) and its depth are bounded.

#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

namespace capstan::manager {

struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  int line = 0;  ///< from 1
  int column = 0;
  bool plain = false;           ///< a scalar without quotes
  std::string text;             ///< a scalar's
  std::vector<YamlNode> items;  ///< a list's items, a map's values
  /// Of a map, one a value, in the order of the file. A key may be there twice.
  std::vector<YamlNode> keys;

  /// Whether a YAML reader takes it for a bool, a number or null: a plain scalar that looks so.
  bool IsPlainWord() const;
  /// Whether it is text that nothing else could be.
  bool IsText() const { return kind == Kind::kScalar && !IsPlainWord(); }
  /// "12:3", line and column.
  std::string Place() const;
  /// The first member of this name; null when there is none, or this is no map.
  const YamlNode* Find(std::string_view key) const;
};

/// "a number", "true or false", "text", "a list": what `node` is, for people.
std::string_view KindName(const YamlNode& node);
/// Whether a scalar of this text would need quotes to be text.
bool NeedsQuotes(std::string_view text);

/// Reads exactly one document. The errors begin with "line:column: ".
Result<YamlNode> ParseYaml(const std::string& text);
/// The whole of a file that may not be large.
Result<std::string> ReadSmallFile(const std::string& path);

}  // namespace capstan::manager
