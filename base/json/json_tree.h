#pragma once

/// A JSON value as a tree, for the few parts that are read without a descriptor.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

namespace capstan::json {

struct Node {
  enum class Kind : uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  std::string_view key;   // in the enclosing object
  std::string_view text;  // a string unescaped; a number or bool as written
  std::vector<Node> children;

  bool IsObject() const { return kind == Kind::kObject; }
  /// Returns a member of an object, or null.
  const Node* Find(std::string_view member) const;
  Node* Find(std::string_view member);
  /// Returns the value of a string member, or "".
  std::string_view StringOf(std::string_view member) const;
};

/// Sorts the members of all objects. Of members with the same key the last one is kept.
void Canonicalize(Node& node);
/// Appends `node` without white space, with members in their current order.
void AppendNode(std::string& out, const Node& node);

/// Returns the value at a JSON Pointer (RFC 6901), or null.
const Node* FindPointer(const Node& root, std::string_view pointer);
/// Splits a JSON Pointer into unescaped tokens. Returns false if it is not a pointer: it must be ""
/// or start with "/".
bool SplitPointer(std::string_view pointer, std::vector<std::string>& tokens);

/// Builds a Node from the events of one value. It is a handler for ParseInPlace.
class TreeBuilder {
 public:
  /// Deeper values are refused, since trees are walked recursively.
  static constexpr size_t kMaxDepth = 1000;

  bool Null() { return Leaf(Node::Kind::kNull, "null"); }
  bool Bool(bool value) { return Leaf(Node::Kind::kBool, value ? "true" : "false"); }
  bool Number(std::string_view text) { return Leaf(Node::Kind::kNumber, text); }
  bool String(std::string_view text);
  bool Key(std::string_view text);
  bool StartObject() { return Open(Node::Kind::kObject); }
  bool EndObject() { return Close(); }
  bool StartArray() { return Open(Node::Kind::kArray); }
  bool EndArray() { return Close(); }

  /// Whether a complete value has been read.
  bool done() const { return done_; }
  /// The reason why an event handler returned false.
  const Status& status() const { return status_; }
  /// Returns the value and resets the builder.
  Node Take();

 private:
  bool Leaf(Node::Kind kind, std::string_view text);
  bool Open(Node::Kind kind);
  bool Close();
  Node& Add(Node::Kind kind);

  Node root_;
  std::vector<Node*> open_;
  std::string_view key_;
  bool done_ = false;
  Status status_;
};

/// Owns a parsed text and its tree.
class Document {
 public:
  /// `text` must be one JSON value in valid UTF-8.
  static Result<Document> Parse(std::string text);
  const Node& root() const { return root_; }
  Node& root() { return root_; }

 private:
  std::unique_ptr<std::string> text_;  // the views of the tree point into it
  Node root_;
};

}  // namespace capstan::json
