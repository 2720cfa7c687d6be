#pragma once

/// YAML as a tree with source positions. Its size is limited. An alias is a copy and counts each
/// time it is used.
///
/// The tree keeps what its users treat differently: duplicate keys, merge keys ("<<") and
/// explicit tags.

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
  std::string text;         ///< of a scalar
  std::string tag;          ///< explicit: "!x", "tag:yaml.org,2002:str"
  std::vector<Node> items;  ///< the items of a list, or the values of a map
  /// The keys of a map, one per value, in file order. They may contain duplicates.
  std::vector<Node> keys;

  bool IsNull() const { return kind == Kind::kNull; }
  bool IsScalar() const { return kind == Kind::kScalar; }
  bool IsList() const { return kind == Kind::kList; }
  bool IsMap() const { return kind == Kind::kMap; }
  /// The position as "line:column": "12:3".
  std::string Place() const;
  /// The value of the first scalar key with this text. Null if there is none or this is not a map.
  const Node* Find(std::string_view key) const;
};

/// Why a text could not be parsed.
struct Error {
  enum class Kind {
    kSyntax,         ///< `text` has the details
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
  size_t max_nodes;  ///< keys are counted
  size_t max_depth;  ///< nesting of lists and maps
  /// Whether a text must have exactly one document. Otherwise the first document is read, if any,
  /// and the rest is ignored.
  bool one_document = true;
  bool accepts_tags = true;  ///< explicit tags
};

/// Keeps the last value of each duplicate key of the maps at and below `node`. Returns the keys
/// whose earlier values were removed, with the position of the last one.
std::vector<Node> RemoveRepeatedKeys(Node& node);

std::variant<Node, Error> Parse(const std::string& text, const Options& options);

}  // namespace capstan::yaml
