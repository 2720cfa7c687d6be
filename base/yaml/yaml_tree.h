#pragma once

/// YAML as a tree that knows where everything stands. Its size is bounded: an alias is a copy, and
/// counts as often as it is used.
///
/// The tree keeps what its readers treat differently: keys that are there twice, merge keys ("<<")
/// and explicit tags.

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace capstan::yaml {

struct Node {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  int line = 0;  ///< from 1
  int column = 0;
  bool plain = false;       ///< a scalar without quotes and without a tag
  std::string text;         ///< a scalar's
  std::string tag;          ///< an explicit one: "!x", "tag:yaml.org,2002:str"
  std::vector<Node> items;  ///< a list's items, a map's values
  /// Of a map, one a value, in the order of the file. A key may be there twice.
  std::vector<Node> keys;

  bool IsNull() const { return kind == Kind::kNull; }
  bool IsScalar() const { return kind == Kind::kScalar; }
  bool IsList() const { return kind == Kind::kList; }
  bool IsMap() const { return kind == Kind::kMap; }
  /// "12:3", line and column.
  std::string Place() const;
  /// The value of the first key that is a scalar of this text; null when there is none, or this is
  /// no map.
  const Node* Find(std::string_view key) const;
};

/// Why a text is no tree.
struct Error {
  enum class Kind {
    kSyntax,         ///< `text` says more
    kTag,            ///< `text` is the tag
    kSelfReference,  ///< an anchor's value contains the anchor
    kTooManyNodes,
    kTooDeep,
    kNoDocument,
    kManyDocuments,
  };
  Kind kind;
  int line = 0;  ///< from 1; 0: unknown
  int column = 0;
  std::string text = {};
};

struct Options {
  size_t max_nodes;  ///< keys count too
  size_t max_depth;  ///< of lists and maps
  /// Whether a text of none or several documents is an error. Otherwise the first is read, of which
  /// there may be none, and what follows it is not looked at.
  bool one_document = true;
  bool accepts_tags = true;  ///< explicit ones
};

/// A key that its map has before already, wherever it is below `node`; null when there is none.
const Node* FindRepeatedKey(const Node& node);

std::variant<Node, Error> Parse(const std::string& text, const Options& options);

}  // namespace capstan::yaml
